/* Elementwise kernels give the same bits with every instruction set and as generated text, for random bit patterns of
 * each operation and dtype; also for array ends and in place; nothing is written beyond the end. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend/cpu/tiles/tile.h"
#include "codegen/text_op.h"
#include "support/compile_text.h"
#include "support/elementwise_operands.h"

enum { ROUNDS = 200, MOST = 1100, PAD = 64 };

static char operand[3][(MOST + PAD) * 8], first[(MOST + PAD) * 8], second[(MOST + PAD) * 8];

static void draw_operands(situ_el op, situ_dtype d, int n, uint64_t *state)
{
    for (int i = 0; i < situ_el_rows[op].arity; i++) {
        situ_dtype di = operand_dtype(op, d, i);
        for (int k = 0; k < n; k++) draw_operand(op, di, state, operand[i] + (size_t)k * situ_dtype_size(di));
    }
}

/* Reports the first element that differs; true if none does. */
static bool compare(situ_el op, situ_dtype d, int n, const char *a_name, const char *b_name)
{
    situ_dtype r = situ_el_result(op, d);
    size_t size = situ_dtype_size(r);
    char text[5][64];
    for (int k = 0; k < n; k++) {
        if (same_bits(r, first + (size_t)k * size, second + (size_t)k * size)) continue;
        printf("  %s of %s at %d of %d: %s gives %s, %s gives %s, for", situ_el_rows[op].name, situ_dtype_name(d), k, n, a_name,
               element_text(r, first + (size_t)k * size, text[0], 64), b_name,
               element_text(r, second + (size_t)k * size, text[1], 64));
        for (int i = 0; i < situ_el_rows[op].arity; i++) {
            situ_dtype di = operand_dtype(op, d, i);
            printf(" %s", element_text(di, operand[i] + (size_t)k * situ_dtype_size(di), text[2 + i], 64));
        }
        printf("\n");
        return false;
    }
    return true;
}

/* Some 200,000 elements of one operation: fn against other. */
static bool agree(situ_el op, situ_dtype d, situ_tile_fn fn, situ_tile_fn other, const char *fn_name, const char *other_name)
{
    uint64_t state = 0x9e3779b97f4a7c15u * (unsigned)(op + 1) + (unsigned)d;
    for (int round = 0; round < ROUNDS; round++) {
        int n = round < 40 ? round : MOST - (int)(draw(&state) % 70);
        draw_operands(op, d, n, &state);
        fn(first, operand[0], operand[1], operand[2], n);
        other(second, operand[0], operand[1], operand[2], n);
        if (!compare(op, d, n, fn_name, other_name)) return false;
    }
    return true;
}

static void agree_everywhere(const char *name)
{
    const situ_tiles *base = situ_tiles_named("baseline"), *tiles = situ_tiles_named(name);
    if (!tiles) SKIP("this machine lacks the instructions");
    for (int op = 0; op < SITU_EL_COUNT; op++)
        for (int i = 0; i < COMPUTE_DTYPES; i++) {
            situ_dtype d = compute_dtypes[i];
            CHECK_EQ(tiles->op[op][d] != NULL, situ_el_takes((situ_el)op, d));
            CHECK_EQ(base->op[op][d] != NULL, situ_el_takes((situ_el)op, d));
            if (base->op[op][d]) CHECK(agree((situ_el)op, d, base->op[op][d], tiles->op[op][d], "baseline", name));
        }
}

TEST(avx2_has_the_bits_of_the_baseline) { agree_everywhere("avx2"); }
TEST(avx512_has_the_bits_of_the_baseline) { agree_everywhere("avx512"); }

/* ---------------------------------------------------------------- tails and work in place */

TEST(nothing_is_written_past_the_end)
{
    const char *names[] = {"baseline", "avx2", "avx512"};
    uint64_t state = 7;
    for (int set = 0; set < 3; set++) {
        const situ_tiles *tiles = situ_tiles_named(names[set]);
        for (int op = 0; tiles && op < SITU_EL_COUNT; op++)
            for (int i = 0; i < COMPUTE_DTYPES; i++) {
                situ_dtype d = compute_dtypes[i];
                situ_tile_fn fn = tiles->op[op][d];
                size_t size = situ_dtype_size(situ_el_result((situ_el)op, d));
                for (int n = 0; fn && n < 70; n++) {
                    draw_operands((situ_el)op, d, n, &state);
                    memset(first, 0x5a, sizeof first);
                    fn(first, operand[0], operand[1], operand[2], n);
                    bool whole = true;
                    for (size_t k = (size_t)n * size; k < (size_t)n * size + PAD; k++) whole &= first[k] == 0x5a;
                    CHECK(whole);
                }
            }
    }
}

