/* Opening the plugins and finding their devices, once per process. */
#include "backend/pjrt/pjrt.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "device/device.h"
#include "os/env.h"
#include "os/file.h"
#include "os/fp.h"
#include "os/library.h"
#include "os/plain.h"

enum { MOST_PLUGINS = 8 };

/* Written by the first call. */
static situ_once once = SITU_ONCE_INIT;
static situ_pjrt_plugin plugin[MOST_PLUGINS];
static int plugins;
static struct {
    const situ_pjrt_plugin *plugin;
    pjrt_device device;
} device[SITU_DEVICES_EACH];
static int devices;
static char why[500];

/* ---- errors and events ---- */

char situ_pjrt_forked[] =
    "the process was forked after the plugin had started, and the plugin's threads are not in this child: start "
    "the child anew (exec, multiprocessing's spawn), or fork before the first use of such a device";

int situ_pjrt_code(const situ_pjrt_plugin *p, pjrt_error error, char *text, size_t size)
{
    if (!error) return 0;
    if (error == (pjrt_error)situ_pjrt_forked) {
        if (text && size) snprintf(text, size, "%s", situ_pjrt_forked);
        return -SITU_DEVICE_LOST;
    }
    pjrt_text message = {.size = sizeof message, .object = error};
    pjrt_number code = {.size = sizeof(pjrt_number), .object = error};
    pjrt_one destroy = {.size = sizeof destroy, .object = error};
    situ_pjrt_call(p, PJRT_ERROR_MESSAGE, &message);
    pjrt_error second = situ_pjrt_call(p, PJRT_ERROR_CODE, &code);
    while (message.out && message.length && strchr(".\n ", message.out[message.length - 1]))
        message.length--; /* used as a clause within a message of situ */
    if (text && size)
        snprintf(text, size, "%.*s", (int)(message.out ? message.length < size ? message.length : size - 1 : 0),
            message.out ? message.out : "");
    situ_pjrt_call(p, PJRT_ERROR_DESTROY, &destroy);
    if (second) situ_pjrt_call(p, PJRT_ERROR_DESTROY, &(pjrt_one){.size = sizeof(pjrt_one), .object = second});
    return code.out == PJRT_CODE_RESOURCE_EXHAUSTED ? -SITU_DEVICE_MEMORY : -SITU_DEVICE_LOST;
}

pjrt_error situ_pjrt_await(const situ_pjrt_plugin *p, pjrt_event event)
{
    if (!event) return NULL;
    pjrt_one one = {.size = sizeof one, .object = event};
    pjrt_error error = situ_pjrt_call(p, PJRT_EVENT_AWAIT, &one), second = situ_pjrt_call(p, PJRT_EVENT_DESTROY, &one);
    if (error) situ_pjrt_code(p, second, NULL, 0);
    return error ? error : second;
}

/* ---- opening ---- */

static void note(const char *file, const char *what)
{
    const char *name = strrchr(file, '/');
    size_t used = strlen(why), begin = used;
    snprintf(why + used, sizeof why - used, "%s%s: %s", used ? "; " : "", name && name[1] ? name + 1 : file, what);
    for (char *c = why + begin; *c; c++)
        if (*c == '\n') *c = ' ';
}

static bool note_error(const situ_pjrt_plugin *p, pjrt_error error, const char *what)
{
    char text[200], line[300];
    if (!error) return false;
    situ_pjrt_code(p, error, text, sizeof text);
    snprintf(line, sizeof line, "%s: %.200s", what, text);
    note(p->file, line);
    return true;
}

static void copy_text(const situ_pjrt_plugin *p, int function, void *object, char *out, size_t size)
{
    pjrt_text t = {.size = sizeof t, .object = object};
    out[0] = 0;
    if (situ_pjrt_code(p, situ_pjrt_call(p, function, &t), NULL, 0) || !t.out) return;
    snprintf(out, size, "%.*s", (int)(t.length < size ? t.length : size - 1), t.out);
    out[strcspn(out, "\n")] = 0;
}

static void add_devices(const situ_pjrt_plugin *p)
{
    pjrt_client_devices list = {.size = sizeof list, .client = p->client};
    if (note_error(p, situ_pjrt_call(p, PJRT_CLIENT_DEVICES, &list), "it lists no devices")) return;
    if (!list.count || !list.device) note(p->file, "it has no device");
    for (size_t i = 0; list.device && i < list.count && devices < SITU_DEVICES_EACH; i++) {
        if (!list.device[i]) continue;
        device[devices].plugin = p;
        device[devices++].device = list.device[i];
    }
}

static bool is_called_tpu(const char *platform)
{
    const char *wish = situ_env("SITU_PJRT_AS");
    return (wish && !strcmp(wish, "tpu")) || !strcmp(platform, "tpu") || !strcmp(platform, "TPU");
}

