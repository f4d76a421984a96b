/* Strings that mean the same in every locale: numbers with a decimal point, ASCII letters.
 *
 * The host program may set a locale with a decimal comma at any time, also for one thread (uselocale). printf and
 * strtod of the C library follow it, and so do isalpha, tolower and strcasecmp; strerror and dlerror answer in its
 * language. So the rest of the library never calls those for floating-point numbers, letters or error reasons
 * (tests/tree/plain.py). */
#ifndef SITU_OS_PLAIN_H
#define SITU_OS_PLAIN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <situ/macros.h>

/* Parses the number at the start of the text like strtod in the C locale. *end (unless end is NULL) is set to what
 * follows it. */
double situ_plain_number(const char *text, char **end);

/* snprintf, vsnprintf, fprintf and vfprintf in the C locale. */
int situ_plain_format(char *out, size_t size, const char *format, ...) SITU_PRINTF(3, 4);
int situ_plain_list(char *out, size_t size, const char *format, va_list values) SITU_PRINTF(3, 0);
int situ_plain_print(FILE *file, const char *format, ...) SITU_PRINTF(2, 3);
int situ_plain_print_list(FILE *file, const char *format, va_list values) SITU_PRINTF(2, 0);

/* Writes the value with the fewest digits, but at least `least` (1 to 17), that read back as the same value. */
enum { SITU_SHORTEST = 32 };
void situ_plain_shortest(char text[static SITU_SHORTEST], int least, double value);

/* strerror and dlerror in the C locale: English, whatever LC_MESSAGES says. */
const char *situ_plain_reason(int code);
const char *situ_plain_library_reason(void);

/* Character classes of ASCII. No byte above 127 is a letter, a digit or a blank. */
static inline bool situ_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool situ_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static inline bool situ_is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline char situ_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Whether two words (or their first n bytes) differ in more than the case of ASCII letters. */
bool situ_differ_without_case(const char *a, const char *b);
bool situ_beginnings_differ(const char *a, const char *b, size_t n);

#endif
