/* Tokenizers: the numbers of the package tokenizers (tests/reference, written by tests/release/tokenizer_numbers.py
 * --record), decoding, files that are wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "base/memory.h"
#include "support/each_allocation.h"
#include "support/files.h"
#include "test.h"
#include "places.h"

static char *read_file(const char *path, size_t *size)
{
    static char bytes[1 << 17];
    FILE *f = fopen(path, "rb");
    *size = f ? fread(bytes, 1, sizeof bytes - 1, f) : 0;
    bytes[*size] = 0;
    if (f) fclose(f);
    return bytes;
}

static const char *reference(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/tests/reference/%s", SITU_SOURCE_DIR, name);
    return path;
}

/* The tokens of a text. */
static int64_t encoded(const situ_tokenizer *t, const char *text, int64_t bytes, int32_t *out, int64_t most)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_tokenizer_encode(t, text, .bytes = bytes, .special = true);
    int64_t n = situ_failed() ? -1 : situ_count(x);
    if (n > 0 && n <= most) (situ_read)(x, out, (size_t)n * 4, "test");
    situ_scope_close(scope);
    return n;
}

static void compare(const char *vocabulary, const char *expected, bool decodes)
{
    situ_tokenizer *t = situ_tokenizer_open(reference(vocabulary));
    if (!CHECK(t)) return;
    size_t size;
    int lines = 0;
    for (char *p = read_file(reference(expected), &size), *line; (line = strsep(&p, "\n")) && *line; lines++) {
        char text[1024], back[1024];
        int64_t bytes = 0;
        int32_t token[1024];
        for (; *line != ':'; line += 2) text[bytes++] = (char)strtol((char[]){line[0], line[1], 0}, NULL, 16);
        text[bytes] = 0;
        int64_t n = encoded(t, text, bytes, token, 1024), at = 0;
        for (line++; *line; at++) CHECK(at < n && token[at] == (int32_t)strtol(line, &line, 10));
        CHECK_EQ(at, n);
        if (!decodes || strstr(text, "<|im_end|>") || strstr(text, "<|im_start|>")) continue;
        CHECK_EQ(situ_tokenizer_decode(t, token, n, back, sizeof back), bytes);
        CHECK(!memcmp(back, text, (size_t)bytes));
    }
    CHECK_EQ(lines, 40);
    situ_tokenizer_close(t);
    CHECK_OK();
}

TEST(pairs_are_those_of_the_package) { compare("tokenizer_pairs.json", "tokenizer_pairs.txt", true); }
TEST(words_are_those_of_the_package) { compare("tokenizer_words.json", "tokenizer_words.txt", false); }

static const char lines[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\nwor\n##ld\n,\nthe\n##re\n";

static situ_tokenizer *of_lines(void)
{
    const char *path = test_path("vocab.txt");
    write_file(path, lines, sizeof lines - 1);
    return situ_tokenizer_open(path);
}

TEST_IN_SCOPE(a_vocabulary_of_lines_has_a_frame_and_special_tokens)
{
    situ_tokenizer *t = of_lines();
    int32_t token[16];
    CHECK_EQ(situ_tokenizer_count(t), 10);
    CHECK_EQ(situ_tokenizer_special(t, "pad"), 0);
    CHECK_EQ(situ_tokenizer_special(t, "sep"), 3);
    CHECK_EQ(situ_tokenizer_special(t, "mask"), -1);
    CHECK_EQ(situ_tokenizer_special(t, "mist"), -1);
    CHECK_EQ(situ_tokenizer_find(t, "##ld"), 6);
    CHECK_EQ(situ_tokenizer_find(t, "nobody"), -1);
    situ_tensor *x = situ_tokenizer_encode(t, "H\xc3\xa9llo, w\xc3\xb6rld there x");
    CHECK_EQ(situ_dtype_of(x), SITU_I32);
    CHECK_EQ(situ_count(x), 9);
    (situ_read)(x, token, 36, "test");
    CHECK(!memcmp(token, ((int32_t[]){2, 4, 7, 5, 6, 8, 9, 1, 3}), 36));
    char text[64];
    CHECK_EQ(situ_tokenizer_decode(t, token, 9, text, sizeof text), 19);
    CHECK(!memcmp(text, "hello , world there", 19)); /* special tokens have no text */
    CHECK_EQ(situ_tokenizer_decode(t, token, 9, text, 3), 19);
    /* what looks special is text unless that is asked for */
    CHECK_EQ(situ_count(situ_tokenizer_encode(t, "[SEP]", .frame = false)), 3);
    CHECK_EQ(situ_count(situ_tokenizer_encode(t, "[SEP]", .frame = false, .special = true)), 1);
    CHECK_EQ(situ_count(situ_tokenizer_encode(t, "hello hello hello", .most = 4)), 4);
    CHECK_EQ(situ_count(situ_tokenizer_encode(t, "hello\0hello", .bytes = 11)), 3); /* a zero is left out, as control characters are */
    situ_tensor *both = situ_tokenizer_batch(t, ((const char *const[]){"hello", "the world", ""}), 3);
    CHECK(situ_dim(both, 0) == 3 && situ_dim(both, 1) == 5);
    CHECK_EQ(situ_read(both, token, 60), 0);
    CHECK(!memcmp(token, ((int32_t[]){2, 4, 3, 0, 0, 2, 8, 5, 6, 3, 2, 3, 0, 0, 0}), 60));
    const char *path = test_path("vocab.txt");
    situ_tokenizer *cased = situ_tokenizer_open(path, .lower = false);
    CHECK_EQ(situ_tokenizer_decode(cased, (int32_t[]){4}, 1, text, sizeof text), 5);
    (situ_read)(situ_tokenizer_encode(cased, "Hello hello", .frame = false), token, 8, "test");
    CHECK(token[0] == 1 && token[1] == 4);
    situ_tokenizer_close(cased);
    situ_tokenizer_close(t);
}

TEST(a_word_of_a_megabyte_takes_no_square)
{
    situ_tokenizer *t = situ_tokenizer_open(reference("tokenizer_pairs.json"));
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 1);
    for (int i = 0; i < SIZE; i++) text[i] = "aetinors"[i * 7 % 8];
    text[SIZE] = 0;
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_tokenizer_encode(t, text); /* minutes, were it a square */
    int64_t n = situ_count(x);
    int32_t *token = malloc((size_t)n * 4);
    char *back = malloc(SIZE);
    CHECK(n > SIZE / 4 && n < SIZE);
    CHECK_EQ((situ_read)(x, token, (size_t)n * 4, "test"), 0);
    CHECK_EQ(situ_tokenizer_decode(t, token, n, back, SIZE), SIZE);
    CHECK(!memcmp(text, back, SIZE));
    free(text), free(token), free(back);
    situ_scope_close(scope);
    situ_tokenizer_close(t);
}

