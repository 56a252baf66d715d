/* The OpenCL loader, found at run time.
 *
 * cl-sys links -lOpenCL. build.rs puts this file's archive, libOpenCL.a, first on the linker's search path, so that
 * neither the extension nor the tests have libOpenCL among their NEEDED entries, and nothing of OpenCL is needed to
 * build them. Each cl* function that cl-sys declares is defined here with the same binary interface. Its first call
 * looks the function up in libOpenCL.so.1; every call is forwarded to it. Without that library, or without that
 * function in it, calls return CL_PLATFORM_NOT_FOUND_KHR (-1001) or a null pointer.
 *
 * postings_opencl_library() names another library file, and then only that one is tried. Its caller, src/device/cl.rs,
 * passes the value that the environment variable POSTINGS_OPENCL_LIBRARY had when the process started, so a script
 * cannot change it. Tests pass a path that does not exist to simulate a machine without OpenCL.
 *
 * All symbols are hidden: an exported clFinish would take precedence over the driver's own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define PLATFORM_NOT_FOUND (-1001)

typedef void *ptr;
typedef int32_t *err;
typedef uint32_t u32;
typedef uint64_t u64;

static void *library;
static const char *named;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Call this before any other function. `file` is NULL or a string that stays valid. */
__attribute__((visibility("hidden"))) void postings_opencl_library(const char *file) {
    named = file;
}

static void open_library(void) {
    if (named != NULL) {
        library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
        return;
    }
    library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        library = dlopen("libOpenCL.so", RTLD_NOW | RTLD_LOCAL);
    }
}

/* The function of that name, cached in *kept; NULL if there is none. Threads that race store the same value. */
static void *find(void **kept, const char *name) {
    void *found = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
    if (found == NULL) {
        pthread_once(&once, open_library);
        if (library != NULL) {
            found = dlsym(library, name);
            __atomic_store_n(kept, found, __ATOMIC_RELEASE);
        }
    }
    return found;
}

