#define _GNU_SOURCE
#include "base/memory.h"
#include "support/settled.h"
#include "test.h"
#include "train/board.h"
#include "train/canvas.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <situ/error.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { SCREEN_ROWS = 24, SCREEN_COLUMNS = 80 };

/* Everything a board writes to a pipe-like stream. */
static void plain_board(char *text, size_t size)
{
    FILE *file = fmemopen(text, size, "w");
    situ_board *board = situ_board_open(file, "digits", 3);
    CHECK(board != NULL);
    CHECK_EQ(situ_board_note(board, "starting"), 0);
    for (int epoch = 1; epoch <= 2; epoch++) {
        CHECK_EQ(situ_board_add(board, "train loss", epoch - 0.5, 9), 0);
        CHECK_EQ(situ_board_add(board, "train loss", epoch, 1.0 / epoch), 0);
        CHECK_EQ(situ_board_add(board, "accuracy", epoch, 1 - 0.125 / epoch), 0);
        CHECK_EQ(situ_board_note(board, epoch == 1 ? "epoch 1" : "epoch 2"), 0);
    }
    situ_board_close(board);
    fclose(file);
}

TEST(a_line_per_note_without_a_terminal)
{
    char text[1024] = "";
    plain_board(text, sizeof text);
    CHECK_STR(text, "starting\n"
                    "epoch 1   train loss 1   accuracy 0.875\n"
                    "epoch 2   train loss 0.5   accuracy 0.9375\n");
}

TEST(silent_boards_collect)
{
    situ_board *board = situ_board_open(NULL, NULL, 0);
    for (int i = 0; i < 1000; i++) CHECK_EQ(situ_board_add(board, "loss", i, i * 0.5), 0);
    CHECK_EQ(situ_board_add(board, "other", 1, 2), 0);
    CHECK_EQ(situ_board_note(board, NULL), 0);
    const situ_series *series;
    CHECK_EQ(situ_board_series(board, &series), 2);
    CHECK_STR(series[0].name, "loss");
    CHECK_EQ(series[0].count, 1000);
    CHECK(series[0].x[999] == 999 && series[0].y[999] == 499.5);
    CHECK_STR(series[1].name, "other");
    situ_board_close(board);
}

/* A minimal terminal that understands what the board writes: line feeds, cursor up, erase to the end of line and
 * screen, colours. */
typedef struct screen {
    uint32_t cells[SCREEN_ROWS][SCREEN_COLUMNS];
    int row, column, lowest, colours;
} screen;

static void obey(screen *s, int count, char command)
{
    if (command == 'A') s->row = s->row > count ? s->row - count : 0;
    else if (command == 'K')
        memset(&s->cells[s->row][s->column], 0, sizeof s->cells[0][0] * (size_t)(SCREEN_COLUMNS - s->column));
    else if (command == 'J')
        memset(&s->cells[s->row][s->column], 0, sizeof s->cells[0][0] * (size_t)(SCREEN_COLUMNS - s->column));
    else if (command == 'm') s->colours++;
    else CHECK(!"a sequence that the test's terminal knows");
}

static void show(screen *s, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '\n') s->row++, s->column = 0;
        else if (*c == '\r') s->column = 0;
        else if (*c == 27) {
            char *end;
            int count = (int)strtol((const char *)c + 2, &end, 10);
            obey(s, count, *end);
            c = (const unsigned char *)end;
        } else if ((*c & 0xc0) != 0x80) {
            uint32_t code =
                *c < 0x80 ? *c : (uint32_t)(c[0] & 15) << 12 | (uint32_t)(c[1] & 63) << 6 | (uint32_t)(c[2] & 63);
            if (!CHECK(s->row < SCREEN_ROWS && s->column < SCREEN_COLUMNS - 1)) return; /* never wraps or scrolls */
            s->cells[s->row][s->column++] = code;
        }
        if (s->row > s->lowest) s->lowest = s->row;
    }
}

/* The other end of a pseudo-terminal: collects everything that arrives until the board closes its end. */
typedef struct terminal {
    int end;
    size_t used;
    char text[1 << 18];
} terminal;

static void *receive(void *argument)
{
    terminal *t = argument;
    ssize_t length;
    while (t->used < sizeof t->text - 1 &&
           (length = read(t->end, t->text + t->used, sizeof t->text - 1 - t->used)) > 0) {
        t->used += (size_t)length;
    }
    t->text[t->used] = 0;
    return NULL;
}

static void train_a_little(FILE *file)
{
    setenv("TERM", "xterm", 1);
    situ_board *board =
        situ_board_open(file, "digits, with a title that is much longer than the width of this terminal is", 10);
    for (int epoch = 1; epoch <= 5; epoch++) {
        CHECK_EQ(situ_board_add(board, "train loss", epoch, 2.3 * exp(-epoch)), 0);
        CHECK_EQ(situ_board_add(board, "accuracy", epoch, 1 - exp(-epoch)), 0);
        if (epoch == 5) CHECK_EQ(situ_board_note(board, "epoch 5 of 10"), 0);
    }
    situ_board_close(board);
}

