//! The raw OpenCL calls behind functions that check their status, and owned handles.
//!
//! These are the calls of cl-sys (`ocl::ffi`), not the wrappers above it in `ocl` and `ocl-core`: those panic upon
//! status codes that they do not know (NVIDIA has some) and upon handles that cannot be released, and wait ten seconds
//! where there is no platform. Nothing here panics.

use crate::environment;
use crate::error::{Error, Result};
use ocl::ffi::{
    self, c_char, c_uchar, c_void, cl_command_queue, cl_context, cl_device_id, cl_event, cl_int, cl_kernel, cl_mem,
    cl_platform_id, cl_program, cl_uint,
};
use once_cell::sync::OnceCell;
use std::ffi::CString;
use std::ptr;

/// More than any machine has; a driver that says more is not believed.
const MAX_HANDLES: cl_uint = 64;
const MAX_INFO_BYTES: usize = 1 << 20;
/// What a build log may add to an error message.
const MAX_LOG_BYTES: usize = 4 << 10;

/// `Ok` where a status says success, else the error that names the call and the code.
fn check(status: cl_int, call: &'static str) -> Result<()> {
    if status == 0 { Ok(()) } else { Err(failure(status, call)) }
}

fn failure(status: cl_int, call: &'static str) -> Error {
    let what = match status {
        -1 => "device not found",
        -2 => "device not available",
        -3 => "compiler not available",
        -4 => "memory object allocation failure",
        -5 => "out of resources",
        -6 => "out of host memory",
        -7 => "profiling info not available",
        -11 => "build program failure",
        -30 => "invalid value",
        -33 => "invalid device",
        -34 => "invalid context",
        -36 => "invalid command queue",
        -38 => "invalid memory object",
        -42 => "invalid binary",
        -44 => "invalid program",
        -45 => "invalid program executable",
        -46 => "invalid kernel name",
        -48 => "invalid kernel",
        -49 => "invalid argument index",
        -50 => "invalid argument value",
        -51 => "invalid argument size",
        -52 => "invalid kernel arguments",
        -54 => "invalid work-group size",
        -55 => "invalid work-item size",
        -61 => "invalid buffer size",
        -1001 => "no OpenCL loader or no platform",
        -9999 => "illegal read or write by a kernel",
        _ => "OpenCL error",
    };
    Error::Device(format!("{call}: {what} ({status})"))
}

/// Owned handles: released when dropped, unless this process is a child forked from the one that made them, which
/// must not touch OpenCL: there they leak.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident($raw:ty), $release:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(super) struct $name($raw);

        // SAFETY: OpenCL objects belong to no thread; calls on one object from several threads at once are kept
        // apart by the device's lock.
        unsafe impl Send for $name {}

        impl Drop for $name {
            fn drop(&mut self) {
                if super::owner::is_ours() {
                    // SAFETY: the handle came from the call that made it and is released once, here. A driver that
                    // cannot release it has said so by its status, of which nothing can be made.
                    unsafe { ffi::$release(self.0) };
                }
            }
        }
    };
}

handle!(/** A context of one device. */ Context(cl_context), clReleaseContext);
handle!(/** An in-order command queue. */ Queue(cl_command_queue), clReleaseCommandQueue);
handle!(/** A buffer in device memory, or a pinned one in host memory. */ Buffer(cl_mem), clReleaseMemObject);
handle!(/** A built program. */ Program(cl_program), clReleaseProgram);
handle!(/** A kernel, with the arguments last set. */ Kernel(cl_kernel), clReleaseKernel);
handle!(/** The completion of a command. */ Event(cl_event), clReleaseEvent);

/// A device of a platform. Valid as long as the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DeviceId {
    platform: cl_platform_id,
    device: cl_device_id,
}

// SAFETY: platforms and devices are not owned and belong to no thread.
unsafe impl Send for DeviceId {}
// SAFETY: as above; they are only ever read.
unsafe impl Sync for DeviceId {}

#[cfg(test)]
impl DeviceId {
    /// No device, for tests of what surrounds one.
    pub(super) fn null() -> DeviceId {
        DeviceId { platform: ptr::null_mut(), device: ptr::null_mut() }
    }
}

