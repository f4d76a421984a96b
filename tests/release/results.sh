#!/usr/bin/env bash
# usage: tests/release/results.sh FOLDER [TEXT]
# What the examples reach, mean of three keys: LeNet and a residual network on MNIST's IDX files in FOLDER, of which 1,000 images are
# held out, and CartPole by PPO: five minutes or so on two cores. With a text (tinyshakespeare), what a GPT of four blocks reaches on
# its last tenth, too: 2000 steps of 12 and of 32 rows, half an hour more.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
[ $# -eq 1 ] || [ $# -eq 2 ] || { sed -n '2s/^# //p' "$0"; exit 2; }
folder=$1
build="${SITU_BUILD_DIR:-build}"
cmake --build "$build" --target example_lenet example_resnet example_cartpole_ppo >"$build/results.log" 2>&1 || { tail -n 20 "$build/results.log"; exit 1; }
status=0

# result NAME LEAST SECONDS VALUES TIMES: the mean of the values, the longest time. LEAST below 0: at most so much, without the sign.
result() {
    awk -v name="$1" -v least="$2" -v most="$3" -v values="$4" -v times="$5" 'BEGIN {
        n = split(values, v); split(times, t)
        for (i = 1; i <= n; i++) { sum += v[i]; if (t[i] > longest) longest = t[i] }
        good = n == 3 && (least < 0 ? sum / n <= -least : sum / n >= least) && (most == 0 || longest <= most)
        printf "%s results: %s: %.2f (%s), %.1f s at most", good ? "PASS" : "FAIL", name, n ? sum / n : 0, values, longest
        printf "; %s%s\n", least < 0 ? "at most " (-least) : "at least " least, most ? " in " most " s" : ""
        exit !good }' || status=1
}

for row in "lenet 98 20" "resnet 99 0"; do
    read -r name least most <<<"$row"
    values="" times=""
    for key in 0 1 2; do
        read -r value time <<<"$("$build/examples/$name" "$folder" "$key" | sed -n 's/^held-out accuracy \([0-9.]*\) % after \([0-9.]*\) s$/\1 \2/p')"
        values="$values $value" times="$times $time"
    done
    result "$name on MNIST, accuracy in %" "$least" "$most" "$values" "$times"
done
values="" times=""
for key in 0 1 2; do
    start=$(date +%s.%N)
    value=$("$build/examples/cartpole_ppo" "$key" | sed -n 's/.*100 episodes took \([0-9]*\) on average$/\1/p' | tail -n 1)
    values="$values $value" times="$times $(echo "$(date +%s.%N) - $start" | bc)"
done
result "CartPole by PPO, mean of 100 episodes" 475 60 "$values" "$times"
if [ -n "${2:-}" ]; then
    cc -std=gnu11 -O2 -Iinclude tests/release/gpt_letters.c -o "$build/gpt_letters" -L"$build" -lsitu -Wl,-rpath,"$build" || exit 1
    for row in "12 2000 1.88 180" "32 2000 1.75 1200"; do
        read -r rows steps least most <<<"$row"
        values="" times=""
        for key in 0 1 2; do
            read -r value time <<<"$("$build/gpt_letters" "$2" "$key" "$rows" "$steps" | sed -n "s/^step $steps: .* held out \([0-9.]*\), \([0-9.]*\) s\$/\1 \2/p")"
            values="$values $value" times="$times $time"
        done
        result "a GPT, $steps steps of $rows rows, nats a letter" "-$least" "$most" "$values" "$times"
    done
fi
exit $status
