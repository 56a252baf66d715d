//! Raw OpenCL calls, wrapped in functions that check the returned status, and owned handles.
//!
//! This uses cl-sys (`ocl::ffi`) directly. The wrappers in `ocl` and `ocl-core` panic on unknown status codes (NVIDIA
//! has some) and on handles that cannot be released, and wait ten seconds if there is no platform. Nothing here panics.

use crate::environment;
use crate::error::{Error, Result};
use ocl::ffi::{
    self, c_char, c_uchar, c_void, cl_command_queue, cl_context, cl_device_id, cl_event, cl_int, cl_kernel, cl_mem,
    cl_platform_id, cl_program, cl_uint,
};
use once_cell::sync::OnceCell;
use std::ffi::CString;
use std::ptr;

/// Upper bounds on what a driver may report. Platforms and devices beyond [`MAX_HANDLES`] are ignored.
const MAX_HANDLES: cl_uint = 64;
const MAX_INFO_BYTES: usize = 1 << 20;
/// The most bytes of a build log that an error message includes.
const MAX_LOG_BYTES: usize = 4 << 10;

/// Turns a status other than success into an error that names the call and the code.
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

/// Defines an owned handle, which is released when dropped. In a child forked from the process that made it, it leaks
/// instead, because the child must not touch OpenCL.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident($raw:ty), $release:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(super) struct $name($raw);

        // SAFETY: OpenCL objects are not tied to a thread, and the device's lock serialises all calls on them.
        unsafe impl Send for $name {}

        impl Drop for $name {
            fn drop(&mut self) {
                if super::owner::is_ours() {
                    // SAFETY: the handle was checked when it was created, and is released only here. The status is
                    // ignored because a failed release cannot be handled.
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

/// A device of a platform. Valid for the life of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DeviceId {
    platform: cl_platform_id,
    device: cl_device_id,
}

// SAFETY: platform and device ids are not owned and not tied to a thread.
unsafe impl Send for DeviceId {}
// SAFETY: as above; the ids are never changed.
unsafe impl Sync for DeviceId {}

#[cfg(test)]
impl DeviceId {
    /// Refers to no device, for tests that never call OpenCL with it.
    pub(super) fn null() -> DeviceId {
        DeviceId { platform: ptr::null_mut(), device: ptr::null_mut() }
    }
}

/// Tells the loader (`loader.c`) which library to open. Must come before the first OpenCL call. On macOS and Windows
/// OpenCL is linked as usual.
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
        // SAFETY: the string is moved into a static, so its bytes stay valid; no other thread is in the loader, because
        // `devices` runs before every other call.
        unsafe { postings_opencl_library(named.as_ref().map_or(ptr::null(), |file| file.as_ptr())) };
        named
    });
}

#[cfg(any(target_os = "macos", target_os = "ios", windows))]
fn name_library() {}

/// The devices of each platform; empty without OpenCL. For a platform that fails, the inner vector is empty.
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
    // SAFETY: `platforms` has room for `count` ids.
    let status = unsafe { ffi::clGetPlatformIDs(count, platforms.as_mut_ptr(), ptr::null_mut()) };
    if status != 0 {
        return Vec::new();
    }
    platforms
        .into_iter()
        .map(|platform| {
            let mut count = 0;
            // SAFETY: the platform id came from the loader; this asks only for the count.
            let status =
                unsafe { ffi::clGetDeviceIDs(platform, ffi::CL_DEVICE_TYPE_ALL as _, 0, ptr::null_mut(), &mut count) };
            if status != 0 || count == 0 {
                log::debug!("{}", failure(status, "clGetDeviceIDs"));
                return Vec::new();
            }
            let count = count.min(MAX_HANDLES);
            let mut devices = vec![ptr::null_mut(); count as usize];
            // SAFETY: `devices` has room for `count` ids.
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

/// Calls an information function twice: for the size, then for the bytes.
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

    /// A numeric property of the device (`cl_uint`, `cl_ulong`, `size_t`, `cl_bool` or a bit field).
    pub(super) fn number(self, what: cl_uint) -> Result<u64> {
        let bytes = self.info(what)?;
        match bytes.len() {
            4 => Ok(u64::from(u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))),
            8.. => {
                let mut first = [0; 8];
                first.copy_from_slice(&bytes[..8]);
                Ok(u64::from_ne_bytes(first))
            }
            size => Err(Error::Device(format!("clGetDeviceInfo: a number was expected, got {size} bytes"))),
        }
    }
}

impl Context {
    /// Creates a context of that device alone.
    pub(super) fn new(id: DeviceId) -> Result<Context> {
        let properties = [ffi::CL_CONTEXT_PLATFORM as isize, id.platform as isize, 0];
        let mut status = 0;
        // SAFETY: the properties end in 0, and `id.device` is one device; there is no callback.
        let context =
            unsafe { ffi::clCreateContext(properties.as_ptr(), 1, &id.device, None, ptr::null_mut(), &mut status) };
        check(status, "clCreateContext")?;
        (!context.is_null()).then_some(Context(context)).ok_or_else(|| failure(0, "clCreateContext"))
    }