/// Tells the loader (`loader.c`) which library to open, before the first call. Elsewhere OpenCL is linked as usual.
#[cfg(not(any(target_os = "macos", target_os = "ios", windows)))]
fn name_library() {
    use std::os::unix::ffi::OsStringExt;
    unsafe extern "C" {
        fn postings_opencl_library(file: *const c_char);
    }
    static NAMED: OnceCell<Option<CString>> = OnceCell::new();
    NAMED.get_or_init(|| {
        let named = environment::variable("POSTINGS_OPENCL_LIBRARY");
        let named = named.and_then(|file| CString::new(file.into_vec()).ok());
        // SAFETY: the string moves into a static, its bytes stay where they are; no other thread is in the loader, as
        // `devices` is the first call of all.
        unsafe { postings_opencl_library(named.as_ref().map_or(ptr::null(), |file| file.as_ptr())) };
        named
    });
}

#[cfg(any(target_os = "macos", target_os = "ios", windows))]
fn name_library() {}

/// The devices of each platform; none where there is no OpenCL. A platform that fails has none.
pub(super) fn devices() -> Vec<Vec<DeviceId>> {
    name_library();
    let mut count = 0;
    // SAFETY: asks for the count only.
    let status = unsafe { ffi::clGetPlatformIDs(0, ptr::null_mut(), &mut count) };
    if status != 0 || count == 0 {
        log::debug!("{}", failure(status, "clGetPlatformIDs"));
        return Vec::new();
    }
    let count = count.min(MAX_HANDLES);
    let mut platforms = vec![ptr::null_mut(); count as usize];
    // SAFETY: room for `count` platforms.
    let status = unsafe { ffi::clGetPlatformIDs(count, platforms.as_mut_ptr(), ptr::null_mut()) };
    if status != 0 {
        return Vec::new();
    }
    platforms
        .into_iter()
        .map(|platform| {
            let mut count = 0;
            // SAFETY: a platform that the loader gave; asks for the count only.
            let status =
                unsafe { ffi::clGetDeviceIDs(platform, ffi::CL_DEVICE_TYPE_ALL as _, 0, ptr::null_mut(), &mut count) };
            if status != 0 || count == 0 {
                log::debug!("{}", failure(status, "clGetDeviceIDs"));
                return Vec::new();
            }
            let count = count.min(MAX_HANDLES);
            let mut devices = vec![ptr::null_mut(); count as usize];
            // SAFETY: room for `count` devices.
            let status = unsafe {
                ffi::clGetDeviceIDs(
                    platform,
                    ffi::CL_DEVICE_TYPE_ALL as _,
                    count,
                    devices.as_mut_ptr(),
                    ptr::null_mut(),
                )
            };
            if status != 0 {
                return Vec::new();
            }
            devices.into_iter().map(|device| DeviceId { platform, device }).collect()
        })
        .collect()
}

/// Asks an information function twice: for the size, then for the bytes.
fn info(call: &'static str, ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Result<Vec<u8>> {
    let mut size = 0;
    check(ask(0, ptr::null_mut(), &mut size), call)?;
    if size > MAX_INFO_BYTES {
        return Err(Error::Device(format!("{call}: {size} bytes of information")));
    }
    let mut bytes = vec![0u8; size];
    if size > 0 {
        check(ask(size, bytes.as_mut_ptr().cast(), ptr::null_mut()), call)?;
    }
    Ok(bytes)
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

impl DeviceId {
    /// A string of the platform, such as `CL_PLATFORM_NAME`.
    pub(super) fn platform_text(self, what: cl_uint) -> Result<String> {
        info("clGetPlatformInfo", |size, to, needed| {
            // SAFETY: `info` gives room for `size` bytes, or a null pointer and 0.
            unsafe { ffi::clGetPlatformInfo(self.platform, what, size, to, needed) }
        })
        .map(|bytes| text(&bytes))
    }

    fn info(self, what: cl_uint) -> Result<Vec<u8>> {
        info("clGetDeviceInfo", |size, to, needed| {
            // SAFETY: as above.
            unsafe { ffi::clGetDeviceInfo(self.device, what, size, to, needed) }
        })
    }

    /// A string of the device, such as `CL_DEVICE_NAME`.
    pub(super) fn text(self, what: cl_uint) -> Result<String> {
        self.info(what).map(|bytes| text(&bytes))
    }

    /// A number of the device (`cl_uint`, `cl_ulong`, `size_t`, `cl_bool` or a bit field).
    pub(super) fn number(self, what: cl_uint) -> Result<u64> {
        let bytes = self.info(what)?;
        match bytes.len() {
            4 => Ok(u64::from(u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))),
            8.. => {
                let mut first = [0; 8];
                first.copy_from_slice(&bytes[..8]);
                Ok(u64::from_ne_bytes(first))
            }
            size => Err(Error::Device(format!("clGetDeviceInfo: {size} bytes where a number was asked for"))),
        }
    }
}

