#!/usr/bin/env python3
"""`situ generate` and `situ finetune` on a model whose next token is a function of the last one alone: what is put around a prompt, zeros
and the end of a turn, adapters that do not fit."""
import json
import os
import struct
import subprocess
import sys
import tempfile

SITU = os.path.join(os.environ.get("SITU_BUILD_DIR", "build"), "situ")
with open(os.path.join(os.path.dirname(__file__), "..", "reference", "tokenizer_pairs.json"), encoding="utf-8") as file:
    TOKENIZER = json.load(file)
VOCABULARY = TOKENIZER["model"]["vocab"]
COUNT, HIDDEN = len(VOCABULARY), 2
ZERO, END = VOCABULARY["\u0100"], VOCABULARY["<|im_end|>"]
NEXT = {VOCABULARY["!"]: ZERO, ZERO: VOCABULARY["#"], VOCABULARY["#"]: END, END: VOCABULARY["$"], VOCABULARY["$"]: VOCABULARY["%"]}


def write_tensors(path, tensors, texts):
    header, at = {"__metadata__": texts}, 0
    for name, (shape, data) in tensors.items():
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at := at + len(data)]}
    text = json.dumps(header).encode()
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + b"".join(data for _, data in tensors.values()))


def write_model(path):
    def matrix(rows, columns, ones=()):
        data = bytearray(4 * rows * columns)
        for row, column in ones:
            struct.pack_into("<f", data, 4 * (row * columns + column), 1)
        return [rows, columns], data

    one = [COUNT], struct.pack("<f", 1) * COUNT
    layer = {"input_layernorm": one, "post_attention_layernorm": one, "mlp.gate_proj": matrix(HIDDEN, COUNT),
             "mlp.up_proj": matrix(HIDDEN, COUNT), "mlp.down_proj": matrix(COUNT, HIDDEN),
             **{f"self_attn.{part}_proj": matrix(COUNT, COUNT) for part in "qkvo"}}
    tensors = {f"model.layers.0.{name}.weight": value for name, value in layer.items()}
    tensors |= {"model.norm.weight": one, "model.embed_tokens.weight": matrix(COUNT, COUNT, [(i, i) for i in range(COUNT)]),
                "lm_head.weight": matrix(COUNT, COUNT, [(to, token) for token, to in NEXT.items()])}
    write_tensors(path, tensors, {"general.architecture": "llama", "llama.block_count": "1", "llama.embedding_length": str(COUNT),
                                  "llama.attention.head_count": "2", "llama.attention.head_count_kv": "2",
                                  "llama.feed_forward_length": str(HIDDEN)})