/* Runs a small training on a pseudo-terminal and shows what it wrote; false where there are none. */
static bool terminal_board(screen *s)
{
    static terminal t;
    t.used = 0;
    t.end = posix_openpt(O_RDWR | O_NOCTTY);
    if (t.end < 0) return false;
    /* keeps the line open, so that closing the board's end is no hang-up */
    int line = grantpt(t.end) || unlockpt(t.end) ? -1 : open(ptsname(t.end), O_RDWR | O_NOCTTY);
    FILE *file = line < 0 ? NULL : fdopen(line, "r+");
    if (file) {
        struct winsize size = {.ws_row = SCREEN_ROWS, .ws_col = SCREEN_COLUMNS};
        ioctl(t.end, TIOCSWINSZ, &size);
        pthread_t receiver;
        pthread_create(&receiver, NULL, receive, &t);
        train_a_little(file);
        fclose(file);
        pthread_join(receiver, NULL);
        show(s, t.text);
    }
    close(t.end);
    return file != NULL;
}

static bool screen_has(const screen *s, const char *ascii)
{
    for (int row = 0; row < SCREEN_ROWS; row++) {
        char line[SCREEN_COLUMNS + 1];
        for (int i = 0; i < SCREEN_COLUMNS; i++) {
            uint32_t code = s->cells[row][i];
            line[i] = code == 0 ? ' ' : code < 128 ? (char)code : '#';
        }
        line[SCREEN_COLUMNS] = 0;
        if (strstr(line, ascii)) return true;
    }
    return false;
}

TEST(chart_in_place_on_a_terminal)
{
    screen s = {0};
    unsetenv("NO_COLOR");
    if (!terminal_board(&s)) SKIP("no pseudo-terminals here");
    CHECK(screen_has(&s, "digits, with a title"));
    CHECK(screen_has(&s, "train loss 0.0155   # accuracy 0.9933"));
    CHECK(screen_has(&s, "##########  epoch 5 of 10"));
    CHECK(s.colours > 0);
    CHECK_EQ(s.lowest, 17); /* 12 rows of plot and 5 other lines: later frames covered the first */
    int dots = 0;
    for (int row = 1; row < 13; row++) {
        for (int column = 0; column < SCREEN_COLUMNS; column++)
            dots += s.cells[row][column] > 0x2800 && s.cells[row][column] < 0x2900;
    }
    CHECK(dots > 30);
    setenv("NO_COLOR", "1", 1);
    memset(&s, 0, sizeof s);
    CHECK(terminal_board(&s));
    CHECK_EQ(s.colours, 0);
    unsetenv("NO_COLOR");
}

TEST(strange_values_are_skipped)
{
    const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 0, 5e-324, 1e299, -1e299};
    situ_board *board = situ_board_open(NULL, "x", NAN);
    const situ_series *series;
    situ_canvas canvas;
    double x_range[2], y_range[2];
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 9; j++) CHECK_EQ(situ_board_add(board, "odd", odd[i], odd[j]), 0);
    }
    CHECK_EQ(situ_board_series(board, &series), 1);
    situ_series_box(1, series, x_range, y_range);
    CHECK(x_range[0] == -1e299 && x_range[1] == 1e299 && y_range[0] == -1e299 && y_range[1] == 1e299);
    situ_chart_axis x = situ_axis_fit(x_range[0], x_range[1], 5, false), y = situ_axis_fit(y_range[0], y_range[1], 5, true);
    situ_canvas_clear(&canvas, 1000, -1);
    CHECK(canvas.columns == SITU_CANVAS_COLUMNS && canvas.rows == 1);
    situ_canvas_curve(&canvas, &x, &y, series, 0);
    situ_board_close(board);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_board_add(NULL, "x", 0, 0));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_board_note(NULL, "x"));
    CHECK_EQ(situ_board_series(NULL, NULL), 0);
    situ_board_close(NULL);
}

TEST(each_failing_allocation_is_an_error)
{
    int64_t live = settled_blocks(), k = 1;
    for (bool struck = true; struck; k++) {
        situ_test_fail_alloc(k);
        situ_board *board = situ_board_open(NULL, "t", 1);
        if (board) {
            for (int i = 0; i < 70; i++) situ_board_add(board, i % 2 ? "a" : "b", i, i);
            situ_board_note(board, "n");
        }
        struck = situ_test_fail_struck();
        CHECK_EQ(situ_failed(), struck ? SITU_NO_MEMORY : 0);
        situ_error_take(NULL);
        situ_board_close(board);
        CHECK_EQ(situ_test_live_blocks(), live);
    }
    situ_test_fail_alloc(0);
    CHECK(k > 10);
}
