#!/usr/bin/env python3
"""every_function.py FILE: writes a call of each public function that computes with real numbers, for
tests/unit/test_every_dtype.c, which compares dtypes and devices. A new function is covered by itself; where its operands are not the
usual ones, a row of the tables below says what they are."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from signatures import reader  # noqa: E402

HEADERS = "elementwise reduce function network linalg index move".split()

# What an operand of this name is; "x" is any numbers. labels, index and position are integers whatever the dtype.
KINDS = {"labels": "LABELS", "index": "INDEX", "position": "INDEX", "key": "KEY", "sign": "SIGN", "p": "SHARE", "q": "SHARE", "rate": "SHARE", "mask": "MASK",
         "counts": "FEW", "blocks": "BYTES"}
# Operands of other shapes than [4, 6].
SHAPES = {"embedding": ["6,5", "3"], "take": ["6,5", "3"], "quantile": [None, ""], "dropout": [None, None, ""], "cross": ["4,3", "4,3"], "outer": ["4", "6"], "matmul": ["4,6", "6,4"],
          "self_attention": ["4,6"], "rotary": ["6,4", "6"], "layer_norm": ["4,6", "6", "6"], "batch_norm": ["4,6", "6", "6"], "searchsorted": ["6", "4,6"],
          "unfold": ["2,3,4,4"], "fold": ["2,12,9"], "grid_sample": ["2,3,4,4", "2,5,5,2"], "interpolate": ["2,3,4,4"], "ctc_loss": ["2,4,6", "2,2"],
          "cross_entropy": ["4,6", "4"], "nll_loss": ["4,6", "4"], "accuracy": ["4,6", "4"], "cosine_embedding_loss": ["4,6", "4,6", "4"],
          "tensordot": ["4,6", "4,6"], "bincount": ["6"], "index_add": ["6,5", "3", "3,5"], "repeat_each": ["4,6", "24"], "update_slice": ["4,6", "2,3"],
          "attention": ["4,6", "4,6", "4,6"], "solve": ["4,4", "4,4"], "solve_triangular": ["4,4", "4,4"], "lstsq": ["4,4", "4,4"], "linear_scan": ["4,6", "4,6"]}
for kind in ("max_pool", "avg_pool", "adaptive_max_pool", "adaptive_avg_pool"):
    SHAPES |= {f"{kind}{n}d": ["2,3" + ",4" * n] for n in (1, 2, 3)}
for n in (1, 2, 3):
    SHAPES |= {f"conv{n}d": ["2,3" + ",4" * n, "2,3" + ",2" * n], f"conv_transpose{n}d": ["2,3" + ",4" * n, "3,2" + ",2" * n]}
SQUARE = "cholesky lu inv det slogdet qr eigh eig svd matrix_rank pinv matrix_power matrix_norm cond trace".split()
# Other arguments, by name.
ARGUMENTS = {"axis": "0", "a": "0", "b": "1", "from": "0", "to": "1", "offset": "0", "i": "1", "shift": "2", "count": "2", "n": "3", "k": "2", "bins": "4", "heads": "1",
             "diagonal": "0", "subscripts": '"ij,ij->i"', "axes": "AXES(1, 0)", "axes_a": "AXES(0)", "axes_b": "AXES(0)", "size": "SHAPE(2)",
             "window": "SHAPE(2)", "image": "SHAPE(4, 4)", "start": "SHAPE(1, 1)", "before": "SHAPE(1, 2)", "after": "SHAPE(0, 1)", "type": "SITU_Q8_0"}
OWN_ARGUMENTS = {("reshape", "shape"): "SHAPE(8, 3)", ("broadcast_to", "shape"): "SHAPE(2, 4, 6)", ("tile", "counts"): "SHAPE(2, 1)", ("one_hot", "n"): "8",
                 ("interpolate", "size"): "SHAPE(6, 6)"}
# Not compared, and why.
LEFT_OUT = {"bitcast_f32 bitcast_u32 bitcast_f64 bitcast_u64 nextafter bitwise_and bitwise_or bitwise_xor bitwise_invert bitwise_left_shift "
            "bitwise_right_shift": "are about bits", "pow": "gives integers 0 for powers below 1", "quantise dequantise quantised_linear": "are about bytes",
            "eig qr svd lu eigh": "have results that may be turned", "lstsq pinv": "of singular matrices hold rounding", "bincount": "takes integers alone", "argsort argmax argmin topk": "of equal elements differ by what rounding makes equal",
            "nonzero masked unique repeat_each": "have shapes that depend on values", "dropout": "draws others for another dtype"}


def calls():
    left_out = set(" ".join(LEFT_OUT).split())
    for f in reader.read(ROOT).functions.values():
        tensors = [p for p in f.parameters if p.type in ("situ_tensor *", "situ_list")]
        if f.header.name not in HEADERS or f.result != "situ_tensor *" or f.variadic or not tensors or f.word in left_out:
            continue
        given, kinds, shapes = [], [], SHAPES.get(f.word, [])
        for p in f.parameters:
            if p.type == "situ_tensor *":
                given.append(f"in[{len(kinds)}]")
                kinds.append((KINDS.get(p.name, "NUMBERS"), shapes[len(kinds)] if len(kinds) < len(shapes) and shapes[len(kinds)] is not None
                              else "4,4" if f.word in SQUARE else "4,6"))
            elif p.type == "situ_list":
                given.append(f"TENSORS(in[{len(kinds)}], in[{len(kinds) + 1}])")
                kinds += [("NUMBERS", "4,6")] * 2
            else:
                given.append(OWN_ARGUMENTS.get((f.word, p.name)) or ARGUMENTS[p.name])
        options = [f", .reduction = {r}" for r in ("SITU_MEAN", "SITU_SUM", "SITU_NONE")] if f.options and "reduction" in {x.name for x in f.options.fields} else [""]
        for i, option in enumerate(options):
            yield f.word + ("_sum" if i == 1 else "_each" if i == 2 else ""), f.header.name, f"{f.name}({', '.join(given)}{option})", kinds


def text():
    lines, rows = ["/* Made by tests/support/every_function.py from the public headers. */"], []
    for word, header, call, kinds in calls():
        lines.append(f"static situ_tensor *of_{word}(situ_tensor **in) {{ return {call}; }}")
        operands = ", ".join(f"{{{kind}, SHAPE({shape})}}" for kind, shape in kinds)
        rows.append(f'    {{"{word}", "{header}", of_{word}, {len(kinds)}, {{{operands}}}}},')
    return "\n".join(lines + ["static const row rows[] = {"] + rows + ["};", ""])


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(text())
