/* Checks a plugin's function table, and finds the sizes of argument structs that its version expects. A plugin that
 * follows the rules accepts larger structs; some want exactly the size of their own header. */
#include <stdio.h>

#include "backend/pjrt/pjrt.h"

/* Sizes in version 0.54, without padding at the end. */
static const struct {
    uint8_t function, bytes;
    bool needed;
    char name[33];
} functions[] = {{PJRT_ERROR_DESTROY, 24, true, "Error_Destroy"}, {PJRT_ERROR_MESSAGE, 40, true, "Error_Message"},
    {PJRT_ERROR_CODE, 28, true, "Error_GetCode"}, {PJRT_PLUGIN_INITIALIZE, 16, true, "Plugin_Initialize"},
    {PJRT_EVENT_DESTROY, 24, true, "Event_Destroy"}, {PJRT_EVENT_AWAIT, 24, true, "Event_Await"},
    {PJRT_EVENT_ON_READY, 40, false, ""}, {PJRT_CLIENT_CREATE, 72, true, "Client_Create"},
    {PJRT_CLIENT_PLATFORM_NAME, 40, true, "Client_PlatformName"},
    {PJRT_CLIENT_PLATFORM_VERSION, 40, true, "Client_PlatformVersion"},
    {PJRT_CLIENT_DEVICES, 40, true, "Client_AddressableDevices"}, {PJRT_CLIENT_COMPILE, 56, true, "Client_Compile"},
    {PJRT_CLIENT_BUFFER_FROM_HOST, 120, true, "Client_BufferFromHostBuffer"},
    {PJRT_DESCRIPTION_ID, 28, true, "DeviceDescription_Id"}, {PJRT_DESCRIPTION_KIND, 40, true, "DeviceDescription_Kind"},
    {PJRT_DEVICE_DESCRIPTION, 32, true, "Device_GetDescription"}, {PJRT_DEVICE_MEMORY_STATS, 185, false, ""},
    {PJRT_EXECUTABLE_DESTROY, 24, false, ""}, {PJRT_EXECUTABLE_SERIALIZE, 56, false, ""},
    {PJRT_PROGRAM_DESTROY, 24, true, "LoadedExecutable_Destroy"}, {PJRT_PROGRAM_EXECUTABLE, 32, false, ""},
    {PJRT_PROGRAM_EXECUTE, 80, true, "LoadedExecutable_Execute"}, {PJRT_PROGRAM_LOAD, 48, false, ""},
    {PJRT_BUFFER_DESTROY, 24, true, "Buffer_Destroy"}, {PJRT_BUFFER_COPY_TO_DEVICE, 40, true, "Buffer_CopyToDevice"},
    {PJRT_BUFFER_TO_HOST, 56, true, "Buffer_ToHostBuffer"}, {PJRT_BUFFER_READY, 32, true, "Buffer_ReadyEvent"},
    {PJRT_SOURCE, 48, false, ""}, {PJRT_OPTIONS, 72, false, ""}};

/* Structs that have grown, by minor version; versions after the last one are unknown here. */
enum { LAST_KNOWN_MINOR = 105 };
static const struct {
    uint8_t function, minor, bytes;
} grown[] = {{PJRT_CLIENT_CREATE, 61, 88}, {PJRT_OPTIONS, 64, 80}, {PJRT_PROGRAM_LOAD, 71, 64}, {PJRT_OPTIONS, 76, 88},
    {PJRT_OPTIONS, 78, 112}, {PJRT_OPTIONS, 97, 120}};

const char *situ_pjrt_table_fault(const pjrt_table *t, char *text, size_t size)
{
    if (!t) return "GetPjrtApi gives nothing";
    if (t->size < offsetof(pjrt_table, function)) {
        snprintf(text, size, "its table has %zu bytes and no version", t->size);
        return text;
    }
    if (t->version.major != PJRT_MAJOR || t->version.minor < PJRT_OLDEST_MINOR) {
        snprintf(text, size, "it speaks PJRT %d.%d, and situ speaks %d.%d and later ones of %d: take %s version of the plugin",
            t->version.major, t->version.minor, PJRT_MAJOR, PJRT_OLDEST_MINOR, PJRT_MAJOR,
            t->version.major > PJRT_MAJOR ? "an earlier" : "a later");
        return text;
    }
    if (t->size < sizeof *t) {
        snprintf(text, size, "its table has %zu bytes, where PJRT %d.%d has %zu at least", t->size, t->version.major,
            t->version.minor, sizeof *t);
        return text;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].needed && !t->function[functions[i].function]) {
            snprintf(text, size, "its table has no PJRT_%s (function %d)", functions[i].name, functions[i].function);
            return text;
        }
    return NULL;
}

void situ_pjrt_table_sizes(situ_pjrt_plugin *p)
{
    int minor = p->api->version.minor;
    if (minor > LAST_KNOWN_MINOR) return;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) p->bytes[functions[i].function] = functions[i].bytes;
    for (size_t i = 0; i < sizeof grown / sizeof *grown; i++)
        if (minor >= grown[i].minor) p->bytes[grown[i].function] = grown[i].bytes;
}
