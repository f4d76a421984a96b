#!/usr/bin/env python3
"""The works of bench/step/main.c in PyTorch, with fused AdamW: step.py torch|torch-compile full|lora|gpt2 STEPS [MODEL.gguf]"""
import os
import resource
import sys
import time

import torch
import torch.nn.functional as F

FRAMEWORK, WORK, STEPS = sys.argv[1], sys.argv[2], int(sys.argv[3])
RANK, ALPHA = 8, 16


def parameter(*shape, deviation=0.02):
    return torch.nn.Parameter(deviation * torch.randn(*shape) if deviation else torch.zeros(*shape))


def gguf_weights(path):
    """The numbers in the file's header, and its tensors as f32."""
    import gguf
    reader = gguf.GGUFReader(path)
    number = {k: f.contents() for k, f in reader.fields.items() if k.startswith("llama.")}
    return number, {t.name: torch.tensor(gguf.dequantize(t.data, t.tensor_type).reshape(*(int(n) for n in t.shape[::-1]))) for t in reader.tensors}


class Llama(torch.nn.Module):
    def __init__(self, path, lora):
        super().__init__()
        number, weights = gguf_weights(path)
        self.layers, self.heads = number["llama.block_count"], number["llama.attention.head_count"]
        self.kv_heads, self.eps = number["llama.attention.head_count_kv"], number["llama.attention.layer_norm_rms_epsilon"]
        self.base = number["llama.rope.freq_base"]
        self.w = torch.nn.ParameterDict()
        self.lora = lora
        while weights:
            name, value = weights.popitem()
            self.w[name.replace(".", "_")] = torch.nn.Parameter(value, requires_grad=not lora)
        for i in range(self.layers if lora else 0):
            for part in "qv":
                rows, width = self.w[f"blk_{i}_attn_{part}_weight"].shape
                self.w[f"a_{i}_{part}"], self.w[f"b_{i}_{part}"] = parameter(RANK, width), parameter(rows, RANK, deviation=0)

    def linear(self, x, i, name, part=None):
        y = F.linear(x, self.w[f"blk_{i}_{name}_weight"])
        return y + F.linear(F.linear(x, self.w[f"a_{i}_{part}"]), self.w[f"b_{i}_{part}"]) * (ALPHA / RANK) if part and self.lora else y

    def norm(self, x, name):
        return F.rms_norm(x, x.shape[-1:], self.w[name + "_weight"], self.eps)

    def split(self, x, heads):
        return x.unflatten(-1, (heads, -1)).transpose(1, 2)

    @staticmethod
    def turn(x, cosine, sine):
        """GGUF's order: pairs lie side by side."""
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack((a * cosine - b * sine, a * sine + b * cosine), -1).flatten(-2)

    def forward(self, tokens):
        half = self.w["token_embd_weight"].shape[1] // self.heads // 2
        angle = torch.outer(torch.arange(tokens.shape[1]), self.base ** (-torch.arange(half) / half))
        cosine, sine = angle.cos(), angle.sin()
        x = F.embedding(tokens, self.w["token_embd_weight"])
        for i in range(self.layers):
            h = self.norm(x, f"blk_{i}_attn_norm")
            q = self.turn(self.split(self.linear(h, i, "attn_q", "q"), self.heads), cosine, sine)
            k = self.turn(self.split(self.linear(h, i, "attn_k"), self.kv_heads), cosine, sine)
            v = self.split(self.linear(h, i, "attn_v", "v"), self.kv_heads)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            x = x + self.linear(y.transpose(1, 2).flatten(2), i, "attn_output")
            h = self.norm(x, f"blk_{i}_ffn_norm")
            x = x + self.linear(F.silu(self.linear(h, i, "ffn_gate")) * self.linear(h, i, "ffn_up"), i, "ffn_down")
        return F.linear(self.norm(x, "output_norm"), self.w["token_embd_weight"])


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.n1, self.n2 = heads, torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(self.n1(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class GPT2(torch.nn.Module):
    def __init__(self, blocks=12, width=768, heads=12, words=50257, places=1024):
        super().__init__()
        self.table, self.place = parameter(words, width), parameter(places, width)
        self.blocks = torch.nn.ModuleList(Block(width, heads) for _ in range(blocks))
        self.norm = torch.nn.LayerNorm(width)

    def forward(self, tokens):
        x = F.embedding(tokens, self.table) + self.place[:tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.table)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", 2)))
    net = GPT2() if WORK == "gpt2" else Llama(sys.argv[4], WORK == "lora")
    rows = 4 if WORK == "gpt2" else 1
    tokens, following = (torch.tensor([1000 + 37 * (i + k) % 5000 for i in range(256)]).reshape(rows, -1) for k in (0, 1))
    adam = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=1e-5, fused=True)

    def loss_of(tokens, following):
        return F.cross_entropy(net(tokens).flatten(0, 1), following.flatten())

    loss_of = torch.compile(loss_of) if FRAMEWORK == "torch-compile" else loss_of
    for _ in range(STEPS):
        begin, processor = time.perf_counter(), time.process_time()
        adam.zero_grad()
        loss = loss_of(tokens, following)
        loss.backward()
        adam.step()
        value = loss.item()
        print(f"loss {value:.6f} seconds {time.perf_counter() - begin:.4f} processor {time.process_time() - processor:.4f} "
              f"MiB {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10}", flush=True)


main()
