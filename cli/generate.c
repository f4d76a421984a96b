/* situ generate: a language model continues a text. */
#include <situ.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "model.h"

enum { MODEL, TOKENIZER, ADAPTER, PROMPT, CHAT, TOKENS, TEMPERATURE, TOP_K, TOP_P, SEED, CONTEXT, WIDEN, NUMBERS, TOKENS_IN };

static const cli_option options[] = {
    [MODEL] = {"model", "FILE", "GGUF, or safetensors with config.json beside it or from `situ finetune`", 'm'},
    [TOKENIZER] = {"tokenizer", "FILE", "where the vocabulary is, if not in the model's file or in a tokenizer.json beside it", 0},
    [ADAPTER] = {"adapter", "FILE", "of low rank, from `situ finetune --lora`", 0},
    [PROMPT] = {"prompt", "TEXT", "what it goes on with", 'p'},
    [CHAT] = {"chat", NULL, "the prompt is a question to a model of chats (ChatML: <|im_start|> and <|im_end|>)", 0},
    [TOKENS] = {"tokens", "N", "how many tokens at most (default 128); it also stops where the text ends", 'n'},
    [TEMPERATURE] = {"temperature", "X", "0: always the likeliest token (default 0.8)", 't'},
    [TOP_K] = {"top-k", "N", "among the so many likeliest tokens; 0: all (default 40)", 0},
    [TOP_P] = {"top-p", "X", "among the fewest whose probabilities sum up to this (default 0.95)", 0},
    [SEED] = {"seed", "N", "what is random comes from this number (default 0)", 's'},
    [CONTEXT] = {"context", "N", "tokens that are remembered (default: as many as needed)", 0},
    [WIDEN] = {"f32", NULL, "weights become f32 (default: halves, Q8_0, Q4_0, Q4_1 are multiplied as they are)", 0},
    [NUMBERS] = {"numbers", NULL, "prints the tokens' numbers instead of their text", 0},
    [TOKENS_IN] = {"tokens-in", "A,B,...", "the numbers of the prompt's tokens instead of a text", 0},
    {0},
};

typedef struct settings {
    const char *model, *tokenizer, *adapter, *prompt, *tokens_in;
    int64_t tokens, top_k, seed, context;
    double temperature, top_p;
    bool chat, widen, numbers;
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

static bool read_setting(settings *s, int option, const char *value)
{
    switch (option) {
    case MODEL: s->model = value; return true;
    case TOKENIZER: s->tokenizer = value; return true;
    case ADAPTER: s->adapter = value; return true;
    case PROMPT: s->prompt = value; return true;
    case TOKENS_IN: s->tokens_in = value; return true;
    case TOKENS: return cli_read_int("generate", "tokens", value, 1, 1 << 20, &s->tokens);
    case TEMPERATURE: return cli_read_double("generate", "temperature", value, 0, 1e6, &s->temperature);
    case TOP_K: return cli_read_int("generate", "top-k", value, 0, 1 << 30, &s->top_k);
    case TOP_P: return cli_read_double("generate", "top-p", value, 1e-6, 1, &s->top_p);
    case SEED: return cli_read_int("generate", "seed", value, 0, INT64_MAX, &s->seed);
    case CONTEXT: return cli_read_int("generate", "context", value, 1, 1 << 24, &s->context);
    case CHAT: s->chat = true; return true;
    case WIDEN: s->widen = true; return true;
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

static bool encode_prompt(const settings *s, const situ_tokenizer *tokenizer, tokens *t)
{
    if (!encode_front(tokenizer, t)) return false;
    if (!s->chat) return encode(tokenizer, s->prompt, false, false, t);
    return encode(tokenizer, "<|im_start|>user\n", true, false, t) && encode(tokenizer, s->prompt, false, false, t) &&
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

static int go_on(const settings *s, situ_module *model, const situ_tokenizer *tokenizer, const tokens *prompt)
{
    printer p = {.tokenizer = s->numbers ? NULL : tokenizer};
    int end = tokenizer ? situ_tokenizer_special(tokenizer, "eos") : -1,
        end_of_turn = tokenizer ? situ_tokenizer_find(tokenizer, "<|im_end|>") : -1;
    int64_t context = s->context ? s->context : prompt->count + s->tokens;
    if (situ_llama_begin(model, .context = context)) return cli_fail("generate");
    const int32_t *given = prompt->number;
    int32_t last = 0;
    for (int64_t i = 0, count = prompt->count; i < s->tokens && !situ_failed(); i++, given = &last, count = 1) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *logits = situ_llama_step(model, situ_from_host(given, SHAPE(1, count), .dtype = SITU_I32));
        situ_tensor *drawn = situ_sample(
            logits, situ_fold_in(situ_key(s->seed), i), .temperature = s->temperature, .top_k = s->top_k, .top_p = s->top_p);
        last = (int32_t)situ_item_int(situ_reshape(drawn, SHAPE()));
        situ_scope_close(scope);
        if (situ_failed() || last == end || (s->chat && last == end_of_turn)) break;
        if (!print_token(&p, last) || prompt->count + i + 1 > context) break;
    }
    if (p.held) fwrite(p.text, 1, (size_t)p.held, stdout);
    free(p.text);
    if (situ_failed()) return cli_fail("generate");
    putchar('\n');
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    settings s = {.tokens = 128, .temperature = 0.8, .top_k = 40, .top_p = 0.95};
    const char *value;
    int rest, option;
    while ((option = cli_next_option(&cli_generate, argc, argv, &value, &rest)) >= 0)
        if (!read_setting(&s, option, value)) return EXIT_USAGE;
    if (option != -1) return option == -3 ? EXIT_DONE : EXIT_USAGE;
    tokens prompt = {.count = 0};
    if (rest < argc || !s.model || !(s.prompt || s.tokens_in) || (s.tokens_in && !read_numbers(s.tokens_in, &prompt))) {
        fprintf(stderr, "situ generate: %s; `situ generate --help` tells more\n",
            s.model && s.tokens_in ? "--tokens-in has numbers with commas between them" : "give --model FILE and --prompt TEXT");
        free(prompt.number);
        return EXIT_USAGE;
    }
    bool numbers = s.tokens_in && !s.tokenizer;
    situ_tokenizer *tokenizer = numbers ? NULL : cli_tokenizer(s.model, s.tokenizer);
    situ_module *model = situ_failed() ? NULL : situ_llama_open(s.model, .keep = !s.widen);
    int status = EXIT_FAILED;
    if (!model || (s.adapter && cli_take_adapter(model, s.adapter)) || (!s.tokens_in && !encode_prompt(&s, tokenizer, &prompt)))
        status = cli_fail("generate");
    else if (!prompt.count) fprintf(stderr, "situ generate: the prompt has no token\n");
    else if (cli_tokens_fit(model, largest_of(&prompt))) status = cli_fail("generate");
    else status = go_on(&s, model, tokenizer, &prompt);
    free(prompt.number);
    situ_tokenizer_close(tokenizer);
    situ_module_free(model);
    return status;
}
