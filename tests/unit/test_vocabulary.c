/* Vocabularies of texts: to files and back, and files that are none. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <situ.h>

#include "base/memory.h"
#include "support/each_allocation.h"
#include "support/files.h"
#include "test.h"

static const char *text_of(const char *path)
{
    static char text[4096];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    return text;
}

/* Both give the same numbers to this text, and its bytes back. */
static void same_numbers(const situ_dataset *a, const situ_dataset *b, const char *text)
{
    int32_t x[64], y[64];
    char out[64];
    CHECK_EQ(situ_dataset_classes(a), situ_dataset_classes(b));
    for (int i = 0; i < situ_dataset_classes(a); i++) CHECK_STR(situ_dataset_token(a, i), situ_dataset_token(b, i));
    int64_t n = situ_dataset_encode(a, text, x, 64), m = situ_dataset_encode(b, text, y, 64);
    CHECK(n > 0 && n <= 64 && n == m && !memcmp(x, y, (size_t)n * sizeof *x));
    CHECK_EQ(situ_dataset_decode(a, x, n, out, 64), situ_dataset_decode(b, y, m, out, 64));
}

TEST(letters_keep_their_numbers_in_another_program)
{
    static const char text[] = "a \\b\tc\n\xc3\xa9 \x01\xff\r.";
    const char *path = file_of("letters.txt", text, sizeof text - 1), *file = test_path("letters.vocabulary");
    situ_dataset *data = situ_text_dataset(path, 4, .stride = 1);
    CHECK_EQ(situ_dataset_save_vocabulary(data, file), 0);
    CHECK_STR(text_of(file), "situ vocabulary 1 characters 12\n\\x01\n\\t\n\\n\n\\r\n\\x20\n.\n\\\\\na\nb\nc\n\xc3\xa9\n\\xff\n");
    situ_dataset *back = situ_vocabulary_dataset(file);
    CHECK_EQ(situ_dataset_count(back), 0);
    same_numbers(data, back, text);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dataset_encode(back, "z", NULL, 0), "\"z\" is not in the vocabulary");
    const char *other = file_of("other.txt", "cab.abc", 7);
    situ_dataset *later = situ_text_dataset(other, 3, .vocabulary = file, .stride = 1);
    same_numbers(data, later, text);
    situ_loader *loader = situ_loader_new(later, .batch = 4);
    situ_tensor *x, *y;
    int32_t id[4][3], want[8];
    situ_scope *scope = situ_scope_open();
    situ_loader_next(loader);
    situ_loader_batch(loader, &x, &y);
    situ_read(x, id, sizeof id);
    CHECK_EQ(situ_dataset_encode(data, "cab.abc", want, 8), 7);
    for (int i = 0; i < 4; i++) CHECK(!memcmp(id[i], want + i, sizeof id[i]));
    situ_scope_close(scope);
    situ_loader_free(loader);
    CHECK(!situ_text_dataset(file_of("foreign.txt", "abcxy", 5), 3, .vocabulary = file) &&
        strstr(situ_error_message(), "foreign.txt: \"x\" is not in the vocabulary, which has no token for others"));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_dataset_free(later);
    situ_dataset_free(back);
    situ_dataset_free(data);
}

TEST(words_and_pairs_keep_their_numbers_too)
{
    const char *path = file_of("words.txt", "the whale, the sea the sea whale whale", 38), *file = test_path("words.vocabulary");
    int32_t id[8];
    situ_dataset *data = situ_text_dataset(path, 2, .words = true, .most = 4);
    CHECK_EQ(situ_dataset_save_vocabulary(data, file), 0);
    CHECK_STR(text_of(file), "situ vocabulary 1 words 4\n\nsea\nthe\nwhale\n");
    situ_dataset *back = situ_vocabulary_dataset(file), *later = situ_text_dataset(path, 2, .vocabulary = file);
    same_numbers(data, back, "the whale, the ship");
    same_numbers(data, later, "the whale, the ship");
    CHECK(situ_dataset_encode(back, "sea ship", id, 8) == 2 && id[0] == 1 && id[1] == 0);
    situ_dataset_free(back);
    situ_dataset_free(later);
    situ_dataset_free(data);
    static const char bytes[] = "low lower lowest\0 \xff\xfe low low";
    data = situ_text_dataset(file_of("pairs.txt", bytes, sizeof bytes - 1), 2, .pairs = true, .most = 260, .stride = 1);
    CHECK_EQ(situ_dataset_save_vocabulary(data, file), 0);
    CHECK_STR(text_of(file), "situ vocabulary 1 pairs 4\n108 111 lo\n256 119 low\n32 257 \\x20low\n258 101 \\x20lowe\n");
    back = situ_vocabulary_dataset(file);
    later = situ_text_dataset(file_of("more.txt", "slow lower\0\xff", 12), 2, .vocabulary = file, .pairs = true);
    same_numbers(data, back, "low slow lowest\xff");
    same_numbers(data, later, "low slow lowest\xff");
    situ_dataset_free(back);
    situ_dataset_free(later);
    situ_dataset_free(data);
}

