/* situ generate: a language model continues a text, or several side by side. */
#include <situ.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "model.h"

enum {
    MODEL,
    TOKENIZER,
    ADAPTER,
    PROMPT,
    CHAT,
    TOKENS,
    TEMPERATURE,
    TOP_K,
    TOP_P,
    SEED,
    CONTEXT,
    WIDEN,
    NUMBERS,
    TOKENS_IN,
    INVARIANT
};

static const cli_option options[] = {
    [MODEL] = {"model", "FILE", "GGUF, or safetensors with config.json beside it or from `situ finetune`", 'm'},
    [TOKENIZER] = {"tokenizer", "FILE", "where the vocabulary is, if not in the model's file or in a tokenizer.json beside it", 0},
    [ADAPTER] = {"adapter", "FILE", "of low rank, from `situ finetune --lora`", 0},
    [PROMPT] = {"prompt", "TEXT", "what it goes on with; several times: several texts, those with equally many tokens side by side",
        'p'},
    [CHAT] = {"chat", NULL, "the prompt is a question to a model of chats (ChatML: <|im_start|> and <|im_end|>)", 0},
    [TOKENS] = {"tokens", "N", "how many tokens at most (default 128); it also stops where the text ends", 'n'},
    [TEMPERATURE] = {"temperature", "X", "0: always the likeliest token (default 0.8)", 't'},
    [TOP_K] = {"top-k", "N", "among the so many likeliest tokens; 0: all (default 40)", 0},
    [TOP_P] = {"top-p", "X", "among the fewest whose probabilities sum up to this (default 0.95)", 0},
    [SEED] = {"seed", "N", "what is random comes from this number (default 0)", 's'},
    [CONTEXT] = {"context", "N", "tokens that are remembered (default: as many as needed)", 0},
    [WIDEN] = {"f32", NULL, "weights become f32 (default: halves and blocks are multiplied as they are)", 0},
    [NUMBERS] = {"numbers", NULL, "prints the tokens' numbers instead of their text", 0},
    [TOKENS_IN] = {"tokens-in", "A,B,...", "the numbers of the prompt's tokens instead of a text", 0},
    [INVARIANT] = {"batch-invariant", NULL, "each text has the bits that it has alone, whatever the others are", 0},
    {0},
};

enum { MOST_TEXTS = 1024 };

typedef struct settings {
    const char *model, *tokenizer, *adapter, *prompt[MOST_TEXTS], *tokens_in[MOST_TEXTS];
    int prompts, numbered; /* texts, and numbers of tokens, that were given */
    int64_t tokens, top_k, seed, context;
    double temperature, top_p;
    bool chat, widen, numbers, invariant;
} settings;

static int run(int argc, char **argv);

const cli_command cli_generate = {
    .name = "generate",
    .summary = "a language model (Llama family: GGUF, safetensors) goes on with a text",
    .usage = "generate --model FILE --prompt TEXT [options]",
    .text = "Prints the prompt's continuation as it comes.\n",
    .options = options,
    .run = run,
};

static bool read_text(const char **all, int *count, const char *value)
{
    if (*count == MOST_TEXTS) return fprintf(stderr, "situ generate: more than %d prompts\n", MOST_TEXTS), false;
    all[(*count)++] = value;
    return true;
}

static bool read_setting(settings *s, int option, const char *value)
{
    switch (option) {
    case MODEL: s->model = value; return true;
    case TOKENIZER: s->tokenizer = value; return true;
    case ADAPTER: s->adapter = value; return true;
    case PROMPT: return read_text(s->prompt, &s->prompts, value);
    case TOKENS_IN: return read_text(s->tokens_in, &s->numbered, value);
    case TOKENS: return cli_read_int("generate", "tokens", value, 1, 1 << 20, &s->tokens);
    case TEMPERATURE: return cli_read_double("generate", "temperature", value, 0, 1e6, &s->temperature);
    case TOP_K: return cli_read_int("generate", "top-k", value, 0, 1 << 30, &s->top_k);
    case TOP_P: return cli_read_double("generate", "top-p", value, 1e-6, 1, &s->top_p);
    case SEED: return cli_read_int("generate", "seed", value, 0, INT64_MAX, &s->seed);
    case CONTEXT: return cli_read_int("generate", "context", value, 1, 1 << 24, &s->context);
    case CHAT: s->chat = true; return true;
    case WIDEN: s->widen = true; return true;
    case INVARIANT: s->invariant = true; return true;
    default: s->numbers = true; return true;
    }
}

