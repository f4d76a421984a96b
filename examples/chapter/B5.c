/* B5: every way to write a device is read; one is written. */
#include "chapter.h"

int row_B5(void)
{
    static const char *const text[][2] = {
        {"cpu", "cpu(0)"},          {"cuda", "gpu(0)"},           {"cuda:1", "gpu(1)"}, {"gpu(1)", "gpu(1)"},
        {"/GPU:0", "gpu(0)"},       {"/device:CPU:0", "cpu(0)"},  {"tpu:0", "tpu(0)"},
        {"/job:localhost/replica:0/task:0/device:CPU:0", "cpu(0)"},
        {"/job:localhost/replica:0/task:0/device:GPU:1", "gpu(1)"},
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        situ_device d;
        char name[32] = "";
        if (!situ_device_parse(text[i][0], &d)) situ_device_name(d, name);
        printf("%-46s %s\n", text[i][0], name);
        if (strcmp(name, text[i][1])) row_holds(false, text[i][0]);
    }
    situ_device d;
    HOLDS(situ_device_parse("graphics card", &d) < 0);
    HOLDS(REFUSED(SITU_BAD_ARGUMENT, "graphics card"));
    return row_end();
}
