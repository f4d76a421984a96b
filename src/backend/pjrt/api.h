/* The part of the PJRT C API that is used, declared here, so that building needs no header of it. A plugin exports
 * GetPjrtApi, which returns a table of functions. Each takes one struct of arguments, whose first field is the
 * struct's size as the caller knows it; later versions append fields. The order of the table and of the fields is
 * fixed within a major version. */
#ifndef SITU_BACKEND_PJRT_API_H
#define SITU_BACKEND_PJRT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PJRT_MAJOR = 0, PJRT_OLDEST_MINOR = 54 };

/* Indices of functions in the table. */
enum {
    PJRT_ERROR_DESTROY = 0,
    PJRT_ERROR_MESSAGE = 1,
    PJRT_ERROR_CODE = 2,
    PJRT_PLUGIN_INITIALIZE = 3,
    PJRT_EVENT_DESTROY = 5,
    PJRT_EVENT_AWAIT = 8,
    PJRT_EVENT_ON_READY = 9, /* not used */
    PJRT_CLIENT_CREATE = 10,
    PJRT_CLIENT_DESTROY = 11,
    PJRT_CLIENT_PLATFORM_NAME = 12,
    PJRT_CLIENT_PLATFORM_VERSION = 14,
    PJRT_CLIENT_DEVICES = 16, /* the devices of this process */
    PJRT_CLIENT_COMPILE = 20,
    PJRT_CLIENT_BUFFER_FROM_HOST = 22,
    PJRT_DESCRIPTION_ID = 23,
    PJRT_DESCRIPTION_KIND = 26,
    PJRT_DEVICE_DESCRIPTION = 29,
    PJRT_DEVICE_MEMORY_STATS = 34,
    PJRT_EXECUTABLE_DESTROY = 40, /* this and the three other destroy functions: not used */
    PJRT_EXECUTABLE_SERIALIZE = 49,
    PJRT_PROGRAM_DESTROY = 50,
    PJRT_PROGRAM_EXECUTABLE = 51,
    PJRT_PROGRAM_EXECUTE = 55,
    PJRT_PROGRAM_LOAD = 56,
    PJRT_BUFFER_DESTROY = 58,
    PJRT_BUFFER_COPY_TO_DEVICE = 69,
    PJRT_BUFFER_TO_HOST = 70,
    PJRT_BUFFER_READY = 72,
    PJRT_FUNCTIONS = 73, /* the table must have at least this many functions */

    /* two structs that are nested in others */
    PJRT_SOURCE = PJRT_FUNCTIONS,
    PJRT_OPTIONS,
    PJRT_STRUCTS
};

typedef struct pjrt_error_object *pjrt_error;
typedef struct pjrt_event_object *pjrt_event;
typedef struct pjrt_client_object *pjrt_client;
typedef struct pjrt_device_object *pjrt_device;
typedef struct pjrt_description_object *pjrt_description;
typedef struct pjrt_program_object *pjrt_program; /* a loaded executable */
typedef struct pjrt_buffer_object *pjrt_buffer;
typedef pjrt_error pjrt_function(void *arguments); /* destroy and message of an error return nothing */

typedef struct pjrt_table {
    size_t size;
    void *extension;
    struct {
        size_t size;
        void *extension;
        int major, minor;
    } version;
    pjrt_function *function[PJRT_FUNCTIONS];
} pjrt_table;
typedef const pjrt_table *pjrt_get_table(void);

/* Start and end of each struct of arguments. Plugins refuse a struct that is smaller than they expect, so there is
 * space for fields of later versions; zeros there mean that the caller does not use them. For known versions the size
 * field says what that version expects (table.c). */
#define PJRT_HEAD \
    size_t size; \
    void *extension
#define PJRT_LATER void *later[12]

/* Arguments of functions of one object without a result, and with one: event of a buffer, description of a device. */
typedef struct pjrt_one {
    PJRT_HEAD;
    void *object;
    PJRT_LATER;
} pjrt_one;
typedef struct pjrt_of_one {
    PJRT_HEAD;
    void *object;
    void *out;
    PJRT_LATER;
} pjrt_of_one;
typedef struct pjrt_text {
    PJRT_HEAD;
    void *object;
    const char *out;
    size_t length;
    PJRT_LATER;
} pjrt_text;
typedef struct pjrt_number {
    PJRT_HEAD;
    void *object;
    int out;
    PJRT_LATER;
} pjrt_number;
typedef struct pjrt_nothing {
    PJRT_HEAD;
    PJRT_LATER;
} pjrt_nothing;