static void start_plugin(situ_pjrt_plugin *p)
{
    pjrt_nothing nothing = {.size = sizeof nothing};
    pjrt_client_create create = {.size = sizeof create};
    p->forks = situ_forks;
    if (note_error(p, situ_pjrt_call(p, PJRT_PLUGIN_INITIALIZE, &nothing), "it does not start")) return;
    if (note_error(p, situ_pjrt_call(p, PJRT_CLIENT_CREATE, &create), "it makes no client")) return;
    p->client = create.client;
    if (!p->client) {
        note(p->file, "it makes no client, and says no reason");
        return;
    }
    char version[256], platform[sizeof p->platform];
    copy_text(p, PJRT_CLIENT_PLATFORM_NAME, p->client, platform, sizeof platform);
    copy_text(p, PJRT_CLIENT_PLATFORM_VERSION, p->client, version, sizeof version);
    snprintf(
        p->version, sizeof p->version, "%.24s, PJRT %d.%d, %.40s", platform, p->api->version.major, p->api->version.minor, version);
    memcpy(p->platform, platform, sizeof platform);
    p->tpu = is_called_tpu(platform);
    plugins++;
    add_devices(p);
}

/* Records why the loader failed. Its message begins with the file that cannot be opened: the plugin, or a library that
 * it needs. */
static void note_unopened(const char *file, const char *reason)
{
    char line[400];
    size_t n = strlen(file);
    const char *name = strrchr(file, '/');
    if (strncmp(reason, file, n) || (reason[n] != ':' && reason[n] != ';'))
        snprintf(line, sizeof line, "it needs what cannot be opened: %s", reason);
    else if (!strstr(reason + n, "No such file"))
        snprintf(line, sizeof line, "it cannot be opened:%s; name the plugin's shared library", reason + n + 1);
    else
        snprintf(line, sizeof line, "not found%s%.*s%s", name ? " in " : "; SITU_PJRT_PLUGIN takes its whole path",
            name ? (int)(name - file) : 0, file,
            strpbrk(file, ",; ") ? "; several files have a colon between them, and no blank" : "");
    note(file, line);
}

static void open_plugin(const char *file)
{
    static const situ_symbol symbols[] = {{"GetPjrtApi", 0, false}, {NULL, 0, false}};
    const char *const names[] = {file, NULL};
    char reason[256];
    pjrt_get_table *get = NULL;
    if (plugins == MOST_PLUGINS) {
        note(file, "there are 8 plugins already");
        return;
    }
    void *library = situ_library_open(names, reason, sizeof reason);
    if (!library) {
        note_unopened(file, reason);
        return;
    }
    situ_pjrt_plugin *p = &plugin[plugins];
    *p = (situ_pjrt_plugin){0};
    snprintf(p->file, sizeof p->file, "%s", file);
    const char *fault = "it is no plugin of PJRT: it has no function GetPjrtApi";
    if (!situ_library_symbols(library, symbols, &get, reason, sizeof reason))
        fault = situ_pjrt_table_fault(p->api = get(), reason, sizeof reason);
    for (int i = 0; i < plugins && !fault; i++)
        if (plugin[i].api == p->api) fault = "it is named twice";
    if (!fault) {
        situ_pjrt_table_sizes(p);
        start_plugin(p); /* a plugin is never closed, since its threads and memory stay in use */
        return;
    }
    note(file, fault);
    situ_library_close(library);
}

static void open_list(const char *list)
{
    char file[1024];
    while (*list) {
        size_t n = strcspn(list, ":");
        if (n >= sizeof file) note("SITU_PJRT_PLUGIN", "a name is too long");
        else if (n) {
            memcpy(file, list, n);
            file[n] = 0;
            open_plugin(file);
        }
        list += n + (list[n] == ':');
    }
}

static void look(void)
{
    const char *list = situ_env("SITU_PJRT_PLUGIN"), *as = situ_env("SITU_PJRT_AS");
    if (UINTPTR_MAX < UINT64_MAX) {
        snprintf(why, sizeof why, "PJRT devices are for 64-bit programs");
        return;
    }
    situ_runtime_use(); /* which counts forks */
    uint64_t word = situ_fp_save();
    if (as && *as && strcmp(as, "tpu")) note("SITU_PJRT_AS", "it can be tpu, and nothing else");
    if (list && *list) open_list(list);
    else if (situ_file_exists("/dev/accel0") || situ_file_exists("/dev/vfio/0")) open_plugin(SITU_LIBRARY_ANY("tpu"));
    if (!devices && !why[0]) snprintf(why, sizeof why, "no plugin is named: set SITU_PJRT_PLUGIN=FILE");
    situ_fp_restore(word);
}

int situ_pjrt_count(bool tpu, char *reason, size_t size)
{
    int count = 0, others = 0;
    situ_call_once(&once, look);
    for (int i = 0; i < devices; i++) {
        count += device[i].plugin->tpu == tpu;
        others += device[i].plugin->tpu != tpu;
    }
    if (size) reason[0] = 0;
    if (why[0] && (!tpu || !count)) snprintf(reason, size, "%s", why);
    else if (!count && others && tpu)
        snprintf(reason, size, "the platform of the plugin is %s; SITU_PJRT_AS=tpu would call its devices so",
            device[0].plugin->platform);
    else if (!count && others)
        snprintf(reason, size, "the devices of the plugin are called tpu(i)%s",
            situ_differ_without_case(device[0].plugin->platform, "tpu") ? ", as SITU_PJRT_AS=tpu says" : "");
    return count;
}

bool situ_pjrt_find(bool tpu, int index, const situ_pjrt_plugin **p, pjrt_device *d)
{
    situ_call_once(&once, look);
    for (int i = 0; i < devices; i++) {
        if (device[i].plugin->tpu != tpu || index--) continue;
        *p = device[i].plugin;
        *d = device[i].device;
        return true;
    }
    return false;
}