    /// Creates an in-order queue that can time its commands.
    pub(super) fn queue(&self, id: DeviceId) -> Result<Queue> {
        let mut status = 0;
        // SAFETY: the context is of this device.
        let queue =
            unsafe { ffi::clCreateCommandQueue(self.0, id.device, ffi::CL_QUEUE_PROFILING_ENABLE as _, &mut status) };
        check(status, "clCreateCommandQueue")?;
        (!queue.is_null()).then_some(Queue(queue)).ok_or_else(|| failure(0, "clCreateCommandQueue"))
    }

    /// Allocates `bytes` in device memory or, if `pinned`, in host memory that the device accesses at full speed.
    pub(super) fn buffer(&self, bytes: usize, pinned: bool) -> Result<Buffer> {
        let flags = if pinned { ffi::CL_MEM_READ_WRITE | ffi::CL_MEM_ALLOC_HOST_PTR } else { ffi::CL_MEM_READ_WRITE };
        let mut status = 0;
        // SAFETY: no host pointer is given.
        let buffer = unsafe { ffi::clCreateBuffer(self.0, flags as _, bytes, ptr::null_mut(), &mut status) };
        check(status, "clCreateBuffer")?;
        (!buffer.is_null()).then_some(Buffer(buffer)).ok_or_else(|| failure(0, "clCreateBuffer"))
    }

    /// Builds a program from source for that device. If the build fails, the error includes the build log.
    pub(super) fn build(&self, id: DeviceId, source: &[&str], options: &str) -> Result<Program> {
        let strings: Vec<*const c_char> = source.iter().map(|part| part.as_ptr().cast()).collect();
        let lengths: Vec<usize> = source.iter().map(|part| part.len()).collect();
        let count = strings.len() as cl_uint;
        let mut status = 0;
        // SAFETY: `strings` and `lengths` both have `count` entries, taken from the same slices.
        let program =
            unsafe { ffi::clCreateProgramWithSource(self.0, count, strings.as_ptr(), lengths.as_ptr(), &mut status) };
        check(status, "clCreateProgramWithSource")?;
        Program::built(program, id, options)
    }