TEST(bytes_that_are_no_utf8_come_back)
{
    situ_tokenizer *t = situ_tokenizer_open(reference("tokenizer_pairs.json"));
    uint32_t state = 1;
    for (int k = 0; k < 300; k++) {
        char text[40], back[40];
        int32_t token[80];
        for (int i = 0; i < 40; i++) state = state * 1664525 + 1013904223, text[i] = (char)(state >> 24);
        int64_t n = encoded(t, text, 40, token, 80);
        CHECK(n > 0 && situ_tokenizer_decode(t, token, n, back, 40) == 40 && !memcmp(text, back, 40));
    }
    situ_tokenizer_close(t);
    CHECK_EQ(situ_text_whole("a\xc3\xa9"), 3);
    CHECK_EQ(situ_text_whole("a\xc3"), 1);
    CHECK_EQ(situ_text_whole("\xf0\x9f\x91"), 0);
    CHECK_EQ(situ_text_whole("\xf0\x9f\x91\x8d"), 4);
    CHECK_EQ(situ_text_whole("a\x80\x80"), 3);
    CHECK_EQ(situ_text_whole(NULL), 0);
}

/* The message of opening a tokenizer.json in which one text is replaced by another. */
static const char *changed(const char *vocabulary, const char *old, const char *new)
{
    static situ_error error;
    size_t size;
    char *text = read_file(reference(vocabulary), &size), *at = strstr(text, old);
    if (!CHECK(at)) return "";
    char *bytes = malloc(size + strlen(new) + 1);
    size_t front = (size_t)(at - text), n = front;
    memcpy(bytes, text, front);
    memcpy(bytes + n, new, strlen(new)), n += strlen(new);
    memcpy(bytes + n, at + strlen(old), size - front - strlen(old)), n += size - front - strlen(old);
    const char *path = test_path("changed.json");
    write_file(path, bytes, n);
    free(bytes);
    error = (situ_error){.code = 0};
    situ_tokenizer *t = situ_tokenizer_open(path);
    situ_error_take(&error);
    CHECK((t == NULL) == (error.code != 0));
    situ_tokenizer_close(t);
    return error.code ? error.message : "";
}

#define REFUSED(vocabulary, old, new, words) CHECK(strstr(changed(vocabulary, old, new), words))