/* ---- tokens ------------------------------------------------------------------------------------------------------------- */

typedef struct tokens {
    int32_t *number;
    int64_t count, capacity;
} tokens;

static bool add(tokens *t, int32_t number)
{
    if (t->count == t->capacity) {
        int64_t capacity = t->capacity ? 2 * t->capacity : 256;
        int32_t *grown = realloc(t->number, (size_t)capacity * sizeof *grown);
        if (!grown) return false;
        t->number = grown;
        t->capacity = capacity;
    }
    t->number[t->count++] = number;
    return true;
}

static int64_t largest_of(const tokens *t)
{
    int64_t most = 0;
    for (int64_t i = 0; i < t->count; i++) most = t->number[i] > most ? t->number[i] : most;
    return most;
}

static bool read_numbers(const char *text, tokens *t)
{
    for (char *end; *text; text = *end ? end + 1 : end) {
        long number = strtol(text, &end, 10);
        if (end == text || (*end && *end != ',') || number < 0 || number > INT32_MAX || !add(t, (int32_t)number)) return false;
    }
    return t->count > 0;
}

static bool encode(const situ_tokenizer *tokenizer, const char *text, bool special, bool frame, tokens *t)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_tokenizer_encode(tokenizer, text, .special = special, .frame = frame, .device = situ_cpu());
    int64_t n = situ_count(x);
    int32_t *number = malloc(((size_t)n + 1) * sizeof *number);
    bool fine = number && (!n || !situ_read(x, number, (size_t)n * sizeof *number));
    for (int64_t i = 0; fine && i < n; i++) fine = add(t, number[i]);
    free(number);
    situ_scope_close(scope);
    return fine && !situ_failed();
}

/* Encodes the prompt with the tokens that the tokenizer puts before a text, but without those after it. */
static bool encode_front(const situ_tokenizer *tokenizer, tokens *t)
{
    tokens framed = {.count = 0}, bare = {.count = 0};
    bool fine = encode(tokenizer, "a", false, true, &framed) && encode(tokenizer, "a", false, false, &bare);
    int64_t n = bare.count, front = 0;
    while (n && front + n < framed.count && memcmp(framed.number + front, bare.number, (size_t)n * sizeof *bare.number)) front++;
    for (int64_t i = 0; fine && n && i < front; i++) fine = add(t, framed.number[i]);
    free(framed.number);
    free(bare.number);
    return fine;
}

static bool encode_prompt(const settings *s, const situ_tokenizer *tokenizer, const char *prompt, tokens *t)
{
    if (!encode_front(tokenizer, t)) return false;
    if (!s->chat) return encode(tokenizer, prompt, false, false, t);
    return encode(tokenizer, "<|im_start|>user\n", true, false, t) && encode(tokenizer, prompt, false, false, t) &&
        encode(tokenizer, "<|im_end|>\n<|im_start|>assistant\n", true, false, t);
}

/* ---- printing ------------------------------------------------------------------------------------------------------------- */

/* Bytes of an incomplete UTF-8 character. */
typedef struct printer {
    const situ_tokenizer *tokenizer;
    char *text;
    int64_t held, capacity;
} printer;

