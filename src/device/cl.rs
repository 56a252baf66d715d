//! Raw OpenCL calls, wrapped in functions that check the returned status, and owned handles.
//!
//! This uses cl-sys (`ocl::ffi`) directly. The wrappers in `ocl` and `ocl-core` panic on unknown status codes (NVIDIA
//! has some) and on handles that cannot be released, and wait ten seconds if there is no platform. Nothing here panics.
//! No call here waits for a device; [`wait`](super::wait) does, with a limit.

mod program;
mod queue;

pub(super) use queue::State;

use crate::base::environment;
use crate::base::error::{Error, Result};
use ocl::ffi::{
    self, c_char, c_void, cl_command_queue, cl_context, cl_device_id, cl_event, cl_int, cl_kernel, cl_mem,
    cl_platform_id, cl_program, cl_uint,
};
use once_cell::sync::OnceCell;
use std::ffi::CString;
use std::ptr;

/// Upper bounds on what a driver may report. Platforms and devices beyond [`MAX_HANDLES`] are ignored.
const MAX_HANDLES: cl_uint = 64;
const MAX_INFO_BYTES: usize = 1 << 20;

/// Turns a status other than success into an error that names the call and the code.
fn check(status: cl_int, call: &'static str) -> Result<()> {
    if status == 0 { Ok(()) } else { Err(failure(status, call)) }
}

/// An error that names the call, or what else failed, and the status.
pub(super) fn failure(status: cl_int, call: &'static str) -> Error {
    let what = match status {
        -1 => "device not found",
        -2 => "device not available",
        -3 => "compiler not available",
        -4 => "memory object allocation failure",
        -5 => "out of resources",
        -6 => "out of host memory",
        -7 => "profiling info not available",
        -11 => "build program failure",
        -14 => "a command that it depends on failed",
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
}