TEST(results_may_replace_an_operand)
{
    const situ_tiles *tiles = situ_tiles_best();
    uint64_t state = 8;
    for (int op = 0; op < SITU_EL_COUNT; op++)
        for (int i = 0; i < COMPUTE_DTYPES; i++)
            for (int place = 0; place < situ_el_rows[op].arity; place++) {
                situ_dtype d = compute_dtypes[i], r = situ_el_result((situ_el)op, d);
                if (!tiles->op[op][d]) continue;
                if (situ_dtype_size(r) != situ_dtype_size(operand_dtype((situ_el)op, d, place))) continue;
                draw_operands((situ_el)op, d, 1000, &state);
                tiles->op[op][d](first, operand[0], operand[1], operand[2], 1000);
                memcpy(second, operand[place], sizeof second);
                char *in[3] = {operand[0], operand[1], operand[2]};
                in[place] = second;
                tiles->op[op][d](second, in[0], in[1], in[2], 1000);
                CHECK(compare((situ_el)op, d, 1000, "a separate result", "a result in place"));
            }
}

/* ---------------------------------------------------------------- generated text */

/* A loop for each operation and dtype, in the shape of a tile kernel: tile_<dtype>_<name>. */
static char *all_text(void)
{
    enum { SIZE = 1 << 19 };
    char *text = malloc(SIZE), line[2048];
    size_t length = 0;
    for (int i = 0; text && text_c[i]; i++) length += (size_t)snprintf(text + length, SIZE - length, "%s", text_c[i]);
    for (int op = 0; text && op < SITU_EL_COUNT; op++)
        for (int i = 0; i < COMPUTE_DTYPES; i++) {
            situ_dtype d = compute_dtypes[i];
            const char *t = situ_dtype_name(d), *r = situ_dtype_name(situ_el_result((situ_el)op, d)), *name = situ_el_rows[op].name;
            const char *ta = situ_dtype_name(operand_dtype((situ_el)op, d, 0));
            int n = situ_text_op(line, sizeof line, (situ_el)op, d), arity = situ_el_rows[op].arity;
            if (n < 0) continue;
            CHECK((size_t)n < sizeof line);
            length += (size_t)snprintf(
                text + length, SIZE - length,
                "%svoid tile_%s_%s(%s_F *o, const %s_F *a, const %s_F *b, const %s_F *c, int n)\n"
                "{ for (int i = 0; i < n; i++) o[i] = %s_%s_op(a[i]%s%s); }\n",
                line, t, name, r, ta, t, t, t, name, arity > 1 ? ", b[i]" : "", arity > 2 ? ", c[i]" : "");
            CHECK(length < SIZE);
        }
    return text;
}

TEST(compiled_text_has_the_bits_of_the_kernels)
{
    if (!have_compiler()) SKIP("no C compiler here");
    char *text = all_text();
    void *library = text ? compile_text(text, "elementwise") : NULL;
    free(text);
    for (int op = 0; library && op < SITU_EL_COUNT; op++)
        for (int i = 0; i < COMPUTE_DTYPES; i++) {
            situ_dtype d = compute_dtypes[i];
            char name[80];
            if (!situ_el_takes((situ_el)op, d)) continue;
            snprintf(name, sizeof name, "tile_%s_%s", situ_dtype_name(d), situ_el_rows[op].name);
            void *symbol = dlsym(library, name);
            situ_tile_fn fn = NULL;
            memcpy(&fn, &symbol, sizeof fn);
            if (CHECK(fn != NULL))
                CHECK(agree((situ_el)op, d, situ_tiles_best()->op[op][d], fn, situ_tiles_best()->name, "the compiled text"));
        }
    if (library) dlclose(library);
}

/* ---------------------------------------------------------------- the language of values */

static bool in_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool in_vocabulary(const char *word, size_t n)
{
    for (const char *line = situ_text_vocabulary; (line = strstr(line, "#define ")); line += 8)
        if (!strncmp(line + 8, word, n) && line[8 + n] == ' ') return true;
    return false;
}

TEST(values_use_the_vocabulary_alone)
{
    for (int op = 0; op < SITU_EL_COUNT; op++) {
        const char *value = situ_el_rows[op].value;
        CHECK(strpbrk(value, "?:~") == NULL);
        for (const char *p = value; *p;) {
            size_t n = 0;
            while (in_word(p[n])) n++;
            if (*p == '!') CHECK(p[1] == '=');
            if (n && !(*p >= '0' && *p <= '9') && !(n == 1 && *p >= 'A' && *p <= 'C')) {
                if (!CHECK(in_vocabulary(p, n))) printf("  in %s: %.*s\n", situ_el_rows[op].name, (int)n, p);
                CHECK(p[n] == '(');
            }
            p += n ? n : 1;
        }
    }
}