    /// Loads a binary that [`Program::binary`] returned for this device, driver and options.
    pub(super) fn load(&self, id: DeviceId, binary: &[u8], options: &str) -> Result<Program> {
        let (mut status, mut binary_status) = (0, 0);
        let (length, pointer): (usize, *const c_uchar) = (binary.len(), binary.as_ptr());
        // SAFETY: the pointers are to one device and to one binary of `length` bytes.
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
        let options = CString::new(options).map_err(|_| Error::Device("build options contain a zero byte".into()))?;
        // SAFETY: callers created the program for this device; the options end in a zero byte; there is no callback.
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

    /// The driver's binary of the program, to be loaded again later.
    pub(super) fn binary(&self) -> Result<Vec<u8>> {
        let mut size = 0usize;
        // SAFETY: the program has one device, so the driver writes one size.
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
        // SAFETY: the program has one device, so the driver reads one pointer, to as many bytes as it said it needs.
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

    /// Creates the kernel of that name.
    pub(super) fn kernel(&self, name: &str) -> Result<Kernel> {
        let name = CString::new(name).map_err(|_| Error::Device("a kernel name contains a zero byte".into()))?;
        let mut status = 0;
        // SAFETY: a `Program` is always built; the name ends in a zero byte.
        let kernel = unsafe { ffi::clCreateKernel(self.0, name.as_ptr(), &mut status) };
        check(status, "clCreateKernel")?;
        (!kernel.is_null()).then_some(Kernel(kernel)).ok_or_else(|| failure(0, "clCreateKernel"))
    }
}

impl Kernel {
    /// The largest work-group in which this kernel can run on that device.
    pub(super) fn max_group(&self, id: DeviceId) -> Result<usize> {
        let mut size = 0usize;
        // SAFETY: `size` has the size that the call is given.
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
        // SAFETY: `value` can be read for the size given; OpenCL copies it and checks that size against the
        // parameter's.
        let status = unsafe { ffi::clSetKernelArg(self.0, index, size_of::<T>(), ptr::from_ref(value).cast()) };
        check(status, "clSetKernelArg")
    }

    /// Sets an argument to a buffer.
    pub(super) fn set_buffer(&self, index: u32, buffer: &Buffer) -> Result<()> {
        self.set(index, &buffer.0)
    }
}

impl Event {
    /// Waits until the command is complete.
    pub(super) fn wait(&self) -> Result<()> {
        // SAFETY: the count is 1, and the handle is one live event.
        check(unsafe { ffi::clWaitForEvents(1, &self.0) }, "clWaitForEvents")
    }

    /// How long the command ran, in nanoseconds. Call [`wait`](Self::wait) first.
    pub(super) fn nanoseconds(&self) -> Result<u64> {
        let at = |what| {
            let mut time = 0u64;
            // SAFETY: `time` has the size that the call is given.
            let status = unsafe {
                ffi::clGetEventProfilingInfo(self.0, what, size_of::<u64>(), (&raw mut time).cast(), ptr::null_mut())
            };
            check(status, "clGetEventProfilingInfo").map(|()| time)
        };
        Ok(at(ffi::CL_PROFILING_COMMAND_END)?.saturating_sub(at(ffi::CL_PROFILING_COMMAND_START)?))
    }
}

/// Where a command is to store its event; null if none is wanted.
fn slot(event: &mut Option<cl_event>) -> *mut cl_event {
    event.as_mut().map_or(ptr::null_mut(), |event| event as *mut cl_event)
}

impl Queue {
    /// Starts copying `bytes` bytes from `from` to a buffer. When the returned event is complete, `from` may be changed
    /// again.
    ///
    /// # Safety
    /// `from` can be read for `bytes` until the event (or the queue) has finished, and the buffer has
    /// `offset + bytes` bytes.
    pub(super) unsafe fn write(&self, to: &Buffer, offset: usize, from: *const u8, bytes: usize) -> Result<Event> {
        let mut event = ptr::null_mut();
        // SAFETY: this function's contract covers `from`, `bytes` and the buffer; nothing is waited for.
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

    /// Starts copying `bytes` bytes of a buffer to `to`. They are there when the returned event is complete.
    ///
    /// # Safety
    /// `to` can be written for `bytes` until the event (or the queue) has finished, and the buffer has
    /// `offset + bytes` bytes.
    pub(super) unsafe fn read(&self, from: &Buffer, offset: usize, to: *mut u8, bytes: usize) -> Result<Event> {
        let mut event = ptr::null_mut();
        // SAFETY: this function's contract covers `to`, `bytes` and the buffer; nothing is waited for.
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

    /// Starts copying the first `bytes` bytes of one buffer to another.
    pub(super) fn copy(&self, from: &Buffer, to: &Buffer, bytes: usize) -> Result<()> {
        // SAFETY: both handles are live; OpenCL checks that they belong to the queue's context, and their sizes.
        let status =
            unsafe { ffi::clEnqueueCopyBuffer(self.0, from.0, to.0, 0, 0, bytes, 0, ptr::null(), ptr::null_mut()) };
        check(status, "clEnqueueCopyBuffer")
    }

    /// Starts filling `bytes` bytes (a multiple of four) of a buffer from `offset` with a word.
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

    /// Maps `bytes` bytes of a pinned buffer for reading and writing, until [`unmap`](Self::unmap) or the buffer's end.
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

    /// Ends a mapping made by [`map`](Self::map).
    pub(super) fn unmap(&self, buffer: &Buffer, mapped: *mut u8) -> Result<()> {
        // SAFETY: callers pass the pointer that `map` returned for this buffer; OpenCL rejects any other.
        let status =
            unsafe { ffi::clEnqueueUnmapMemObject(self.0, buffer.0, mapped.cast(), 0, ptr::null(), ptr::null_mut()) };
        check(status, "clEnqueueUnmapMemObject")
    }

    /// Starts a kernel over `global` work-items in work-groups of `local`. Returns its event if `timed`.
    ///
    /// # Safety
    /// With the arguments set, the kernel reads and writes only within its buffers.
    pub(super) unsafe fn launch(
        &self,
        kernel: &Kernel,
        global: usize,
        local: usize,
        timed: bool,
    ) -> Result<Option<Event>> {
        let mut event = timed.then_some(ptr::null_mut());
        // SAFETY: there is one dimension, so one global and one local size; this function's contract covers what the
        // kernel accesses.
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

    /// Submits the queue, and an event that is complete when all its commands so far are.
    pub(super) fn marker(&self) -> Result<Event> {
        let mut event = ptr::null_mut();
        // SAFETY: without events to wait for, it waits for all commands of the queue.
        let status = unsafe { ffi::clEnqueueMarkerWithWaitList(self.0, 0, ptr::null(), &mut event) };
        check(status, "clEnqueueMarkerWithWaitList")?;
        let event = Event(event);
        // Another queue may wait only for what was submitted.
        self.flush()?;
        Ok(event)
    }

    /// Has later commands wait for an event.
    pub(super) fn wait_for(&self, event: &Event) -> Result<()> {
        // SAFETY: the count is 1, and the handle is one live event.
        let status = unsafe { ffi::clEnqueueBarrierWithWaitList(self.0, 1, &event.0, ptr::null_mut()) };
        check(status, "clEnqueueBarrierWithWaitList")
    }

    /// Makes the driver submit all queued commands to the device. Does not wait for them.
    pub(super) fn flush(&self) -> Result<()> {
        // SAFETY: `self` keeps the queue alive.
        check(unsafe { ffi::clFlush(self.0) }, "clFlush")
    }

    /// Waits until all submitted commands are complete.
    pub(super) fn finish(&self) -> Result<()> {
        // SAFETY: `self` keeps the queue alive.
        check(unsafe { ffi::clFinish(self.0) }, "clFinish")
    }
}
