#!/usr/bin/env bash
# situ simulate: the book's figures, a program's step on more cards, its picture, and what is told of mistakes.
set -u
cd "$(dirname "$0")/../.." || exit 1
check=simulate
. tests/support/expect.sh

printf 'cards 4\nlink card switch 16 GB/s\nlink switch host 16 GB/s\n' >"$scratch/server"
simulate="$situ simulate --cluster $scratch/server"
for way in "host 80" "card 60" "direct 15" "ring 15"; do
    set -- $way
    expect "160 MB by $1" 0 "^ +4 cards +$2\.000 ms\$" "" $simulate --cards 4 --exchange "$1" --bytes 160MB
    grep -q "^simulated: " "$scratch/out" || { echo "FAIL simulate: a figure is not labelled"; status=1; }
done

expect "a training, its batch divided" 0 "^ +4 +[0-9.]+ +[0-9.]+ +[0-9.]+ " "" $simulate --trace "$scratch/step.json" "$situ" train --batch 64 --epochs 1
[ "$(grep -cE '^ +[124] ' "$scratch/out")" = 3 ] || { echo "FAIL simulate: there are not three rows"; status=1; }
python3 - "$scratch/out" "$scratch/step.json" <<'EOF' || status=1
import json, re, sys
rows = [list(map(float, re.findall(r"[\d.]+", l)[:6])) for l in open(sys.argv[1]) if re.match(r" +\d", l)]
for cards, step, work, exchange, seen, faster in rows:
    good = abs(step - work - seen) < 0.002 and seen <= exchange + 0.002 and (exchange > 0) == (cards > 1)
    if not good or abs(faster - rows[0][1] / step) > 0.02 + 0.001 * faster / step:  # three digits are told
        sys.exit(f"FAIL simulate: a row does not add up: {cards, step, work, exchange, seen, faster}")
