//! Programs and their kernels.

use super::{Buffer, Context, DeviceId, Kernel, Program, check, failure, info, text};
use crate::base::error::{Error, Result};
use ocl::ffi::{self, c_char, c_uchar, cl_program, cl_uint};
use std::ffi::CString;
use std::ptr;

/// The most bytes of a build log that an error message includes.
const MAX_LOG_BYTES: usize = 4 << 10;

impl Context {
    /// Builds a program from source for that device. If the build fails, the error includes the build log.
    pub(in crate::device) fn build(&self, id: DeviceId, source: &[&str], options: &str) -> Result<Program> {
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
    pub(in crate::device) fn load(&self, id: DeviceId, binary: &[u8], options: &str) -> Result<Program> {
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
    pub(in crate::device) fn binary(&self) -> Result<Vec<u8>> {
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
    pub(in crate::device) fn kernel(&self, name: &str) -> Result<Kernel> {
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
    pub(in crate::device) fn max_group(&self, id: DeviceId) -> Result<usize> {
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
    pub(in crate::device) fn set<T: Copy>(&self, index: u32, value: &T) -> Result<()> {
        // SAFETY: `value` can be read for the size given; OpenCL copies it and checks that size against the
        // parameter's.
        let status = unsafe { ffi::clSetKernelArg(self.0, index, size_of::<T>(), ptr::from_ref(value).cast()) };
        check(status, "clSetKernelArg")
    }

    /// Sets an argument to a buffer.
    pub(in crate::device) fn set_buffer(&self, index: u32, buffer: &Buffer) -> Result<()> {
        self.set(index, &buffer.0)
    }
}
