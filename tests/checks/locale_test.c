/* All that this program writes comes from the library's text of numbers, so it is the same in every locale.
 * Usage: locale_test FOLDER none|before|later|thread [LOCALE] */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <situ.h>

#include "backend/sim/cluster.h"
#include "base/memory.h"
#include "codegen/group_text.h"
#include "codegen/stable.h"
#include "device/device.h"
#include "support/random_group.h"
#include "train/axis.h"

/* A number of which the program's own printf changes nothing. */
static void put_bits(const char *name, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    printf("%s %016" PRIx64 "\n", name, bits);
}

static void forget(void)
{
    situ_error error;
    situ_error_take(&error);
}

static void put_tensor(const char *name, situ_tensor *t)
{
    char *text = situ_text(t);
    printf("%s %s\n", name, text ? text : situ_error_message());
    free(text);
    forget();
}

static void put_error(const char *name)
{
    printf("%s: %s\n", name, situ_error_code ? situ_error_message() : "no error");
    forget();
}

static void put_file(const char *path, bool text)
{
    FILE *f = fopen(path, "rb");
    uint64_t hash = 14695981039346656037ULL;
    printf("file %s ", path);
    for (int c; f && (c = fgetc(f)) != EOF;) {
        hash = (hash ^ (unsigned char)c) * 1099511628211u;
        if (text) putchar(c);
    }
    printf("%016" PRIx64 "\n", hash);
    if (f) fclose(f);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f)) puts("a file could not be written"), exit(1);
}

static void printing(void)
{
    const float f[4] = {0.1f, -2.5f, 1e-7f, 123456.789f};
    situ_tensor *x = situ_from_host(f, SHAPE(4));
    for (int digits = 0; digits < 18; digits += 17) {
        situ_set_print_digits(digits);
        put_tensor("f32", x);
        put_tensor("f64", situ_div(situ_cast(x, SITU_F64), 3));
        put_tensor("f16", situ_div(situ_cast(x, SITU_F16), 3));
        put_tensor("c64", situ_complex(x, x));
    }
    char *plan = situ_explain(situ_mul(situ_gelu(x), 0.3));
    printf("explain %s\n", plan ? plan : "");
    free(plan);
    situ_arange(0.5, 1.5, 0.0);
    put_error("arange");
    situ_layer_norm(x, NULL, NULL, .eps = -0.5);
    put_error("layer_norm");
    situ_pow(situ_cast(x, SITU_I32), 0.5);
    put_error("number");
}

static void tables(void)
{
    write_text("numbers.csv", "a,b,y\n0.5,1.25,0.5\n-1.5e-3,0x1.8p1,2.75\n3,inf,1e3\n");
    write_text("points.csv", "a;b;y\n0,5;1;0.5\n0.5;2;1.5\n");
    write_text("words.csv", "a,y\n 0.5 ,I\n 1.5 ,i\n");
    situ_dataset *data[3] = {
        situ_csv("numbers.csv"), situ_csv("points.csv", .separator = ";"), situ_csv("words.csv")};
    for (int i = 0; i < 3; i++) {
        if (!data[i]) {
            put_error("csv");
            continue;
        }
        situ_loader *loader = situ_loader_new(data[i], .batch = 3);
        situ_batch all = {.fields = 0};
        situ_loader_start(loader, 0);
        situ_loader_next(loader);
        situ_loader_get(loader, &all);
        for (int k = 0; k < all.fields; k++) put_tensor(i ? "points or words" : "numbers", all.field[k]);
        situ_loader_free(loader);
        situ_dataset_free(data[i]);
    }
}

