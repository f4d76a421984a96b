#!/usr/bin/env python3
"""Figures of DESIGN.md, README.md and docs/cpu.md that can be seen from outside are what a program sees. tests/tree/claims.py looks the
others up in the code: slots of a backend, tiles, thresholds of time and of streaming stores, launches under way (the unit tests of `ahead`
count them), the offsets of large blocks."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = (ROOT / os.environ.get("SITU_BUILD_DIR", "build")).resolve()
PROGRAM = r"""
#include <math.h>
#include <situ.h>
#include <stdlib.h>
#include <string.h>

static int steps_of(situ_tensor *t)
{
    char *text = situ_explain(t), *found = text ? strstr(text, " nodes: ") : NULL;
    int steps = found ? atoi(found + 8) : -1;
    free(text);
    return steps;
}
static situ_tensor *stored(void)
{
    situ_tensor *t = situ_ones(SHAPE(1000));
    situ_wait(t);
    return t;
}
/* The most operands of one group, numbers, or operations. */
static int most_of(int kind)
{
    for (int n = 2; n < 200; n++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *y = stored();
        for (int i = 1; i < n; i++) {
            if (kind == 0) y = situ_mul(y, stored());
            if (kind == 1) y = situ_fma(y, i + 0.5, i + 0.25); /* two numbers */
            if (kind == 2) y = situ_sin(y);
        }
        int steps = steps_of(y);
        situ_scope_close(scope);
        if (steps != 1) return kind == 0 ? n - 1 : kind == 1 ? 2 * (n - 2) : n - 2;
    }
    return -1;
}
static float at(int i) { return sinf((float)i) * powf(10, (float)(i % 7)); }
/* Partial sums in adjacent pairs; an odd last one moves up. */
static float tree(float *sum, int count)
{
    for (; count > 1; count = (count + 1) / 2)
        for (int i = 0; i < (count + 1) / 2; i++) sum[i] = 2 * i + 1 < count ? sum[2 * i] + sum[2 * i + 1] : sum[2 * i];
    return sum[0];
}
static int sums_differ(int n, int block, int lanes, int rows)
{
    float *x = malloc(4 * (size_t)n), *part = calloc((size_t)n, 4), over[2];
    for (int i = 0; i < n; i++) x[i] = at(i);
    int blocks = (n + block - 1) / block;
    for (int b = 0; b < blocks; b++) {
        float lane[4096] = {0};
        for (int i = b * block; i < n && i < (b + 1) * block; i++) lane[(i - b * block) % lanes] += x[i];
        for (int half = lanes / 2; half; half /= 2)
            for (int i = 0; i < half; i++) lane[i] += lane[i + half];
        part[b] = lane[0];
    }
    float last = tree(part, blocks), sum;
    situ_read(situ_sum(situ_from_host(x, SHAPE(n))), &sum, 4);
    int bad = sum != last;
    situ_read(situ_sum(situ_from_host(x, SHAPE(n / 2, 2)), .axes = AXES(0)), over, sizeof over);
    for (int c = 0; c < 2; c++) {
        for (int b = 0; b < (n / 2 + rows - 1) / rows; b++) {
            part[b] = 0;
            for (int i = b * rows; i < n / 2 && i < (b + 1) * rows; i++) part[b] += x[2 * i + c];
        }
        bad += over[c] != tree(part, (n / 2 + rows - 1) / rows);
    }
    free(x);
    free(part);
    return bad;
}
/* How many nodes of a scope are pending before the older ones are enqueued. */
static int most_pending(int about)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = stored(), *first = situ_add(x, 1), *y = first;
    int count = 1; /* x has its value: a number and a sum a turn */
    for (; count < 2 * about; count++) {
        char *text = count % 64 ? NULL : situ_explain(first);
        bool over = text && !strstr(text, "is pending");
        free(text);
        if (over) break;
        y = situ_negative(y);
    }
    situ_scope_close(scope);
    return count;
}
/* Bytes of the process that are to get huge pages. */
static long huge(void)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512];
    unsigned long from = 0, to = 0;
    long sum = 0;
    while (file && fgets(line, sizeof line, file)) {
        unsigned long a, b;
        if (sscanf(line, "%lx-%lx ", &a, &b) == 2) from = a, to = b;
        if (!strncmp(line, "VmFlags:", 8) && strstr(line, " hg")) sum += (long)(to - from);
    }
    if (file) fclose(file);
    return sum;
}
static long huge_by(int64_t bytes)
{
    long before = huge();
    situ_tensor *t = situ_ones(SHAPE(bytes), .dtype = SITU_U8);
    situ_wait(t);
    return huge() - before;
}
int main(int argc, char **argv)
{
    int block = atoi(argv[1]), lanes = atoi(argv[2]), rows = atoi(argv[3]), pending = atoi(argv[4]);
    (void)argc;
    printf("operands %d\nnumbers %d\noperations %d\n", most_of(0), most_of(1), most_of(2));
    int bad = 0;
    for (int n = 1; n < 300000; n = n * 2 + 5) bad += sums_differ(2 * n, block, lanes, rows);
    printf("sums %d\npending %d\n", bad, most_pending(pending));
    int64_t from = (int64_t)1 << 21;
    /* a block is an eighth larger than what is asked for at most */
    long below = huge_by(from / 8 * 7), above = huge_by(from);
    printf("huge %d\n", huge() == 0 ? -1 : below == 0 && above >= from);
    printf("digits %lld\n", (long long)situ_dataset_count(situ_digits()));
    if (situ_failed()) printf("error %s\n", situ_error_message());
    return 0;
}
"""
failed = []


def said(page, pattern):
    """The numbers of a sentence."""
    found = re.search(pattern, re.sub(r"\s+", " ", (ROOT / page).read_text()))
    if not found:
        failed.append(f"{page} no longer says: {pattern}")
        return [0] * re.compile(pattern).groups
    return [int(number.replace(",", "")) if re.fullmatch(r"[\d,]+", number) else number for number in found.groups()]


def expect(what, measured, claimed):
    if measured != claimed:
        failed.append(f"{what}: the documents say {claimed}, measured is {measured}")


def main():
    instructions, operands, words = said("DESIGN.md", r"Groups are bounded: (\d+) instructions, (\d+) operands in memory, (\d+) words")
    block, lanes = said("DESIGN.md", r"blocks of (\d+); in each block (\d+) lanes from \+0")
    rows, = said("DESIGN.md", r"blocks of (\d+) rows in order, then the same tree")
    pending, = said("DESIGN.md", r"more than ([\d,]+) pending nodes enqueues the older half")
    digits, = said("README.md", r"the ([\d,]+) digits that come with the library")
    said("docs/cpu.md", r"Blocks from (2) MiB get huge pages")
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "p.c", pathlib.Path(folder) / "p"
        source.write_text(PROGRAM)
        made = subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-ffp-contract=off", f"-I{ROOT}/include", source, "-o", program, f"-L{BUILD}",
                               "-lsitu", "-lm", f"-Wl,-rpath,{BUILD}"], capture_output=True, text=True)
        if made.returncode:
            print(f"FAIL claims_measured: the program does not compile: {made.stderr.splitlines()[:3]}")
            return 1
        done = subprocess.run([program, *map(str, (block, lanes, rows, pending))], capture_output=True, text=True, timeout=300)
    seen = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
    if done.returncode or "error" in seen:
        failed.append(f"the program ended with {done.returncode}: {seen.get('error', done.stderr[-200:])}")
    number = lambda name: int(seen.get(name, -2))
    expect("operands of a group", number("operands"), operands)
    expect("numbers beside a group's operands", number("numbers"), words)
    expect("no group has more operations than instructions", number("operations") <= instructions, True)
    expect("sums that are not in the order of DESIGN.md", number("sums"), 0)
    expect("pending nodes of a scope, to 64", pending - 64 <= number("pending") <= pending + 64, True)
    expect("digits", number("digits"), digits)
    if number("huge") == -1:
        print("SKIP claims_measured: no block of this system gets huge pages")
    else:
        expect("blocks of 2 MiB, and no smaller ones, get huge pages", number("huge"), 1)
    for text in failed:
        print("FAIL claims_measured:", text)
    if not failed:
        print(f"PASS claims_measured: groups ({number('operations')} sines in one), sums, scopes, pages and digits are as the documents say")
    return bool(failed)


sys.exit(main())
