/*
 * Runs requests on many threads of one process, as FrankenPHP and Apache's event MPM do, on the embed SAPI of a
 * thread-safe PHP.
 *
 *     harness INI PREPARE REQUEST THREADS SECONDS [KEYS]
 *
 * INI: a php.ini, which loads the extension. PREPARE: a script that runs once, before the threads begin. REQUEST: the script
 * of each request, which must print "ok"; its argument is the number of its thread. KEYS: how many keys of thread-local
 * storage are left once PHP has started.
 * THREADS_FOLDER in the environment is an empty folder; THREADS_DEVICE names a device, for one request in 16.
 * Prints requests and memory, and what a request printed in place of "ok"; exits with 1 if one did, or if memory grew.
 */
#include <pthread.h>
#include <sapi/embed/php_embed.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

ZEND_TSRMLS_CACHE_DEFINE()

static _Thread_local char output[4096];
static _Thread_local size_t length;
static const char *request;
static atomic_long requests, failures;
static atomic_int over;

static size_t collect(const char *text, size_t bytes)
{
    size_t room = sizeof output - 1 - length, kept = bytes < room ? bytes : room;
    memcpy(output + length, text, kept);
    length += kept;
    output[length] = 0;
    return bytes;
}

static void run(const char *script)
{
    zend_file_handle file;
    length = 0;
    output[0] = 0;
    zend_stream_init_filename(&file, script);
    zend_first_try {
        php_execute_script(&file);
    } zend_end_try();
    zend_destroy_file_handle(&file);
}

static void *serve(void *number)
{
    char text[24];
    snprintf(text, sizeof text, "%ld", (long)(intptr_t)number);
    char *arguments[] = {(char *)request, text};
    ts_resource(0);
    ZEND_TSRMLS_CACHE_UPDATE();
    while (!atomic_load(&over)) {
        SG(request_info).argc = 2;
        SG(request_info).argv = arguments;
        if (php_request_startup() != SUCCESS) {
            atomic_fetch_add(&failures, 1);
            break;
        }
        SG(headers_sent) = 1;
        SG(request_info).no_headers = 1;
        run(request);
        php_request_shutdown(NULL);
        atomic_fetch_add(&requests, 1);
        if (strcmp(output, "ok") != 0 && atomic_fetch_add(&failures, 1) < 20) {
            fprintf(stderr, "a request printed: %s\n", output);
        }
    }
    ts_free_thread();
    return NULL;
}

/* Resident memory in KiB. */
static long resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) {
        pages = 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void use_keys_up(int left)
{
    static pthread_key_t keys[PTHREAD_KEYS_MAX];
    int used = 0;
    while (used < PTHREAD_KEYS_MAX && pthread_key_create(&keys[used], NULL) == 0) {
        used++;
    }
    while (left-- > 0 && used > 0) {
        pthread_key_delete(keys[--used]);
    }
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        fprintf(stderr, "usage: %s INI PREPARE REQUEST THREADS SECONDS [KEYS]\n", argv[0]);
        return 2;
    }
    int threads = atoi(argv[4]), seconds = atoi(argv[5]);
    /* A request begins in the folder that the last one of its thread went to. */
    request = realpath(argv[3], NULL);
    if (request == NULL) {
        perror(argv[3]);
        return 2;
    }
    php_embed_module.php_ini_path_override = argv[1];
    php_embed_module.ub_write = collect;
    if (php_embed_init(0, NULL) != SUCCESS) {
        fprintf(stderr, "PHP does not start\n");
        return 1;
    }
    if (argc > 6) {
        use_keys_up(atoi(argv[6]));
    }
    run(argv[2]);
    if (strcmp(output, "ok") != 0) {
        fprintf(stderr, "%s printed: %s\n", argv[2], output);
        return 1;
    }
    pthread_t *all = calloc(threads, sizeof *all);
    for (int at = 0; at < threads; at++) {
        if (pthread_create(&all[at], NULL, serve, (void *)(intptr_t)at) != 0) {
            fprintf(stderr, "no thread %d\n", at);
            return 1;
        }
    }
    /* The first third is for caches to fill. */
    long warm = 0, last = 0;
    for (int second = 1; second <= seconds; second++) {
        sleep(1);
        last = resident();
        if (second <= (seconds + 2) / 3) {
            warm = last > warm ? last : warm;
        }
        if (second % 10 == 0 || second == seconds) {
            printf("%d s, %ld requests, %ld failures, %ld MiB\n", second, atomic_load(&requests),
                atomic_load(&failures), last / 1024);
            fflush(stdout);
        }
    }
    atomic_store(&over, 1);
    for (int at = 0; at < threads; at++) {
        pthread_join(all[at], NULL);
    }
    free(all);
    int grew = last > warm + warm / 5 + 32 * 1024;
    printf("%d threads: %ld requests, %ld failures, %ld MiB after a third of the time, %ld MiB at the end%s\n", threads,
        atomic_load(&requests), atomic_load(&failures), warm / 1024, last / 1024, grew ? ": it grew" : "");
    php_embed_shutdown();
    return atomic_load(&failures) != 0 || atomic_load(&requests) == 0 || grew;
}
