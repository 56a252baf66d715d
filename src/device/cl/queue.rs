//! Queues, and the events of their commands.

use super::{Buffer, Context, Event, Kernel, Queue, check, failure};
use crate::base::error::Result;
use ocl::ffi::{self, cl_event, cl_int};
use std::mem::ManuallyDrop;
use std::ptr;

/// How far a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device) enum State {
    /// It waits or runs.
    Running,
    Complete,
    /// It failed, with this status.
    Failed(i32),
}

impl Event {
    /// How far the command is. Its queue must have been [flushed](Queue::flush), or it may never run.
    pub(in crate::device) fn state(&self) -> Result<State> {
        let mut status: cl_int = 0;
        // SAFETY: `status` has the size that the call is given.
        let asked = unsafe {
            ffi::clGetEventInfo(
                self.0,
                ffi::CL_EVENT_COMMAND_EXECUTION_STATUS,
                size_of::<cl_int>(),
                (&raw mut status).cast(),
                ptr::null_mut(),
            )
        };
        check(asked, "clGetEventInfo")?;
        Ok(match status {
            ..0 => State::Failed(status),
            ffi::CL_COMPLETE => State::Complete,
            _ => State::Running,
        })
    }

    /// How long the command ran, in nanoseconds, once it is complete.
    pub(in crate::device) fn nanoseconds(&self) -> Result<u64> {
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
    pub(in crate::device) unsafe fn write(
        &self,
        to: &Buffer,
        offset: usize,
        from: *const u8,
        bytes: usize,
    ) -> Result<Event> {
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
    pub(in crate::device) unsafe fn read(
        &self,
        from: &Buffer,
        offset: usize,
        to: *mut u8,
        bytes: usize,
    ) -> Result<Event> {
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
    pub(in crate::device) fn copy(&self, from: &Buffer, to: &Buffer, bytes: usize) -> Result<()> {
        // SAFETY: both handles are live; OpenCL checks that they belong to the queue's context, and their sizes.
        let status =
            unsafe { ffi::clEnqueueCopyBuffer(self.0, from.0, to.0, 0, 0, bytes, 0, ptr::null(), ptr::null_mut()) };
        check(status, "clEnqueueCopyBuffer")
    }

    /// Starts filling `bytes` bytes (a multiple of four) of a buffer from `offset` with a word.
    pub(in crate::device) fn fill(&self, to: &Buffer, offset: usize, bytes: usize, word: u32) -> Result<()> {
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

    /// Starts mapping `bytes` bytes of a pinned buffer for reading and writing, until [`unmap`](Self::unmap) or the buffer's
    /// end. The bytes are there when the event is complete.
    pub(in crate::device) fn map(&self, buffer: &Buffer, bytes: usize) -> Result<(*mut u8, Event)> {
        let (mut status, mut event) = (0, ptr::null_mut());
        // SAFETY: OpenCL checks the range.
        let mapped = unsafe {
            ffi::clEnqueueMapBuffer(
                self.0,
                buffer.0,
                ffi::CL_FALSE,
                (ffi::CL_MAP_READ | ffi::CL_MAP_WRITE) as _,
                0,
                bytes,
                0,
                ptr::null(),
                &mut event,
                &mut status,
            )
        };
        check(status, "clEnqueueMapBuffer")?;
        if mapped.is_null() { Err(failure(0, "clEnqueueMapBuffer")) } else { Ok((mapped.cast(), Event(event))) }
    }

    /// Ends a mapping made by [`map`](Self::map).
    pub(in crate::device) fn unmap(&self, buffer: &Buffer, mapped: *mut u8) -> Result<()> {
        // SAFETY: callers pass the pointer that `map` returned for this buffer; OpenCL rejects any other.
        let status =
            unsafe { ffi::clEnqueueUnmapMemObject(self.0, buffer.0, mapped.cast(), 0, ptr::null(), ptr::null_mut()) };
        check(status, "clEnqueueUnmapMemObject")
    }

    /// Starts a kernel over `global` work-items in work-groups of `local`. Returns its event if `timed`.
    ///
    /// # Safety
    /// With the arguments set, the kernel reads and writes only within its buffers.
    pub(in crate::device) unsafe fn launch(
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

    /// Makes the driver submit all queued commands to the device. Does not wait for them.
    pub(in crate::device) fn flush(&self) -> Result<()> {
        // SAFETY: `self` keeps the queue alive.
        check(unsafe { ffi::clFlush(self.0) }, "clFlush")
    }

    /// Submits a command that is complete when all earlier ones are.
    pub(in crate::device) fn marker(&self) -> Result<Event> {
        let mut event = ptr::null_mut();
        // SAFETY: the list of events to wait for is empty, which means all commands of the queue.
        let status = unsafe { ffi::clEnqueueMarkerWithWaitList(self.0, 0, ptr::null(), &mut event) };
        check(status, "clEnqueueMarkerWithWaitList").map(|()| Event(event))
    }

    /// Has later commands wait for an event.
    pub(in crate::device) fn wait_for(&self, event: &Event) -> Result<()> {
        // SAFETY: the count is 1, and the handle is one live event.
        let status = unsafe { ffi::clEnqueueBarrierWithWaitList(self.0, 1, &event.0, ptr::null_mut()) };
        check(status, "clEnqueueBarrierWithWaitList")
    }

    /// Has later commands wait for an event that never completes. For tests.
    pub(in crate::device) fn block(&self, context: &Context) -> Result<()> {
        let mut status = 0;
        // SAFETY: the context is that of the queue.
        let event = unsafe { ffi::clCreateUserEvent(context.0, &mut status) };
        check(status, "clCreateUserEvent")?;
        // Drivers need not survive the release of an event that commands wait for.
        self.wait_for(&ManuallyDrop::new(Event(event)))
    }
}