static void models(void)
{
    situ_module *m = situ_llama(.layers = 1, .width = 8, .heads = 2, .vocabulary = 11, .rope_base = 10000.5, .epsilon = 1.5e-5);
    printf("save %d\n", situ_llama_save(m, "model.safetensors"));
    put_file("model.safetensors", false);
    situ_module *again = situ_llama_open("model.safetensors");
    if (!again) put_error("open");
    const int32_t token[3] = {1, 5, 10};
    put_tensor("model", situ_module_call(m, situ_from_host(token, SHAPE(1, 3))));
    if (again) put_tensor("again", situ_module_call(again, situ_from_host(token, SHAPE(1, 3))));
    printf("bare %d\n", situ_module_save(m, "bare/model.safetensors"));
    write_text("bare/config.json",
        "{\"model_type\": \"llama\", \"num_hidden_layers\": 1, \"hidden_size\": 8, \"num_attention_heads\": 2, "
        "\"num_key_value_heads\": 2, \"intermediate_size\": 32, \"rms_norm_eps\": 1.5e-5, \"rope_theta\": 10000.5, "
        "\"partial_rotary_factor\": 1.0, \"hidden_act\": \"silu\"}");
    situ_module *hugging = situ_llama_open("bare/model.safetensors");
    if (!hugging) put_error("config.json");
    if (hugging) put_tensor("hugging", situ_module_call(hugging, situ_from_host(token, SHAPE(1, 3))));
    static const char gguf[] = "GGUF\3\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0key\6\0\0\0\0\0\40\76\0\0\0\0\0\0\0\0";
    FILE *f = fopen("meta.gguf", "wb");
    if (f) fwrite(gguf, 1, sizeof gguf - 1, f), fclose(f);
    situ_archive *archive = situ_archive_open("meta.gguf");
    if (!archive) put_error("gguf");
    printf("gguf %s\n", archive ? situ_archive_metadata(archive, "key") : "");
    situ_archive_close(archive);
    situ_module_free(m), situ_module_free(again), situ_module_free(hugging);
}

static void onnx(void)
{
    const float f[6] = {0.1f, -2.5f, 1e-3f, 3.5f, -0.25f, 0.75f};
    situ_tensor *x = situ_from_host(f, SHAPE(2, 3));
    situ_module *net = situ_sequential(situ_gelu_layer(), situ_elu_layer(0.3), situ_softplus_layer(), situ_leaky_relu_layer(0.15));
    printf("onnx %d\n", situ_onnx_save(net, "net.onnx", TENSORS(x)));
    put_file("net.onnx", false);
    situ_module *again = situ_onnx_load("net.onnx");
    if (!again) put_error("onnx");
    put_tensor("net", situ_module_call(net, x));
    if (again) put_tensor("read", situ_module_call(again, x));
    situ_module_free(net), situ_module_free(again);
}

/* The JSON of a report and a trace holds times: what stands at each place is told, not how much. */
static void put_form(const char *path)
{
    FILE *f = fopen(path, "rb");
    char line[1 << 16];
    int wrong = 0, lines = 0;
    while (f && fgets(line, sizeof line, f)) {
        for (const char *at = line; (at = strstr(at, "\":")); at += 2) {
            const char *behind = at + 2 + strspn(at + 2, "-+0123456789.e");
            if (behind > at + 2 && *behind == ',' && behind[1] != '"') wrong++;
        }
        lines += strstr(line, "\"ts\":") || strstr(line, "\"lr\":");
    }
    if (f) fclose(f);
    printf("form %s: %d wrong, %s\n", path, wrong, lines ? "some lines" : "no line");
}

static void training(void)
{
    situ_dataset *train, *held_out;
    situ_dataset *digits = situ_digits();
    situ_dataset_split(digits, 0, &train, &held_out, .share = 0.25);
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(16), situ_relu_layer(), situ_dropout_layer(0.125), situ_linear_layer(10));
    situ_optimizer *opt = situ_adam(net, .lr = 0.0015, .beta1 = 0.875, .weight_decay = 0.0125);
    situ_trainer *t = situ_trainer_new(.max_epochs = 2, .clip_norm = 2.5, .report = "run.html", .checkpoint = "run", .plot = "run.svg");
    situ_profile_start(10000);
    if (!t || situ_trainer_fit(t, net, opt, train, held_out)) put_error("fit");
    situ_profile_save("trace.json");
    situ_profile_stop();
    put_bits("loss", situ_trainer_loss(t));
    situ_trainer_save_hyperparameters(t, opt, stdout);
    put_form("run.html");
    put_form("trace.json");
    char words[4096] = "";
    FILE *f = fopen("run.html", "rb");
    while (f && fgets(words, sizeof words, f)) {
        char *lr = strstr(words, "\"lr\":");
        if (lr) printf("%.20s\n", lr);
    }
    if (f) fclose(f);
    situ_trainer_free(t), situ_optimizer_free(opt), situ_module_free(net);
    situ_dataset_free(train), situ_dataset_free(held_out), situ_dataset_free(digits);
}

