/* An OpenCL library that misbehaves on request, for tests that the process survives it.
 *
 * FAKE_OPENCL is "ACT:STAGE": what to do (abort, segv, hang, exit, setenv) and when (load, platforms, devices). Without it the
 * library reports no platform. FAKE_OPENCL_LOG names a file to which a line is appended each time the library is
 * loaded.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void act(const char *stage) {
    const char *wanted = getenv("FAKE_OPENCL");
    const char *colon = wanted == NULL ? NULL : strchr(wanted, ':');
    if (colon == NULL || strcmp(colon + 1, stage) != 0) {
        return;
    }
    printf("noise on stdout\n");
    fprintf(stderr, "noise on stderr\n");
    fflush(stdout);
    if (strncmp(wanted, "abort", 5) == 0) {
        abort();
    } else if (strncmp(wanted, "segv", 4) == 0) {
        *(volatile int *)(uintptr_t)8 = 1;
    } else if (strncmp(wanted, "exit", 4) == 0) {
        exit(3);
    } else if (strncmp(wanted, "setenv", 6) == 0) {
        setenv("OCL_ICD_FILENAMES", "as a driver does", 1);
        usleep(200000);
    } else if (strncmp(wanted, "hang", 4) == 0) {
        for (;;) {
            pause();
        }
    }
}

__attribute__((constructor)) static void loaded(void) {
    const char *file = getenv("FAKE_OPENCL_LOG");
    int log = file == NULL ? -1 : open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (log >= 0) {
        if (write(log, "loaded\n", 7) != 7) {
            abort();
        }
        close(log);
    }
    act("load");
}

int32_t clGetPlatformIDs(uint32_t room, void **platforms, uint32_t *count) {
    static int platform;
    const char *wanted = getenv("FAKE_OPENCL");
    act("platforms");
    if (wanted == NULL || strstr(wanted, ":devices") == NULL) {
        return -1001;
    }
    if (count != NULL) {
        *count = 1;
    }
    if (platforms != NULL && room > 0) {
        *platforms = &platform;
    }
    return 0;
}

int32_t clGetDeviceIDs(void *platform, uint64_t type, uint32_t room, void **devices, uint32_t *count) {
    (void)platform, (void)type, (void)room, (void)devices, (void)count;
    act("devices");
    return -1;
}