impl Context {
    /// A context of that device alone.
    pub(super) fn new(id: DeviceId) -> Result<Context> {
        let properties = [ffi::CL_CONTEXT_PLATFORM as isize, id.platform as isize, 0];
        let mut status = 0;
        // SAFETY: the properties end in 0; one device; no callback.
        let context =
            unsafe { ffi::clCreateContext(properties.as_ptr(), 1, &id.device, None, ptr::null_mut(), &mut status) };
        check(status, "clCreateContext")?;
        (!context.is_null()).then_some(Context(context)).ok_or_else(|| failure(0, "clCreateContext"))
    }

    /// An in-order queue that can time its commands.
    pub(super) fn queue(&self, id: DeviceId) -> Result<Queue> {
        let mut status = 0;
        // SAFETY: the context is of this device.
        let queue =
            unsafe { ffi::clCreateCommandQueue(self.0, id.device, ffi::CL_QUEUE_PROFILING_ENABLE as _, &mut status) };
        check(status, "clCreateCommandQueue")?;
        (!queue.is_null()).then_some(Queue(queue)).ok_or_else(|| failure(0, "clCreateCommandQueue"))
    }

    /// A buffer of `bytes`, in device memory or (`pinned`) in host memory that the device reaches at full speed.
    pub(super) fn buffer(&self, bytes: usize, pinned: bool) -> Result<Buffer> {
        let flags = if pinned { ffi::CL_MEM_READ_WRITE | ffi::CL_MEM_ALLOC_HOST_PTR } else { ffi::CL_MEM_READ_WRITE };
        let mut status = 0;
        // SAFETY: no host pointer is given.
        let buffer = unsafe { ffi::clCreateBuffer(self.0, flags as _, bytes, ptr::null_mut(), &mut status) };
        check(status, "clCreateBuffer")?;
        (!buffer.is_null()).then_some(Buffer(buffer)).ok_or_else(|| failure(0, "clCreateBuffer"))
    }

    /// A program built from source for that device. A build that fails gives the build log.
    pub(super) fn build(&self, id: DeviceId, source: &[&str], options: &str) -> Result<Program> {
        let strings: Vec<*const c_char> = source.iter().map(|part| part.as_ptr().cast()).collect();
        let lengths: Vec<usize> = source.iter().map(|part| part.len()).collect();
        let count = strings.len() as cl_uint;
        let mut status = 0;
        // SAFETY: as many pointers as lengths, each to that many bytes.
        let program =
            unsafe { ffi::clCreateProgramWithSource(self.0, count, strings.as_ptr(), lengths.as_ptr(), &mut status) };
        check(status, "clCreateProgramWithSource")?;
        Program::built(program, id, options)
    }

    /// A program from a binary that [`Program::binary`] gave for this device, driver and options.
    pub(super) fn load(&self, id: DeviceId, binary: &[u8], options: &str) -> Result<Program> {
        let (mut status, mut binary_status) = (0, 0);
        let (length, pointer): (usize, *const c_uchar) = (binary.len(), binary.as_ptr());
        // SAFETY: one device, one binary of that length.
        let program = unsafe {
            ffi::clCreateProgramWithBinary(self.0, 1, &id.device, &length, &pointer, &mut binary_status, &mut status)
        };
        check(status, "clCreateProgramWithBinary")?;
        check(binary_status, "clCreateProgramWithBinary")?;
        Program::built(program, id, options)
    }
}

impl Program {
    fn built(program: cl_program, id: DeviceId, options: &str) -> Result<Program> {
        if program.is_null() {
            return Err(failure(0, "clCreateProgram"));
        }
        let program = Program(program);
        let options = CString::new(options).map_err(|_| Error::Device("build options hold a zero byte".into()))?;
        // SAFETY: the program and the device are of one context; the options end in a zero byte; no callback.
        let status = unsafe { ffi::clBuildProgram(program.0, 1, &id.device, options.as_ptr(), None, ptr::null_mut()) };
        if status == 0 {
            return Ok(program);
        }
        let log = info("clGetProgramBuildInfo", |size, to, needed| {
            // SAFETY: `info` gives room for `size` bytes, or a null pointer and 0.
            unsafe { ffi::clGetProgramBuildInfo(program.0, id.device, ffi::CL_PROGRAM_BUILD_LOG, size, to, needed) }
        })
        .map(|bytes| text(&bytes[..bytes.len().min(MAX_LOG_BYTES)]))
        .unwrap_or_default();
        Err(Error::Device(format!("clBuildProgram: build failure ({status}): {log}")))
    }