TEST(what_is_not_known_is_refused_by_name)
{
    const char *pairs = "tokenizer_pairs.json", *words = "tokenizer_words.json";
    REFUSED(pairs, "\\\\p{N}{1,3}", "\\\\p{N}{1,4}", "its pre_tokenizer is \"(?i:'s|");
    REFUSED(pairs, "\"type\":\"BPE\"", "\"type\":\"Unigram\"", "its model is \"Unigram\", which is not known here");
    REFUSED(pairs, "\"byte_fallback\":false", "\"byte_fallback\":true", "byte_fallback");
    REFUSED(pairs, "\"normalizer\":null", "\"normalizer\":{\"type\":\"NFC\"}", "its normalizer is \"NFC\"");
    REFUSED(pairs, "\"post_processor\":null", "\"post_processor\":{\"type\":\"Strange\"}", "its post_processor is \"Strange\"");
    REFUSED(pairs, "\"single_word\":false", "\"single_word\":true", "single_word");
    REFUSED(pairs, "\"Isolated\"", "\"Removed\"", "Split with another behavior than Isolated");
    REFUSED(pairs, "\"invert\":false", "\"invert\":true", "Split with invert");
    REFUSED(pairs, "{\"type\":\"Split\"", "{\"type\":\"ByteLevel\",\"add_prefix_space\":false},{\"type\":\"Digits\",\"individual_digits\":true},{\"type\":\"Split\"",
        "Digits after ByteLevel");
    REFUSED(pairs, "\"continuing_subword_prefix\":null", "\"continuing_subword_prefix\":\"##\"", "BPE with continuing_subword_prefix");
    REFUSED(words, "\"max_input_chars_per_word\":100", "\"max_input_chars_per_word\":50", "max_input_chars_per_word");
    REFUSED(words, "{\"type\":\"BertPreTokenizer\"}", "null", "its pre_tokenizer is \"none for WordPiece\"");
    REFUSED(words, "\"normalized\":false", "\"normalized\":true", "normalized, where texts are lowered");
    REFUSED(words, "\"strip_accents\":null", "\"strip_accents\":false", "strip_accents");
    REFUSED(words, "\"BertPreTokenizer\"", "\"Whitespace\"", "Whitespace");
    REFUSED(words, "\"id\":\"[CLS]\"", "\"id\":\"[KLS]\"", "\"[KLS]\" is put around texts, but is no token");
    REFUSED(words, "\"[MASK]\":4", "\"[MASK]\":4000000", "most of its numbers have no token");
    REFUSED(words, "\"[MASK]\":4", "\"[MASK]\":-4", "tokenizer");
    REFUSED(words, "\"[MASK]\":4", "\"[MASK]\":9223372036854775807", "most of its numbers have no token");
    REFUSED(words, "\"id\":4,", "", "an added token has no content or no id");
    REFUSED(pairs, "{", "{\"x\" 1", "");
    CHECK_STR(changed(words, "\"strip_accents\":null", "\"strip_accents\":true"), "");
    const char *path = test_path("none.txt");
    write_file(path, "a\nb\n", 4);
    CHECK_FAILS(SITU_BAD_FORMAT, situ_tokenizer_open(path), "no line is [UNK]");
    CHECK_FAILS(SITU_IO, situ_tokenizer_open("/nowhere"));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_tokenizer_open(NULL), "no file is named");
}

TEST_IN_SCOPE(wrong_use_says_what_is_wrong)
{
    situ_tokenizer *t = of_lines();
    struct {
        situ_tensor *x;
        const char *words;
    } wrong[] = {{situ_tokenizer_encode(NULL, "x"), "situ_tokenizer_encode: the tokenizer is NULL"}};
    CHECK(strstr(situ_error_message(), wrong[0].words));
    situ_error_take(NULL);
#define WRONG(call, words) ((void)(call), CHECK(strstr(situ_error_message(), words)), situ_error_take(NULL))
    WRONG(situ_tokenizer_encode(t, NULL), "the text is NULL");
    WRONG(situ_tokenizer_encode(t, "x", .most = -1), "most is negative");
    WRONG(situ_tokenizer_encode(t, "x", .most = 1), "most = 1, and what the file puts around a text has 2 tokens");
    WRONG(situ_tokenizer_batch(t, ((const char *const[]){"x"}), 0), "there is no text");
    WRONG(situ_tokenizer_batch(t, ((const char *const[]){"x", NULL}), 2), "text 1 is NULL");
    WRONG(situ_tokenizer_batch(t, ((const char *const[]){"x"}), 1, .bytes = 1), "bytes is for a single text");
    WRONG(situ_tokenizer_decode(t, (int32_t[]){4, 10}, 2, NULL, 0), "token 1 is 10; the vocabulary has 10");
    WRONG(situ_tokenizer_decode(t, (int32_t[]){-1}, 1, NULL, 0), "token 0 is -1");
    WRONG(situ_tokenizer_decode(t, NULL, 1, NULL, 0), "are NULL");
    WRONG(situ_tokenizer_decode(NULL, NULL, 0, NULL, 0), "the tokenizer is NULL");
    situ_tokenizer_close(t);
    WRONG(situ_tokenizer_encode(t, "x"), "tokenizer");
    CHECK_EQ(situ_tokenizer_count(NULL), 0);
    situ_error_take(NULL);
    situ_tokenizer_close(NULL);
}

TEST(no_memory_is_a_clean_error)
{
    situ_tokenizer *t;
    for (failing f = {0}; fails_next(&f);) {
        t = situ_tokenizer_open(reference("tokenizer_pairs.json"));
        fails_end(&f, t != NULL);
        situ_tokenizer_close(t);
    }
    t = situ_tokenizer_open(reference("tokenizer_pairs.json"));
    for (int k = 1; k < 12; k++) {
        situ_scope *scope = situ_scope_open();
        situ_test_fail_alloc(k);
        situ_tokenizer_encode(t, "some words that are merged");
        situ_test_fail_alloc(0);
        int code = situ_error_take(NULL);
        CHECK(!code || code == SITU_NO_MEMORY);
        situ_scope_close(scope);
    }
    situ_tokenizer_close(t);
}