/* Appends the bytes of a token; false: out of memory, or no such token. */
static bool hold(printer *p, int32_t number)
{
    int64_t n = situ_tokenizer_decode(p->tokenizer, &number, 1, NULL, 0);
    if (n < 0) return false;
    if (p->held + n + 1 > p->capacity) {
        char *grown = realloc(p->text, (size_t)(p->capacity = 2 * (p->held + n + 1)));
        if (!grown) return false;
        p->text = grown;
    }
    situ_tokenizer_decode(p->tokenizer, &number, 1, p->text + p->held, n);
    p->text[p->held += n] = 0;
    return true;
}

static bool print_token(printer *p, int32_t number)
{
    if (!p->tokenizer) return printf("%d ", (int)number) > 0;
    if (!hold(p, number)) return false;
    const char *last = p->text + p->held; /* after the last zero, which ends texts elsewhere */
    while (last > p->text && last[-1]) last--;
    int64_t whole = last - p->text + situ_text_whole(last);
    fwrite(p->text, 1, (size_t)whole, stdout);
    memmove(p->text, p->text + whole, (size_t)(p->held -= whole) + 1);
    fflush(stdout);
    return true;
}

/* ---- generating ------------------------------------------------------------------------------------------------------------ */

typedef struct text {
    tokens prompt, drawn;
    bool over;
} text;

/* What ends a text; -1: nothing. */
typedef struct ends {
    int end, end_of_turn;
} ends;

static ends ends_of(const settings *s, const situ_tokenizer *tokenizer)
{
    return (ends){tokenizer ? situ_tokenizer_special(tokenizer, "eos") : -1,
        tokenizer && s->chat ? situ_tokenizer_find(tokenizer, "<|im_end|>") : -1};
}

/* Draws the next token from one text's logits. Each text has the same random numbers, as if it was alone. */
static int32_t draw(const settings *s, situ_tensor *logits, int64_t step)
{
    situ_tensor *drawn = situ_sample(
        logits, situ_fold_in(situ_key(s->seed), step), .temperature = s->temperature, .top_k = s->top_k, .top_p = s->top_p);
    return (int32_t)situ_item_int(situ_reshape(drawn, SHAPE()));
}

/* Takes a step of all texts: `width` tokens of each, which are replaced by one. */
static void step(const settings *s, situ_module *model, int32_t *token, int n, int64_t width, int64_t number)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *logits = situ_llama_step(model, situ_from_host(token, SHAPE(n, width), .dtype = SITU_I32));
    for (int k = 0; k < n && !situ_failed(); k++)
        token[k] = draw(s, n == 1 ? logits : situ_slice(logits, .start = SHAPE(k, 0), .stop = SHAPE(k + 1, SITU_FULL)), number);
    situ_scope_close(scope);
}

/* Continues texts with equally many tokens; prints the tokens of a lone one as they come. False with an error. */
static bool go_on(const settings *s, situ_module *model, ends end, text *const *t, int n, printer *p)
{
    int64_t width = t[0]->prompt.count, context = s->context ? s->context : width + s->tokens, most = context - width + 1;
    int32_t *token = malloc((size_t)(n * width) * sizeof *token);
    if (!token) return fputs("situ generate: out of memory\n", stderr), false;
    for (int k = 0; k < n; k++) memcpy(token + k * width, t[k]->prompt.number, (size_t)width * sizeof *token);
    bool fine = !situ_llama_begin(model, .batch = n, .context = context);
    int left = n;
    for (int64_t i = 0; i < s->tokens && i < most && left && fine; i++, width = 1) {
        step(s, model, token, n, width, i);
        fine = !situ_failed();
        for (int k = 0; k < n && fine; k++) {
            bool over = token[k] == end.end || token[k] == end.end_of_turn;
            left -= over && !t[k]->over;
            t[k]->over |= over;
            if (!t[k]->over) fine = p ? print_token(p, token[k]) : add(&t[k]->drawn, token[k]);
        }
    }
    free(token);
    if (situ_failed()) cli_fail("generate");
    return fine;
}