    /// The program as the driver would like it back.
    pub(super) fn binary(&self) -> Result<Vec<u8>> {
        let mut size = 0usize;
        // SAFETY: one device, so one size.
        let status = unsafe {
            ffi::clGetProgramInfo(
                self.0,
                ffi::CL_PROGRAM_BINARY_SIZES,
                size_of::<usize>(),
                (&raw mut size).cast(),
                ptr::null_mut(),
            )
        };
        check(status, "clGetProgramInfo")?;
        if size == 0 || size > 64 << 20 {
            return Err(Error::Device(format!("clGetProgramInfo: a binary of {size} bytes")));
        }
        let mut binary = vec![0u8; size];
        let mut pointer = binary.as_mut_ptr();
        // SAFETY: one device, so one pointer, to as many bytes as the driver said.
        let status = unsafe {
            ffi::clGetProgramInfo(
                self.0,
                ffi::CL_PROGRAM_BINARIES,
                size_of::<*mut u8>(),
                (&raw mut pointer).cast(),
                ptr::null_mut(),
            )
        };
        check(status, "clGetProgramInfo")?;
        Ok(binary)
    }

    /// The kernel of that name.
    pub(super) fn kernel(&self, name: &str) -> Result<Kernel> {
        let name = CString::new(name).map_err(|_| Error::Device("a kernel name holds a zero byte".into()))?;
        let mut status = 0;
        // SAFETY: the program is built; the name ends in a zero byte.
        let kernel = unsafe { ffi::clCreateKernel(self.0, name.as_ptr(), &mut status) };
        check(status, "clCreateKernel")?;
        (!kernel.is_null()).then_some(Kernel(kernel)).ok_or_else(|| failure(0, "clCreateKernel"))
    }
}

impl Kernel {
    /// The largest work-group that this kernel runs in on that device.
    pub(super) fn max_group(&self, id: DeviceId) -> Result<usize> {
        let mut size = 0usize;
        // SAFETY: room for one `size_t`.
        let status = unsafe {
            ffi::clGetKernelWorkGroupInfo(
                self.0,
                id.device,
                ffi::CL_KERNEL_WORK_GROUP_SIZE,
                size_of::<usize>(),
                (&raw mut size).cast(),
                ptr::null_mut(),
            )
        };
        check(status, "clGetKernelWorkGroupInfo").map(|()| size)
    }

    /// Sets an argument to the bytes of a plain value.
    pub(super) fn set<T: Copy>(&self, index: u32, value: &T) -> Result<()> {
        // SAFETY: the value's own size; OpenCL copies it and checks the size against the parameter's.
        let status = unsafe { ffi::clSetKernelArg(self.0, index, size_of::<T>(), ptr::from_ref(value).cast()) };
        check(status, "clSetKernelArg")
    }

    /// Sets an argument to a buffer.
    pub(super) fn set_buffer(&self, index: u32, buffer: &Buffer) -> Result<()> {
        self.set(index, &buffer.0)
    }
}

impl Event {
    /// Waits for the command.
    pub(super) fn wait(&self) -> Result<()> {
        // SAFETY: one event.
        check(unsafe { ffi::clWaitForEvents(1, &self.0) }, "clWaitForEvents")
    }

    /// How long the command ran, in nanoseconds. It must have been waited for.
    pub(super) fn nanoseconds(&self) -> Result<u64> {
        let at = |what| {
            let mut time = 0u64;
            // SAFETY: room for one `cl_ulong`.
            let status = unsafe {
                ffi::clGetEventProfilingInfo(self.0, what, size_of::<u64>(), (&raw mut time).cast(), ptr::null_mut())
            };
            check(status, "clGetEventProfilingInfo").map(|()| time)
        };
        Ok(at(ffi::CL_PROFILING_COMMAND_END)?.saturating_sub(at(ffi::CL_PROFILING_COMMAND_START)?))
    }
}

/// Where a command puts its event: nowhere, or into a slot.
fn slot(event: &mut Option<cl_event>) -> *mut cl_event {
    event.as_mut().map_or(ptr::null_mut(), |event| event as *mut cl_event)
}

impl Queue {
    /// Copies `bytes` from `from` to a buffer; returns at once. The event tells when `from` may be written again.
    ///
    /// # Safety
    /// `from` can be read for `bytes` until the event (or the queue) has finished, and the buffer has
    /// `offset + bytes` bytes.
    pub(super) unsafe fn write(&self, to: &Buffer, offset: usize, from: *const u8, bytes: usize) -> Result<Event> {
        let mut event = ptr::null_mut();
        // SAFETY: the caller's promise.
        let status = unsafe {
            ffi::clEnqueueWriteBuffer(
                self.0,
                to.0,
                ffi::CL_FALSE,
                offset,
                bytes,
                from.cast(),
                0,
                ptr::null(),
                &mut event,
            )
        };
        check(status, "clEnqueueWriteBuffer").map(|()| Event(event))
    }