enum { PJRT_CODE_RESOURCE_EXHAUSTED = 8, PJRT_CODE_UNIMPLEMENTED = 12 };

typedef struct pjrt_client_create {
    PJRT_HEAD;
    const void *option;
    size_t options;
    void *get, *get_self, *put, *put_self;
    pjrt_client client;
    PJRT_LATER;
} pjrt_client_create;

typedef struct pjrt_client_devices {
    PJRT_HEAD;
    pjrt_client client;
    pjrt_device const *device;
    size_t count;
    PJRT_LATER;
} pjrt_client_devices;

typedef struct pjrt_source {
    PJRT_HEAD;
    char *code;
    size_t length;
    const char *format;
    size_t format_length;
    PJRT_LATER;
} pjrt_source;
typedef struct pjrt_compile {
    PJRT_HEAD;
    pjrt_client client;
    const pjrt_source *source;
    const char *options;
    size_t options_length;
    pjrt_program program;
    PJRT_LATER;
} pjrt_compile;

typedef struct pjrt_serialize {
    PJRT_HEAD;
    void *executable;
    const char *bytes;
    size_t length;
    void *holder; /* owner of the bytes */
    void (*drop)(void *holder);
    PJRT_LATER;
} pjrt_serialize;
typedef struct pjrt_load {
    PJRT_HEAD;
    pjrt_client client;
    const char *bytes;
    size_t length;
    pjrt_program program;
    PJRT_LATER;
} pjrt_load;

enum {
    PJRT_PRED = 1,
    PJRT_S8,
    PJRT_S16,
    PJRT_S32,
    PJRT_S64,
    PJRT_U8,
    PJRT_U16,
    PJRT_U32,
    PJRT_U64,
    PJRT_F16,
    PJRT_F32,
    PJRT_F64,
    PJRT_BF16,
    PJRT_C64,
    PJRT_C128
};
enum { PJRT_HOST_FREE_AFTER_CALL = 0, PJRT_HOST_LENT = 2 /* the plugin may read the memory until `done`; it must not change */ };
typedef struct pjrt_from_host {
    PJRT_HEAD;
    pjrt_client client;
    const void *data;
    int type;
    const int64_t *dim;
    size_t ndim;
    const int64_t *stride;
    size_t strides;
    int semantics;
    pjrt_device device;
    void *memory, *layout;
    pjrt_event done;
    pjrt_buffer buffer;
    PJRT_LATER;
} pjrt_from_host;

typedef struct pjrt_on_ready {
    PJRT_HEAD;
    pjrt_event event;
    void (*call)(pjrt_error error, void *self);
    void *self;
    PJRT_LATER;
} pjrt_on_ready;

typedef struct pjrt_to_host {
    PJRT_HEAD;
    pjrt_buffer from;
    void *layout;
    void *to;
    size_t bytes;
    pjrt_event event;
    PJRT_LATER;
} pjrt_to_host;

typedef struct pjrt_to_device {
    PJRT_HEAD;
    pjrt_buffer from;
    pjrt_device device;
    pjrt_buffer to;
    PJRT_LATER;
} pjrt_to_device;

typedef struct pjrt_execute_options {
    PJRT_HEAD;
    void *send, *receive;
    size_t sends, receives;
    int launch;
    const int64_t *kept; /* indices of arguments that must not be donated */
    size_t kepts;
    PJRT_LATER;
} pjrt_execute_options;
typedef struct pjrt_execute {
    PJRT_HEAD;
    pjrt_program program;
    pjrt_execute_options *options;
    pjrt_buffer const *const *argument; /* [device] arguments */
    size_t devices, arguments;
    pjrt_buffer *const *result;
    pjrt_event *complete;
    pjrt_device device;
    PJRT_LATER;
} pjrt_execute;

/* Up to the limit; the fields after it are not used. */
typedef struct pjrt_memory_stats {
    PJRT_HEAD;
    pjrt_device device;
    int64_t in_use;
    int64_t peak;
    bool peak_is_set;
    int64_t allocations;
    bool allocations_is_set;
    int64_t largest;
    bool largest_is_set;
    int64_t limit;
    bool limit_is_set;
    int64_t rest[10]; /* pairs of a value and a flag that it is set */
    PJRT_LATER;
} pjrt_memory_stats;

#endif
