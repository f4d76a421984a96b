#!/usr/bin/env bash
# usage: tests/release/results.sh FOLDER
# What the examples reach, mean of three keys: LeNet and a residual network on MNIST's IDX files in FOLDER, of which 1,000 images are
# held out, and CartPole by PPO. Five minutes or so on two cores.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
[ $# -eq 1 ] || { sed -n '2s/^# //p' "$0"; exit 2; }
folder=$1
build="${SITU_BUILD_DIR:-build}"
cmake --build "$build" --target example_lenet example_resnet example_cartpole_ppo >"$build/results.log" 2>&1 || { tail -n 20 "$build/results.log"; exit 1; }
status=0

# result NAME LEAST SECONDS VALUES TIMES: the mean of the values, the longest time.
result() {
    awk -v name="$1" -v least="$2" -v most="$3" -v values="$4" -v times="$5" 'BEGIN {
        n = split(values, v); split(times, t)
        for (i = 1; i <= n; i++) { sum += v[i]; if (t[i] > longest) longest = t[i] }
        good = n == 3 && sum / n >= least && (most == 0 || longest <= most)
        printf "%s results: %s: %.2f (%s), %.1f s at most", good ? "PASS" : "FAIL", name, n ? sum / n : 0, values, longest
        printf most ? "; at least %s in %s s\n" : "; at least %s\n", least, most
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
exit $status