    /// Copies `bytes` of a buffer to `to`; returns at once. The event tells when they are there.
    ///
    /// # Safety
    /// `to` can be written for `bytes` until the event (or the queue) has finished, and the buffer has
    /// `offset + bytes` bytes.
    pub(super) unsafe fn read(&self, from: &Buffer, offset: usize, to: *mut u8, bytes: usize) -> Result<Event> {
        let mut event = ptr::null_mut();
        // SAFETY: the caller's promise.
        let status = unsafe {
            ffi::clEnqueueReadBuffer(
                self.0,
                from.0,
                ffi::CL_FALSE,
                offset,
                bytes,
                to.cast(),
                0,
                ptr::null(),
                &mut event,
            )
        };
        check(status, "clEnqueueReadBuffer").map(|()| Event(event))
    }

    /// Copies the first `bytes` of one buffer to another; returns at once.
    pub(super) fn copy(&self, from: &Buffer, to: &Buffer, bytes: usize) -> Result<()> {
        // SAFETY: two buffers of one context; OpenCL checks the sizes.
        let status =
            unsafe { ffi::clEnqueueCopyBuffer(self.0, from.0, to.0, 0, 0, bytes, 0, ptr::null(), ptr::null_mut()) };
        check(status, "clEnqueueCopyBuffer")
    }

    /// Fills `bytes` (a multiple of four) of a buffer from `offset` with a word; returns at once.
    pub(super) fn fill(&self, to: &Buffer, offset: usize, bytes: usize, word: u32) -> Result<()> {
        // SAFETY: the pattern is copied before the call returns; OpenCL checks the range.
        let status = unsafe {
            ffi::clEnqueueFillBuffer(
                self.0,
                to.0,
                (&raw const word).cast(),
                size_of::<u32>(),
                offset,
                bytes,
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        check(status, "clEnqueueFillBuffer")
    }

    /// Maps `bytes` of a pinned buffer for reading and writing, for as long as the buffer lives.
    pub(super) fn map(&self, buffer: &Buffer, bytes: usize) -> Result<*mut u8> {
        let mut status = 0;
        // SAFETY: OpenCL checks the range.
        let mapped = unsafe {
            ffi::clEnqueueMapBuffer(
                self.0,
                buffer.0,
                ffi::CL_TRUE,
                (ffi::CL_MAP_READ | ffi::CL_MAP_WRITE) as _,
                0,
                bytes,
                0,
                ptr::null(),
                ptr::null_mut(),
                &mut status,
            )
        };
        check(status, "clEnqueueMapBuffer")?;
        if mapped.is_null() { Err(failure(0, "clEnqueueMapBuffer")) } else { Ok(mapped.cast()) }
    }

    /// Ends a mapping of [`Queue::map`].
    pub(super) fn unmap(&self, buffer: &Buffer, mapped: *mut u8) -> Result<()> {
        // SAFETY: the pointer came from `map` of this buffer.
        let status =
            unsafe { ffi::clEnqueueUnmapMemObject(self.0, buffer.0, mapped.cast(), 0, ptr::null(), ptr::null_mut()) };
        check(status, "clEnqueueUnmapMemObject")
    }

    /// Starts a kernel over `global` work-items in groups of `local`; returns at once. `timed` asks for an event.
    ///
    /// # Safety
    /// The kernel, with its arguments, reads and writes only within its buffers.
    pub(super) unsafe fn launch(
        &self,
        kernel: &Kernel,
        global: usize,
        local: usize,
        timed: bool,
    ) -> Result<Option<Event>> {
        let mut event = timed.then_some(ptr::null_mut());
        // SAFETY: one dimension; the caller's promise for the kernel itself.
        let status = unsafe {
            ffi::clEnqueueNDRangeKernel(
                self.0,
                kernel.0,
                1,
                ptr::null(),
                &global,
                &local,
                0,
                ptr::null(),
                slot(&mut event),
            )
        };
        check(status, "clEnqueueNDRangeKernel").map(|()| event.map(Event))
    }

    /// Hands what was submitted to the device; returns at once.
    pub(super) fn flush(&self) -> Result<()> {
        // SAFETY: the queue lives.
        check(unsafe { ffi::clFlush(self.0) }, "clFlush")
    }

    /// Waits for all that was submitted.
    pub(super) fn finish(&self) -> Result<()> {
        // SAFETY: the queue lives.
        check(unsafe { ffi::clFinish(self.0) }, "clFinish")
    }
}