static void print_rest(printer *p)
{
    if (p->held) fwrite(p->text, 1, (size_t)p->held, stdout);
    p->held = 0;
    putchar('\n');
}

/* Continues all texts: those with equally many tokens together. Prints them in order. */
static int go_on_all(const settings *s, situ_module *model, const situ_tokenizer *tokenizer, text *all, int n)
{
    printer p = {.tokenizer = s->numbers ? NULL : tokenizer};
    text *same[MOST_TEXTS];
    bool done[MOST_TEXTS] = {false}, fine = true;
    for (int i = 0; i < n && fine; i++) {
        int count = 0;
        for (int k = i; k < n; k++)
            if (!done[k] && all[k].prompt.count == all[i].prompt.count) same[count++] = &all[k], done[k] = true;
        if (count) fine = go_on(s, model, ends_of(s, tokenizer), same, count, n == 1 ? &p : NULL);
    }
    for (int i = 0; i < n && fine; i++) {
        for (int64_t k = 0; k < all[i].drawn.count && fine; k++) fine = print_token(&p, all[i].drawn.number[k]);
        print_rest(&p);
    }
    free(p.text);
    return fine ? EXIT_DONE : EXIT_FAILED;
}

/* The prompts' tokens; false with a message. */
static bool read_prompts(const settings *s, situ_module *model, const situ_tokenizer *tokenizer, text *all, int n)
{
    for (int i = 0; i < n; i++) {
        tokens *t = &all[i].prompt;
        if (!s->numbered && !encode_prompt(s, tokenizer, s->prompt[i], t)) return cli_fail("generate"), false;
        if (!t->count) return fprintf(stderr, "situ generate: the prompt has no token\n"), false;
        if (cli_tokens_fit(model, largest_of(t))) return cli_fail("generate"), false;
    }
    return true;
}

static bool read_all_numbers(const settings *s, text *all)
{
    for (int i = 0; i < s->numbered; i++)
        if (!read_numbers(s->tokens_in[i], &all[i].prompt)) return false;
    return true;
}

static void free_texts(text *all, int n)
{
    for (int i = 0; i < n && all; i++) free(all[i].prompt.number), free(all[i].drawn.number);
    free(all);
}

static int run(int argc, char **argv)
{
    settings s = {.tokens = 128, .temperature = 0.8, .top_k = 40, .top_p = 0.95};
    const char *value;
    int rest, option;
    while ((option = cli_next_option(&cli_generate, argc, argv, &value, &rest)) >= 0)
        if (!read_setting(&s, option, value)) return EXIT_USAGE;
    if (option != -1) return option == -3 ? EXIT_DONE : EXIT_USAGE;
    int n = s.numbered ? s.numbered : s.prompts;
    text *all = calloc((size_t)n + 1, sizeof *all);
    if (rest < argc || !s.model || !n || !all || !read_all_numbers(&s, all)) {
        fprintf(stderr, "situ generate: %s; `situ generate --help` tells more\n",
            s.model && s.numbered ? "--tokens-in has numbers with commas between them" : "give --model FILE and --prompt TEXT");
        free_texts(all, n);
        return EXIT_USAGE;
    }
    bool numbers = s.numbered && !s.tokenizer;
    situ_tokenizer *tokenizer = numbers ? NULL : cli_tokenizer(s.model, s.tokenizer);
    situ_module *model = situ_failed() ? NULL : situ_llama_open(s.model, .keep = !s.widen);
    int status = EXIT_FAILED;
    situ_batch_invariant(s.invariant);
    if (!model || (s.adapter && cli_take_adapter(model, s.adapter))) status = cli_fail("generate");
    else if (read_prompts(&s, model, tokenizer, all, n)) status = go_on_all(&s, model, tokenizer, all, n);
    free_texts(all, n);
    situ_tokenizer_close(tokenizer);
    situ_module_free(model);
    return status;
}