def write_framed(path):
    """The end of a turn is put in front of each text, and "#" behind it."""
    around = [{"SpecialToken": {"id": "<|im_end|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "#", "type_id": 0}}]
    with open(path, "w", encoding="utf-8") as out:
        json.dump({**TOKENIZER, "post_processor": {"type": "TemplateProcessing", "single": around, "pair": [], "special_tokens": {}}}, out)


def run(*arguments):
    done = subprocess.run([SITU, *arguments], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def check(title, got, wanted):
    if got != wanted:
        sys.exit(f"FAIL language: {title}: {got}, not {wanted}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        model, plain, framed, text, adapter, other = (
            os.path.join(folder, name) for name in ("model.safetensors", "plain.json", "framed.json", "text", "adapter.safetensors", "other.safetensors"))
        write_model(model)
        write_framed(framed)
        with open(plain, "w", encoding="utf-8") as out:
            json.dump(TOKENIZER, out)
        go_on = ["generate", "--model", model, "--temperature", "0", "--tokens", "3"]
        check("a zero", run(*go_on, "--tokenizer", plain, "--prompt", "!")[:2], (0, b"\0#\n"))
        check("a turn ends", run(*go_on, "--tokenizer", plain, "--chat", "--tokens-in", str(VOCABULARY["!"]))[:2], (0, b"\0#\n"))
        texts = "!", "#$", "$", "#", "$!"
        alone = b"".join(run(*go_on, "--tokenizer", plain, "--prompt", some)[1] for some in texts)
        together = [word for some in texts for word in ("--prompt", some)]
        check("several texts", run(*go_on, "--tokenizer", plain, *together, "--batch-invariant")[:2], (0, alone))
        check("no prompt", run(*go_on, "--tokenizer", plain, "--prompt", "")[0], 1)
        check("what is in front", run(*go_on, "--tokenizer", framed, "--prompt", "", "--tokens", "2")[:2], (0, b"$%\n"))
        check("nothing behind", run(*go_on, "--tokenizer", framed, "--prompt", "!", "--tokens", "1")[:2], (0, b"\0\n"))
        with open(text, "w", encoding="utf-8") as out:
            out.write("!#$%" * 8)
        learn = ["finetune", "--model", model, "--tokenizer", plain, "--text", text, "--length", "4"]
        check("an adapter", run(*learn, "--lora", "2", "--alpha", "0.1", "--steps", "1", "--out", adapter)[0], 0)
        check("it fits", run(*go_on, "--tokenizer", plain, "--prompt", "!", "--adapter", adapter)[:2], (0, b"\0#\n"))
        with open(adapter, "rb") as file:
            data = file.read()
        size = struct.unpack("<Q", data[:8])[0]
        header, values = json.loads(data[8:8 + size]), data[8 + size:]
        texts = header.pop("__metadata__")
        check("its alpha", float(texts["alpha"]), 0.1)
        tensors = {name: (t["shape"], values[slice(*t["data_offsets"])]) for name, t in header.items()}
        for title, some, words in (("other names", {"base_model.model." + name: t for name, t in tensors.items()}, "the network has no base_model.model."),
                                   ("half of it", dict(list(tensors.items())[:2]), "has 2 of the 4 matrices")):
            write_tensors(other, some, texts)
            code, _, error = run(*go_on, "--tokenizer", plain, "--prompt", "!", "--adapter", other)
            check(title, (code, words in error), (1, True))
        refused = {
            "an adapter as the model": (["generate", "--model", adapter, "--tokens-in", "1"], "adapter.safetensors has no table of tokens; it is an adapter"),
            "no vocabulary": (["generate", "--model", model, "--prompt", "!"], "model.safetensors has no vocabulary, and there is no tokenizer.json beside it"),
            "a token of another model": (["generate", "--model", model, "--tokens-in", f"1,{COUNT}"], f"has token {COUNT}, and the model knows {COUNT} tokens"),
            "a model as an adapter": ([*go_on, "--tokenizer", plain, "--prompt", "!", "--adapter", model], "model.safetensors is no adapter of"),
            "no text": (learn[:-4] + ["--text", os.path.join(folder, "none")], "none: No such file"),
            "a short text": (learn[:-2] + ["--length", "1000"], "text has "),
            "no folder for the result": ([*learn, "--out", os.path.join(folder, "no", "x.safetensors")], "--out: " + os.path.join(folder, "no", "x.safetensors: No such file")),
            "another kind of result": ([*learn, "--out", os.path.join(folder, "x.gguf")], 'files that end in ".safetensors"'),
            "a folder as the result": ([*learn, "--out", folder], "Is a directory; name a file in it")}
        for title, (arguments, words) in refused.items():
            code, out, error = run(*arguments)
            check(title, (code, out, words in error, error.count("\n")), (1, b"", True, 1))  # told before anything is trained, once
        os.rename(plain, os.path.join(folder, "tokenizer.json"))
        check("a vocabulary beside the model", run(*go_on, "--prompt", "!")[:2], (0, b"\0#\n"))
        os.rename(os.path.join(folder, "tokenizer.json"), plain)
        check("checkpoints", run(*learn, "--checkpoint-every", "2")[::2],
              (2, "situ finetune: --checkpoint-every needs --checkpoint DIR; `situ finetune --help` tells more\n"))
        check("a number", "generate: --tokens takes a whole number" in run("generate", "--tokens", "x")[2], True)
    print("PASS language: prompts, zeros, ends of turns, adapters of `situ generate` and `situ finetune`")


main()
