"""Judges Prometheus' text format, version 0.0.4, read from standard input; prints each fault, and ends with 1 if any.

Written from the format's own page (prometheus.io, "Exposition formats") and Prometheus' naming rules.
"""
import re
import sys

SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(.*)\})? (\S+)')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
faults, kinds, helps, closed, seen, series = [], {}, set(), set(), {}, {}
family = None


def labels_of(text, line):
    labels, position = {}, 0
    while position < len(text):
        match = LABEL.match(text, position)
        if not match:
            faults.append(f"labels: {line}")
            return labels
        if match[1] in labels:
            faults.append(f"label twice: {line}")
        labels[match[1]] = match[2]
        position = match.end()
    return labels


text = sys.stdin.read()
if not text.endswith("\n"):
    faults.append("no line break at the end")
for line in text.splitlines():
    if line.startswith("# HELP "):
        name = line.split(" ", 3)[2]
        if name in helps:
            faults.append(f"HELP twice: {name}")
        helps.add(name)
        if family:
            closed.add(family)
        family = name
        continue
    if line.startswith("# TYPE "):
        name, kind = line.split(" ")[2:]
        if name != family or name in kinds or kind not in ("counter", "gauge", "histogram"):
            faults.append(f"TYPE: {line}")
        kinds[name] = kind
        continue
    match = SAMPLE.fullmatch(line)
    if not match:
        faults.append(f"no sample: {line}")
        continue
    name, labels, value = match[1], labels_of(match[3] or "", line), float(match[4])
    base = name
    if kinds.get(family) == "histogram":
        base = re.sub(r"_(bucket|sum|count)$", "", name)
    if base != family or base in closed or base not in kinds:
        faults.append(f"outside its family: {line}")
        continue
    key = (name, tuple(sorted(labels.items())))
    if key in seen:
        faults.append(f"series twice: {line}")
    seen[key] = value
    if kinds[base] == "counter" and (not name.endswith("_total") or value < 0):
        faults.append(f"counter: {line}")
    if kinds[base] == "histogram":
        rest = tuple(sorted((k, v) for k, v in labels.items() if k != "le"))
        series.setdefault((base, rest), []).append((name[len(base):], labels.get("le"), value))

for (name, labels), samples in series.items():
    buckets = [(float(le), value) for part, le, value in samples if part == "_bucket"]
    count = [value for part, _, value in samples if part == "_count"]
    total = [value for part, _, value in samples if part == "_sum"]
    ordered = buckets == sorted(buckets) and [v for _, v in buckets] == sorted(v for _, v in buckets)
    if not ordered or not buckets or buckets[-1][0] != float("inf") or count != [buckets[-1][1]] or len(total) != 1:
        faults.append(f"histogram: {name} {labels}")
for name in helps ^ set(kinds):
    faults.append(f"HELP or TYPE missing: {name}")
print("\n".join(faults) or f"{len(kinds)} families, {len(seen)} series")
sys.exit(1 if faults else 0)
