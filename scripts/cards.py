"""The tables of docs/gpu.md and docs/simulate.md from src/backend/sim/cards.def; scripts/generate.py writes them."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "src/backend/sim/cards.def"
MARKS = "<!-- made by scripts/generate.py from src/backend/sim/cards.def -->\n", "<!-- end -->\n"
NAMES = {
    "memory": "memory", "flops": "products", "memory_bandwidth": "memory's bandwidth", "kernel": "a kernel", "link_bandwidth": "link to the host",
    "link_latency": "its latency", "peer_bandwidth": "link to another card", "peer_latency": "its latency", "start": "host: starting a plan",
    "call": "host: a call", "copy_bandwidth": "host: copying itself", "host_kernel": "CPU: a kernel", "core_flops": "CPU: products, one core",
    "host_flops": "CPU: products, all cores", "spread": "CPU: until all cores work", "host_memory_bandwidth": "CPU: memory's bandwidth",
}
SCALES = {"s": ((1, "s"), (1e-3, "ms"), (1e-6, "us"))}


def figure(value, unit):
    scales = SCALES.get(unit) or tuple((10.0**p, f"{prefix}{unit}") for p, prefix in ((12, "T"), (9, "G"), (6, "M"), (0, "")))
    scale, name = next((s, n) for s, n in scales if value >= s * (1 - 1e-9) or s == scales[-1][0])
    return f"{value / scale:.4g} {name}"


def read(text):
    """{card: (title, {field: (value, unit, seen, source)})}"""
    cards = {name: (title, {}) for name, title in re.findall(r'^CARD\((\w+), "(.*)"\)$', text, re.M)}
    for card, field, value, unit, how, source in re.findall(r'^CONSTANT\((\w+), (\w+), ([^,]+), "([^"]+)", (SEEN|PREDICTED), "(.*)"\)$', text, re.M):
        cards[card][1][field] = float(value), unit, how == "SEEN", source
    return cards


def table(cards):
    lines = ["| constant | " + " | ".join(f"`{name}`" for name in cards) + " |", "|---|" + "---|" * len(cards)]
    for field, name in NAMES.items():
        cells = [constants.get(field) for _, constants in cards.values()]
        lines.append(f"| {name} (`{field}`) | " + " | ".join(figure(*c[:2]) + (" *" if c[2] else "") if c else "as to the host" for c in cells) + " |")
    lines += ["", "Seen (*), each where it says; the others are predicted from datasheets and from these:"]
    for card, (_, constants) in cards.items():
        seen = [f"{NAMES[field]}: {source}" for field, (_, _, is_seen, source) in constants.items() if is_seen]
        if seen:
            lines.append(f"- `{card}`: " + "; ".join(seen) + ".")
    return "\n".join(lines) + "\n"


def links(text):
    """The table of kinds of links."""
    rows = re.findall(r'^LINK\(\w+, (\w+), ([^,]+), ([^,]+), (?:SEEN|PREDICTED), "(.*)"\)$', text, re.M)
    lines = ["| kind | of the bandwidth | latency | where the figures are from |", "|---|---|---|---|"]
    lines += [f"| {name} | {float(share):.2f} | {figure(float(latency), 's')} | {source} |" for name, share, latency, source in rows]
    return "\n".join(lines) + "\n"


def pages():
    """(path, text) of each page with a table of this file."""
    text = TABLE.read_text()
    for path, made in ((ROOT / "docs/gpu.md", table(read(text))), (ROOT / "docs/simulate.md", links(text))):
        before, rest = path.read_text().split(MARKS[0])
        yield path, before + MARKS[0] + made + MARKS[1] + rest.split(MARKS[1])[1]