events = json.load(open(sys.argv[2]))["traceEvents"]
bars = [e for e in events if e["ph"] == "X"]
names = {e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
exchanges = [e for e in bars if e["name"].startswith("situ_group_")]
if {e["pid"] for e in bars} != {2} or not {"gpu(0)", "gpu(3)"} <= names or len(exchanges) % 4 or not exchanges:
    sys.exit(f"FAIL simulate: the picture is not one of four cards: {sorted(names)}, {len(exchanges)} exchanges")
EOF
printf 'nodes 128\ncards 8\nspeed 50\nlink card network 50 GB/s 5 us\n' >"$scratch/large"
expect "each card its rows, on 1,024 cards" 0 "^ +1024 +[0-9.]+ .*█" "" "$situ" simulate --cluster "$scratch/large" --cards 1,1024 "$situ" train --batch {16} --epochs 1

# A trace that was kept gives the same figures, and an exchange lies beside the backward pass.
expect "a trace is kept" 0 "^ +4 +" "" $simulate --save "$scratch/kept" "$situ" train --batch {16} --hidden 512 --epochs 2
cp "$scratch/out" "$scratch/first"
expect "and read again" 0 "^ +4 +" "" $simulate --from "$scratch/kept"
expect "steps that are too far apart" 1 "" "--spread 0.0001: of [0-9]+ steps the quartiles are" $simulate --from "$scratch/kept" --spread 0.0001
expect "and read again" 0 "^ +4 +" "" $simulate --from "$scratch/kept"
cmp -s "$scratch/first" "$scratch/out" || { echo "FAIL simulate: a kept trace gives other figures"; diff "$scratch/first" "$scratch/out"; status=1; }
awk '$1 == 4 && $2 ~ /[0-9]/ { found = 1; if ($5 >= $4) exit 1 } END { exit !found }' "$scratch/out" || { echo "FAIL simulate: no exchange lies beside the work"; cat "$scratch/out"; status=1; }

# A step that was measured elsewhere: the same in every run.
printf '\357\273\277nodes 1024\ncards 64\nstep 273 ms\njitter 2 %%\nfailures 1000 days\ncheckpoint 30 s\nrestart 5 min\npower 400 W\nprice 2\nmemory 80 GB\nlink card nvswitch 300 GB/s nvlink\nlink card network 200 Gbit/s infiniband\n' >"$scratch/dgx"
dgx="$situ simulate --cluster $scratch/dgx --exchange nccl"
expect "65,536 cards" 0 "^ +65536 +[0-9.]+ +273.000 +[0-9.]+ " "" $dgx --gradient 102MB --steps 1000 --parameters 25e6
grep -q "lost; a checkpoint each" "$scratch/out" && grep -q "limits the exchange" "$scratch/out" || { echo "FAIL simulate: lost work or limits are not told"; status=1; }
expect "as JSON" 0 '"cards":65536,"step":0.27' "" $dgx --gradient 102MB --json
python3 -c 'import json,sys; assert len(json.load(open(sys.argv[1]))["steps"]) == 17' "$scratch/out" || { echo "FAIL simulate: no JSON"; status=1; }
expect "a sum as JSON" 0 '"way":"nccl-ring"' "" $dgx --cards 64 --bytes 1GB --json
expect "an all-gather" 0 "all-gather of 1000 MB" "" $dgx --cards 64 --bytes 1GB --collective all-gather
expect "two clusters" 0 "server\), exchange" "" $dgx --cards 2 --bytes 1GB --beside "$scratch/server"
printf 'nodes 16\ncards 8\nflops 137 Tflop/s\nmemory 80 GB\nlink card nvswitch 300 GB/s nvlink\nlink card network 200 Gbit/s infiniband\n' >"$scratch/plan"
model="layers 36 hidden 4096 sequence 2048 vocabulary 51200 batch 512"
expect "data, tensors and layers" 0 "bubbles 0\.0 %" "" "$situ" simulate --cluster "$scratch/plan" --recompute --plan "data 32 tensor 4 micro 4" --model "$model"
expect "a pipeline has bubbles" 0 "bubbles [1-9]" "" "$situ" simulate --cluster "$scratch/plan" --plan "data 8 tensor 4 pipeline 4" --model "$model"
expect "a plan of more cards" 1 "" "are more cards than the cluster has" "$situ" simulate --cluster "$scratch/plan" --plan "data 64 tensor 4" --model "$model"
expect "a plan of other words" 2 "" 'here is "tensors 4"' "$situ" simulate --cluster "$scratch/plan" --plan "tensors 4"
for file in examples/clusters/*.txt; do
    expect "$file" 0 "of each card" "" "$situ" simulate --cluster "$file" --bytes 100MB --exchange nccl
done
expect "planned only" 0 "planned only" "" $dgx --cards 128 --bytes 1GB --exchange hierarchical
expect "no switch that sums" 1 "" "no switch of the cluster sums" $dgx --cards 8 --bytes 1GB --exchange nvls

# Processes that share cores are measured together.
printf 'cards 3\ncores 1\nlink card memory 8 GB/s\n' >"$scratch/shared"
printf '#!/bin/sh\necho "$SITU_SIMULATE_RANKS" >>"%s/runs"\nexec "%s" train --batch 64 --epochs 1\n' "$scratch" "$(realpath "$situ")" >"$scratch/program"
chmod +x "$scratch/program"
expect "cards that share a core" 0 "^ +3 +[0-9.]+ +[0-9.]+ +[0-9.]+ " "" "$situ" simulate --cluster "$scratch/shared" "$scratch/program"
[ "$(tr '\n' ' ' <"$scratch/runs")" = "1 2 2 3 3 3 " ] || { echo "FAIL simulate: processes that share a core ran as $(tr '\n' ' ' <"$scratch/runs")"; status=1; }

printf 'cards 4\nlink card switch 16 Gb/s\n' >"$scratch/wrong"
expect "a wrong cluster" 1 "" 'wrong:2:21: the bandwidth of a link: a number with its unit, as in 16 GB/s or 100 Gbit/s; here is "Gb/s"' "$situ" simulate --cluster "$scratch/wrong" --bytes 1MB
[ "$(grep -o 'situ simulate' "$scratch/err" | wc -l)" = 1 ] || { echo "FAIL simulate: the message begins twice with the command"; status=1; }
printf 'cards 2\nlink card s 1 GB/s 1000000 s\n' >"$scratch/late"
expect "a latency of eleven days" 1 "" "late:2:20: the latency of a link is 10 s at most; here are 1e\+06 s" "$situ" simulate --cluster "$scratch/late" --bytes 1MB
printf 'cards 2\nlink card s 1 GB/s\nlink s t 1 GB/s\n' >"$scratch/unused"
expect "a link that nothing uses" 0 "*" "unused:3: no copy between cards, to the host or to the network uses this link" "$situ" simulate --cluster "$scratch/unused" --bytes 1MB
expect "no cluster" 2 "" "which cluster\? --cluster FILE" "$situ" simulate "$situ" train
expect "a cluster that is not there" 1 "" "cannot be read: No such file" "$situ" simulate --cluster "$scratch/none" --bytes 1MB
expect "a cluster that is a folder" 1 "" "cannot be read: Is a directory" "$situ" simulate --cluster "$scratch" --bytes 1MB
expect "a cluster that is a program" 1 "" "is no description of a cluster" "$situ" simulate --cluster "$situ" --bytes 1MB
expect "no program" 2 "" "which program\?" $simulate
expect "a program and bytes" 2 "" "--bytes, --step, --plan and --from stand instead of a program" $simulate --bytes 1MB "$situ" train
expect "bytes that are none" 2 "" "a number of bytes, with kB, MB or GB" $simulate --bytes 1MiB
expect "more cards than there are" 1 "" "--cards 8: the cluster of .* has 4 \(nodes 1, cards 4\)" $simulate --cards 8 --bytes 1MB
expect "cards that are none" 2 "" "whole number from 1" $simulate --cards 2,x --bytes 1MB
expect "a way that is none" 2 "" "--exchange star: direct, ring, card, host, nccl," $simulate --exchange star --bytes 1MB
expect "no host" 1 "" "has no point named host; link switch host" "$situ" simulate --cluster "$scratch/large" --exchange host --bytes 1MB
expect "a program that is not there" 1 "" "cannot be run: No such file" $simulate ./none
expect "a program that fails" 1 "" "as one of 1 ranks, ended with status 2" $simulate "$situ" train --epochs many
expect "a program without situ" 1 "" "true: it left no trace" $simulate true
expect "a program that does not train" 1 "" "(left no trace|made 0 steps of an optimizer)" $simulate "$situ" devices
# What docs/simulate.md says of published figures: the median, the least and the most of predicted over published.
SITU_BUILD_DIR=$(dirname "$(realpath "$situ")") python3 bench/published >"$scratch/published" || status=1
for set in "fit: 20 figures of 4 sources, median ([0-9.]+), from ([0-9.]+) to ([0-9.]+)|set from" "held: 20 figures of 4 sources, median ([0-9.]+), from ([0-9.]+) to ([0-9.]+)|held back"; do
    row=$(sed -nE "s/^${set%|*}$/| \\1 | \\2 | \\3 |/p" "$scratch/published")
    [ -n "$row" ] && grep "^| the twenty .*${set#*|}" docs/simulate.md | grep -qF "$row" || { echo "FAIL simulate: docs/simulate.md does not say '$row' of what is ${set#*|}"; tail -2 "$scratch/published"; status=1; }
done
[ $status -ne 0 ] || echo "PASS simulate: the book's figures, programs, mistakes"
exit $status