static void put_kernels(const situ_fused *g)
{
    const situ_dialect *const dialects[] = {&situ_dialect_opencl, &situ_dialect_opencl_cpu, &situ_dialect_cuda};
    for (int i = 0; i < 3; i++) {
        char *text = situ_fused_text(g, "k", dialects[i]);
        printf("%s\n", text ? text : "none");
        situ_free(text);
    }
    situ_stable_kernel k;
    situ_kernel_desc d = {.name = "k", .group = g, .naddress = g->nstore + g->nload, .nargument = g->nword};
    if (situ_stable_kernel_of(&d, &k)) return put_error("stable");
    printf("%s\n", k.body);
    situ_free(k.body);
}

static void kernels(void)
{
    random_state s = {7};
    static const situ_dtype types[] = {SITU_F32, SITU_F64};
    for (int el = 0; situ_el_rows[el].name; el++)
        for (int d = 0; d < 2; d++) {
            if (!situ_el_takes((situ_el)el, types[d])) continue;
            situ_fused g = element_group(&s, (situ_el)el, types[d]);
            put_kernels(&g);
        }
    /* kernels of structured operations, compiled and run, where there is a device with a text */
    situ_device d = situ_num_opencl() ? situ_opencl(0) : situ_cpu();
    situ_tensor *x = situ_uniform(situ_key(3), SHAPE(6, 30), .device = d);
    put_tensor("fft", situ_abs(situ_fft(x)));
    put_tensor("softmax", situ_softmax(situ_mul(x, 0.3), .axis = -1));
    put_tensor("sort", situ_sort(situ_gelu(x)));
}

static void settings(void)
{
    char label[32];
    situ_chart_axis axis = situ_axis_fit(0, 1, 5, true);
    situ_axis_tick(&axis, 1, label, sizeof label);
    printf("tick %s\n", label);
    int64_t bytes = -1;
    bool good = situ_bytes_parse("1.5G", &bytes);
    printf("bytes %d %lld\n", good, (long long)bytes);
    situ_device device = situ_cpu();
    printf("device %d", situ_device_parse("SIM:1", &device));
    printf(" %d %d\n", device.kind, device.index);
    forget();
    situ_cluster *c =
        situ_cluster_read("cards 2\nlink card switch 16.5 GB/s 2.25 us\nlink switch host 0.5 GB/s\n", "cluster", NULL);
    if (!c) return put_error("cluster");
    for (int i = 0; i < c->links; i++) put_bits("bandwidth", c->link[i].bandwidth), put_bits("latency", c->link[i].latency);
    situ_cluster_free(c);
}

static void everything(void)
{
    situ_scope *scope = situ_scope_open();
    printing();
    tables();
    models();
    onnx();
    training();
    kernels();
    settings();
    situ_scope_close(scope);
}

int main(int argc, char **argv)
{
    if (argc < 3 || chdir(argv[1])) return 2;
    const char *mode = argv[2], *locale = argc > 3 ? argv[3] : "de_DE.UTF-8";
    if (!strcmp(mode, "before") && !setlocale(LC_ALL, locale)) return fprintf(stderr, "no locale %s\n", locale), 3;
    locale_t own = !strcmp(mode, "thread") ? newlocale(LC_ALL_MASK, locale, (locale_t)0) : (locale_t)0;
    if (!strcmp(mode, "thread") && (!own || !uselocale(own))) return fprintf(stderr, "no locale %s\n", locale), 3;
    everything();
    if (!strcmp(mode, "later") && !setlocale(LC_ALL, locale)) return fprintf(stderr, "no locale %s\n", locale), 3;
    everything();
    char comma[8];
    snprintf(comma, sizeof comma, "%.1f", 0.5);
    fprintf(stderr, "%c\n", comma[1]); /* the program's own locale is as it was */
    if (own && uselocale((locale_t)0) != own) return fprintf(stderr, "the thread's locale has changed\n"), 4;
    return 0;
}