TEST(files_that_are_no_vocabulary_say_their_line)
{
    const struct {
        const char *text, *words;
    } cases[] = {{"", "is no vocabulary of situ"}, {"situ vocabulary 2 words 1\na\n", "is no vocabulary of situ"},
        {"situ vocabulary 1 syllables 1\na\n", "line 1: a kind, characters, words or pairs, and a count"},
        {"situ vocabulary 1 words -1\na\n", "line 1: a kind"}, {"situ vocabulary 1 words 1 \na\n", "line 1: a kind"},
        {"situ vocabulary 1 words 0\n", "line 1: a kind"}, {"situ vocabulary 1 pairs 65281\n", "line 1: a kind"},
        {"situ vocabulary 1 words 99999999999999999999\na\n", "line 1: a kind"},
        {"situ vocabulary 1 words 2000000000\na\n", "line 1: there are fewer lines; it is cut"},
        {"situ vocabulary 1 words 2\na\n", "line 3: the file ends here; it is cut"},
        {"situ vocabulary 1 words 2\na\nb", "line 3: the file ends here; it is cut"},
        {"situ vocabulary 1 words 2\na\nb\nc\n", "line 4: more tokens than the first line says"},
        {"situ vocabulary 1 words 2\na\na\n", "line 3: the token of the line before"},
        {"situ vocabulary 1 words 2\nb\na\n", "line 3: tokens are in the order of their bytes"},
        {"situ vocabulary 1 words 2\na\n\n", "line 3: an empty token stands for others"},
        {"situ vocabulary 1 words 1\na b\n", "line 2: more than one word"}, {"situ vocabulary 1 words 1\n\\x20\n", "line 2: more than one word"},
        {"situ vocabulary 1 characters 1\nab\n", "line 2: more than one character"},
        {"situ vocabulary 1 characters 1\na\r\n", "line 2: a control character"}, {"situ vocabulary 1 characters 1\n\\q\n", "line 2: an unknown escape"},
        {"situ vocabulary 1 characters 1\n\\\n", "line 2: an unknown escape"}, {"situ vocabulary 1 characters 1\n\\x2\n", "line 2: \\x without two digits"},
        {"situ vocabulary 1 characters 1\n\\xG0\n", "line 2: \\x without"}, {"situ vocabulary 1 characters 1\n\\x00\n", "line 2: a zero byte"},
        {"situ vocabulary 1 pairs 1\n97 98\n", "line 2: two numbers and a text"}, {"situ vocabulary 1 pairs 1\nab\n", "line 2: two numbers and a text"},
        {"situ vocabulary 1 pairs 1\n97 -98 ab\n", "line 2: two numbers"}, {"situ vocabulary 1 pairs 1\n97 256 ab\n", "line 2: a pair is of tokens that are there already"},
        {"situ vocabulary 1 pairs 1\n97 99 ab\n", "line 2: the text is not that of the two tokens"},
        {"situ vocabulary 1 pairs 2\n97 98 ab\n97 98 ab\n", "the pair 97 98 is there twice"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = file_of("wrong.vocabulary", cases[i].text, strlen(cases[i].text));
        CHECK(!situ_vocabulary_dataset(path));
        if (!CHECK(strstr(situ_error_message(), cases[i].words))) printf("%s: %s\n", cases[i].text, situ_error_message());
        CHECK_CODE(SITU_BAD_FORMAT);
    }
}

TEST(vocabularies_are_asked_for_what_they_are)
{
    const char *path = file_of("some.txt", "some text", 9), *file = test_path("some.vocabulary");
    situ_dataset *data = situ_text_dataset(path, 2), *digits = situ_digits();
    CHECK_EQ(situ_dataset_save_vocabulary(data, file), 0);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dataset_save_vocabulary(digits, file), "the data set has no vocabulary");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dataset_save_vocabulary(data, NULL), "no file is named");
    CHECK_FAILS(SITU_IO, situ_dataset_save_vocabulary(data, "/dev/full"), "No space left");
    CHECK_FAILS(SITU_BAD_OPTION, situ_text_dataset(path, 2, .vocabulary = file, .words = true), "is not one of words");
    CHECK_FAILS(SITU_BAD_OPTION, situ_text_dataset(path, 2, .vocabulary = file, .most = 9), "not for one of a file");
    const char *strange = file_of("strange.txt", "some\ntext \r", 11);
    CHECK(!situ_text_dataset(strange, 2, .vocabulary = file) &&
        strstr(situ_error_message(), "strange.txt: \"\\n\" is not in the vocabulary, which has no token for others: line 1; .most makes one"));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    CHECK(situ_dataset_encode(data, "some \xe2\x82\xac", NULL, 0) < 0 &&
        strstr(situ_error_message(), "byte 5: \"\xe2\x82\xac\" is not in the vocabulary of") && strstr(situ_error_message(), "; .most makes"));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dataset_encode(data, "so\x01", NULL, 0), "\"\\x01\" is not in the vocabulary");
    situ_dataset *words = situ_text_dataset(path, 1, .words = true);
    CHECK(situ_dataset_encode(words, "awordofmorethanthirtyninebytesendswith\xc3\xa9\xc3\xa9", NULL, 0) < 0 &&
        strstr(situ_error_message(), "\"awordofmorethanthirtyninebytesendswith\xc3\xa9...\" is not"));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_dataset_free(words);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_text_dataset(path, 0), "some.txt: windows of 0 elements");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_text_dataset(path, 9), "some.txt has 9 elements; a window of 9 and");
    CHECK(!situ_vocabulary_dataset(file_of("crlf", "situ vocabulary 1 words 1\r\na\r\n", 30)) &&
        strstr(situ_error_message(), "line 1: it ends in \\r\\n"));
    CHECK_CODE(SITU_BAD_FORMAT);
    CHECK_FAILS(SITU_IO, situ_vocabulary_dataset(test_path("none")), "No such file");
    situ_dataset *letters = situ_vocabulary_dataset(file);
    situ_loader *loader = situ_loader_new(letters);
    CHECK(!loader || situ_loader_next(loader) <= 0);
    situ_error_take(NULL);
    situ_loader_free(loader);
    situ_dataset_free(letters);
    situ_dataset_free(digits);
    situ_dataset_free(data);
    for (failing f = {0}; fails_next(&f);) {
        data = situ_text_dataset(path, 2, .vocabulary = file);
        fails_end(&f, data != NULL);
        situ_dataset_free(data);
    }
}