#define FORWARD(result, name, parameters, arguments, absent) \
    __attribute__((visibility("hidden"))) result name parameters { \
        static void *kept; \
        void *found = find(&kept, #name); \
        if (found == NULL) { \
            absent; \
        } \
        return ((result(*) parameters)found)arguments; \
    }

/* Returns a status. */
#define STATUS(name, parameters, arguments) FORWARD(int32_t, name, parameters, arguments, return PLATFORM_NOT_FOUND)
/* Returns a pointer. */
#define POINTER(name, parameters, arguments) FORWARD(ptr, name, parameters, arguments, return NULL)
/* Returns a handle, and a status through `code`. */
#define OBJECT(name, parameters, arguments, code) \
    FORWARD(ptr, name, parameters, arguments, if (code != NULL) { *code = PLATFORM_NOT_FOUND; } return NULL)
/* Returns nothing. */
#define NOTHING(name, parameters, arguments) FORWARD(void, name, parameters, arguments, return)

/* OpenCL 1.1 and 1.2, and sharing with OpenGL. */
STATUS(clGetPlatformIDs, (u32 a, ptr b, ptr c), (a, b, c))
STATUS(clGetPlatformInfo, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
STATUS(clGetDeviceIDs, (ptr a, u64 b, u32 c, ptr d, ptr e), (a, b, c, d, e))
STATUS(clGetDeviceInfo, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
STATUS(clCreateSubDevices, (ptr a, ptr b, u32 c, ptr d, ptr e), (a, b, c, d, e))
STATUS(clRetainDevice, (ptr a), (a))
STATUS(clReleaseDevice, (ptr a), (a))
OBJECT(clCreateContext, (ptr a, u32 b, ptr c, ptr d, ptr e, err f), (a, b, c, d, e, f), f)
OBJECT(clCreateContextFromType, (ptr a, u64 b, ptr c, ptr d, err e), (a, b, c, d, e), e)
STATUS(clRetainContext, (ptr a), (a))
STATUS(clReleaseContext, (ptr a), (a))
STATUS(clGetContextInfo, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
OBJECT(clCreateCommandQueue, (ptr a, ptr b, u64 c, err d), (a, b, c, d), d)
STATUS(clRetainCommandQueue, (ptr a), (a))
STATUS(clReleaseCommandQueue, (ptr a), (a))
STATUS(clGetCommandQueueInfo, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
OBJECT(clCreateBuffer, (ptr a, u64 b, size_t c, ptr d, err e), (a, b, c, d, e), e)
OBJECT(clCreateSubBuffer, (ptr a, u64 b, u32 c, ptr d, err e), (a, b, c, d, e), e)
OBJECT(clCreateImage2D, (ptr a, u64 b, ptr c, size_t d, size_t e, size_t f, ptr g, err h), (a, b, c, d, e, f, g, h), h)
OBJECT(clCreateImage3D, (ptr a, u64 b, ptr c, size_t d, size_t e, size_t f, size_t g, size_t h, ptr i, err j),
       (a, b, c, d, e, f, g, h, i, j), j)
OBJECT(clCreateImage, (ptr a, u64 b, ptr c, ptr d, ptr e, err f), (a, b, c, d, e, f), f)
STATUS(clRetainMemObject, (ptr a), (a))
STATUS(clReleaseMemObject, (ptr a), (a))
STATUS(clGetSupportedImageFormats, (ptr a, u64 b, u32 c, u32 d, ptr e, ptr f), (a, b, c, d, e, f))
STATUS(clGetMemObjectInfo, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
STATUS(clGetImageInfo, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
STATUS(clSetMemObjectDestructorCallback, (ptr a, ptr b, ptr c), (a, b, c))
OBJECT(clCreateSampler, (ptr a, u32 b, u32 c, u32 d, err e), (a, b, c, d, e), e)
STATUS(clRetainSampler, (ptr a), (a))
STATUS(clReleaseSampler, (ptr a), (a))
STATUS(clGetSamplerInfo, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
OBJECT(clCreateProgramWithSource, (ptr a, u32 b, ptr c, ptr d, err e), (a, b, c, d, e), e)
OBJECT(clCreateProgramWithBinary, (ptr a, u32 b, ptr c, ptr d, ptr e, err f, err g), (a, b, c, d, e, f, g), g)
OBJECT(clCreateProgramWithBuiltInKernels, (ptr a, u32 b, ptr c, ptr d, err e), (a, b, c, d, e), e)
STATUS(clRetainProgram, (ptr a), (a))
STATUS(clReleaseProgram, (ptr a), (a))
STATUS(clBuildProgram, (ptr a, u32 b, ptr c, ptr d, ptr e, ptr f), (a, b, c, d, e, f))
STATUS(clUnloadCompiler, (), ())
STATUS(clCompileProgram, (ptr a, u32 b, ptr c, ptr d, u32 e, ptr f, ptr g, ptr h, ptr i), (a, b, c, d, e, f, g, h, i))
OBJECT(clLinkProgram, (ptr a, u32 b, ptr c, ptr d, u32 e, ptr f, ptr g, ptr h, err i), (a, b, c, d, e, f, g, h, i), i)
STATUS(clGetProgramInfo, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
STATUS(clGetProgramBuildInfo, (ptr a, ptr b, u32 c, size_t d, ptr e, ptr f), (a, b, c, d, e, f))
OBJECT(clCreateKernel, (ptr a, ptr b, err c), (a, b, c), c)
STATUS(clCreateKernelsInProgram, (ptr a, u32 b, ptr c, ptr d), (a, b, c, d))
STATUS(clRetainKernel, (ptr a), (a))
STATUS(clReleaseKernel, (ptr a), (a))
STATUS(clSetKernelArg, (ptr a, u32 b, size_t c, ptr d), (a, b, c, d))
STATUS(clGetKernelInfo, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
STATUS(clGetKernelArgInfo, (ptr a, u32 b, u32 c, size_t d, ptr e, ptr f), (a, b, c, d, e, f))
STATUS(clGetKernelWorkGroupInfo, (ptr a, ptr b, u32 c, size_t d, ptr e, ptr f), (a, b, c, d, e, f))
STATUS(clWaitForEvents, (u32 a, ptr b), (a, b))
STATUS(clGetEventInfo, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
OBJECT(clCreateUserEvent, (ptr a, err b), (a, b), b)
STATUS(clRetainEvent, (ptr a), (a))
STATUS(clReleaseEvent, (ptr a), (a))
STATUS(clSetUserEventStatus, (ptr a, u32 b), (a, b))
STATUS(clSetEventCallback, (ptr a, u32 b, ptr c, ptr d), (a, b, c, d))
STATUS(clGetEventProfilingInfo, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
STATUS(clFlush, (ptr a), (a))
STATUS(clFinish, (ptr a), (a))
STATUS(clEnqueueReadBuffer, (ptr a, ptr b, u32 c, size_t d, size_t e, ptr f, u32 g, ptr h, ptr i),
       (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueReadBufferRect, (ptr a, ptr b, u32 c, ptr d, ptr e, ptr f, size_t g, size_t h, size_t i,
        size_t j, ptr k, u32 l, ptr m, ptr n),
       (a, b, c, d, e, f, g, h, i, j, k, l, m, n))
STATUS(clEnqueueWriteBuffer, (ptr a, ptr b, u32 c, size_t d, size_t e, ptr f, u32 g, ptr h, ptr i),
       (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueWriteBufferRect, (ptr a, ptr b, u32 c, ptr d, ptr e, ptr f, size_t g, size_t h, size_t i,
        size_t j, ptr k, u32 l, ptr m, ptr n),
       (a, b, c, d, e, f, g, h, i, j, k, l, m, n))
STATUS(clEnqueueFillBuffer, (ptr a, ptr b, ptr c, size_t d, size_t e, size_t f, u32 g, ptr h, ptr i),
       (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueCopyBuffer, (ptr a, ptr b, ptr c, size_t d, size_t e, size_t f, u32 g, ptr h, ptr i),
       (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueCopyBufferRect, (ptr a, ptr b, ptr c, ptr d, ptr e, ptr f, size_t g, size_t h, size_t i,
        size_t j, u32 k, ptr l, ptr m),
       (a, b, c, d, e, f, g, h, i, j, k, l, m))
STATUS(clEnqueueReadImage, (ptr a, ptr b, u32 c, ptr d, ptr e, size_t f, size_t g, ptr h, u32 i, ptr j, ptr k),
       (a, b, c, d, e, f, g, h, i, j, k))
STATUS(clEnqueueWriteImage, (ptr a, ptr b, u32 c, ptr d, ptr e, size_t f, size_t g, ptr h, u32 i, ptr j, ptr k),
       (a, b, c, d, e, f, g, h, i, j, k))
STATUS(clEnqueueFillImage, (ptr a, ptr b, ptr c, ptr d, ptr e, u32 f, ptr g, ptr h), (a, b, c, d, e, f, g, h))
STATUS(clEnqueueCopyImage, (ptr a, ptr b, ptr c, ptr d, ptr e, ptr f, u32 g, ptr h, ptr i), (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueCopyImageToBuffer, (ptr a, ptr b, ptr c, ptr d, ptr e, size_t f, u32 g, ptr h, ptr i),
       (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueCopyBufferToImage, (ptr a, ptr b, ptr c, size_t d, ptr e, ptr f, u32 g, ptr h, ptr i),
       (a, b, c, d, e, f, g, h, i))
OBJECT(clEnqueueMapBuffer, (ptr a, ptr b, u32 c, u64 d, size_t e, size_t f, u32 g, ptr h, ptr i, err j),
       (a, b, c, d, e, f, g, h, i, j), j)
OBJECT(clEnqueueMapImage, (ptr a, ptr b, u32 c, u64 d, ptr e, ptr f, ptr g, ptr h, u32 i, ptr j, ptr k, err l),
       (a, b, c, d, e, f, g, h, i, j, k, l), l)
STATUS(clEnqueueUnmapMemObject, (ptr a, ptr b, ptr c, u32 d, ptr e, ptr f), (a, b, c, d, e, f))
STATUS(clEnqueueMigrateMemObjects, (ptr a, u32 b, ptr c, u64 d, u32 e, ptr f, ptr g), (a, b, c, d, e, f, g))
STATUS(clEnqueueNDRangeKernel, (ptr a, ptr b, u32 c, ptr d, ptr e, ptr f, u32 g, ptr h, ptr i),
       (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueTask, (ptr a, ptr b, u32 c, ptr d, ptr e), (a, b, c, d, e))
STATUS(clEnqueueNativeKernel, (ptr a, ptr b, ptr c, size_t d, u32 e, ptr f, ptr g, u32 h, ptr i, ptr j),
       (a, b, c, d, e, f, g, h, i, j))
STATUS(clEnqueueMarker, (ptr a, ptr b), (a, b))
STATUS(clEnqueueMarkerWithWaitList, (ptr a, u32 b, ptr c, ptr d), (a, b, c, d))
STATUS(clEnqueueWaitForEvents, (ptr a, u32 b, ptr c), (a, b, c))
STATUS(clEnqueueBarrierWithWaitList, (ptr a, u32 b, ptr c, ptr d), (a, b, c, d))
STATUS(clEnqueueBarrier, (ptr a), (a))
NOTHING(clGetExtensionFunctionAddress, (ptr a), (a))
POINTER(clGetExtensionFunctionAddressForPlatform, (ptr a, ptr b), (a, b))
OBJECT(clCreateFromGLBuffer, (ptr a, u64 b, u32 c, err d), (a, b, c, d), d)
OBJECT(clCreateFromGLTexture, (ptr a, u64 b, u32 c, u32 d, u32 e, err f), (a, b, c, d, e, f), f)
STATUS(clGetGLObjectInfo, (ptr a, ptr b, ptr c), (a, b, c))
STATUS(clGetGLTextureInfo, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
OBJECT(clCreateFromGLRenderbuffer, (ptr a, u64 b, u32 c, err d), (a, b, c, d), d)
STATUS(clEnqueueAcquireGLObjects, (ptr a, u32 b, ptr c, u32 d, ptr e, ptr f), (a, b, c, d, e, f))
STATUS(clEnqueueReleaseGLObjects, (ptr a, u32 b, ptr c, u32 d, ptr e, ptr f), (a, b, c, d, e, f))
STATUS(clGetGLContextInfoKHR, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
OBJECT(clCreateFromGLTexture2D, (ptr a, u64 b, u32 c, u32 d, u32 e, err f), (a, b, c, d, e, f), f)
OBJECT(clCreateFromGLTexture3D, (ptr a, u64 b, u32 c, u32 d, u32 e, err f), (a, b, c, d, e, f), f)

/* OpenCL 2.0 and 2.1. */
STATUS(clSetDefaultDeviceCommandQueue, (ptr a, ptr b, ptr c), (a, b, c))
STATUS(clGetDeviceAndHostTimer, (ptr a, ptr b, ptr c), (a, b, c))
STATUS(clGetHostTimer, (ptr a, ptr b), (a, b))
OBJECT(clCreateCommandQueueWithProperties, (ptr a, ptr b, ptr c, err d), (a, b, c, d), d)
OBJECT(clCreatePipe, (ptr a, u64 b, u32 c, u32 d, ptr e, err f), (a, b, c, d, e, f), f)
STATUS(clGetPipeInfo, (ptr a, u32 b, size_t c, ptr d, ptr e), (a, b, c, d, e))
POINTER(clSVMAlloc, (ptr a, u64 b, size_t c, u32 d), (a, b, c, d))
NOTHING(clSVMFree, (ptr a, ptr b), (a, b))
OBJECT(clCreateSamplerWithProperties, (ptr a, ptr b, err c), (a, b, c), c)
OBJECT(clCreateProgramWithIL, (ptr a, ptr b, size_t c, err d), (a, b, c, d), d)
OBJECT(clCloneKernel, (ptr a, err b), (a, b), b)
STATUS(clSetKernelArgSVMPointer, (ptr a, u32 b, ptr c), (a, b, c))
STATUS(clSetKernelExecInfo, (ptr a, u32 b, size_t c, ptr d), (a, b, c, d))
STATUS(clGetKernelSubGroupInfo, (ptr a, ptr b, u32 c, size_t d, ptr e, size_t f, ptr g, ptr h),
       (a, b, c, d, e, f, g, h))
STATUS(clEnqueueSVMFree, (ptr a, u32 b, ptr c, ptr d, ptr e, u32 f, ptr g, ptr h), (a, b, c, d, e, f, g, h))
STATUS(clEnqueueSVMMemcpy, (ptr a, u32 b, ptr c, ptr d, size_t e, u32 f, ptr g, ptr h), (a, b, c, d, e, f, g, h))
STATUS(clEnqueueSVMMemFill, (ptr a, ptr b, ptr c, size_t d, size_t e, u32 f, ptr g, ptr h), (a, b, c, d, e, f, g, h))
STATUS(clEnqueueSVMMap, (ptr a, u32 b, u64 c, ptr d, size_t e, u32 f, ptr g, ptr h), (a, b, c, d, e, f, g, h))
STATUS(clEnqueueSVMUnmap, (ptr a, ptr b, u32 c, ptr d, ptr e), (a, b, c, d, e))
STATUS(clEnqueueSVMMigrateMem, (ptr a, u32 b, ptr c, ptr d, u64 e, u32 f, ptr g, ptr h), (a, b, c, d, e, f, g, h))
