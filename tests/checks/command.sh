#!/usr/bin/env bash
# The command: exit codes, messages on stderr, plain text in pipes, the last line of `situ train`.
set -u
cd "$(dirname "$0")/../.." || exit 1
check=command
. tests/support/expect.sh

expect "no command" 2 "" "usage" "$situ"
expect "help" 0 "devices" "" "$situ" help
expect "help environment" 0 "SITU_SIM_REALTIME=1, 200, auto   .default: 0." "" "$situ" help environment
expect "help of a function" 0 ".axis = -1: the axis" "" "$situ" help softmax
for header in include/situ/*.h; do # each header is in the command
    name=$(grep -oE '^SITU_API [^;(]*' "$header" | grep -oE 'situ_[a-z0-9_]+$' | head -n 1)
    [ -z "$name" ] || expect "help $name" 0 "include <situ/$(basename "$header")>" "" "$situ" help "$name"
done
for name in $(. scripts/lib.sh && public_functions); do # as each function is called
    "$situ" help "$name" >"$scratch/out" 2>&1 && grep -q "$name(" "$scratch/out" && ! grep -qE 'situ_site site|SITU_BY_NAME' "$scratch/out" ||
        { echo "FAIL command: help $name"; head -n 5 "$scratch/out"; status=1; }
done
expect "help of a function by its whole name" 0 "weight_decay = 0.01 in" "" "$situ" help situ_adamw
cp tests/fuzz/corpus/onnx/gemm.bin "$scratch/net.onnx"
expect "info of a model" 0 "^operators Relu 1, Reshape 1, Gemm 1" "" "$situ" info "$scratch/net.onnx"
expect "info of a model that is not there" 1 "" "No such file" "$situ" info "$scratch/none.onnx"
expect "--help" 0 "exit status" "" "$situ" --help
expect "--version" 0 "^situ [0-9]+\.[0-9]+\.[0-9]+$" "" "$situ" --version
[ ! -w /dev/full ] || "$situ" --version >/dev/full 2>"$scratch/err" && { echo "FAIL command: output that cannot be written: ended with 0"; status=1; }
expect "unknown command" 2 "" "did you mean train" "$situ" trian
for command in devices train report timeline tune chapter diff data verify; do
    expect "$command --help" 0 "^usage: situ $command" "" "$situ" "$command" --help
    expect "help $command" 0 "^usage: situ $command" "" "$situ" help "$command"
    expect "$command with an unknown option" 2 "" "unknown option --hlep; did you mean --help" "$situ" "$command" --hlep
done
for command in train tune chapter diff; do # each option with each of these: an error speaks of the command, not of C
    for option in $("$situ" "$command" --help | grep -oE -- "--[a-z-]+" | sort -u | grep -vxE -- "--(help|plot|report|checkpoint|proof|output|list|show)"); do
        for value in "" abc -1 1e99 99999999999999999999 nan "$scratch/none" .hidden; do
            case $command in train) more="--epochs 1 --quiet" ;; *) more="--no-such-option" ;; esac
            SITU_SIM_GPUS=1 timeout 20 "$situ" "$command" "$option" "$value" $more >"$scratch/out" 2>"$scratch/err" </dev/null
            code=$?
            [ $code -eq 0 ] && [ $command = train ] && continue
            [ $code -le 2 ] && [ -s "$scratch/err" ] && ! grep -qE "situ_[a-z]|SHAPE\(|AXES\(|NULL|cli/" "$scratch/err" && continue
            echo "FAIL command: $command $option '$value': $(head -n 1 "$scratch/err")"
            status=1
        done
    done
done
for wrong in "--data abc" "--data ." "--data /" "--device abc" "--plot $scratch/none/x --epochs 1 --quiet"; do
    expect "train $wrong" "[12]" "*" "^situ train: [^_]*$" "$situ" train $wrong
done
expect "a folder that is not there" "[12]" "*" '"abc": No such file' "$situ" train --data abc
expect "devices" 0 "^cpu\(0\) .*bit-equal" "" env SITU_SIM_GPUS=2 "$situ" devices
expect "devices, looked at three times" 0 "^gpu\(0\) " "" env SITU_SIM_GPUS=1 "$situ" devices --watch --every .01 --times 3
[ "$(grep -c '^gpu(0) ' "$scratch/out")" = 3 ] && ! grep -q "^absent" "$scratch/out" || { echo "FAIL command: --watch did not look three times"; status=1; }
SITU_SIM_GPUS=1 "$situ" train --device 'gpu(0)' --epochs 100000 --quiet >/dev/null 2>&1 & # a card as seen from another terminal
other=$!
for _ in $(seq 100); do # until it holds memory there, at most 10 seconds
    "$situ" devices --watch --times 1 >"$scratch/out"
    grep -qE "^  gpu\(0\) +$other +[0-9.]+ [KM]iB  .*simulated; of .*, busy" "$scratch/out" && break
    sleep .1
done
kill "$other"
wait "$other" 2>/dev/null
grep -qE "^  gpu\(0\) +$other +[0-9.]+ [KM]iB" "$scratch/out" || { echo "FAIL command: devices does not show the simulated card of another process"; cat "$scratch/out"; status=1; }
expect "devices: absent ones" 0 "cuda: |^gpu\(0\)" "" env SITU_SIM_GPUS=0 "$situ" devices
expect "a default device from the environment" 0 "accuracy" "" env SITU_SIM_GPUS=1 SITU_DEVICE="gpu(0)" "$situ" train --quiet --epochs 1
expect "... that is none" 1 "*" "SITU_DEVICE=fpu in the environment is no device" env SITU_DEVICE=fpu "$situ" train --quiet --epochs 1
for wish in SITU_THREADS=lots SITU_THREADS=2000 SITU_ISA=base SITU_BLAS=fast SITU_CPU_MEMORY=much; do
    expect "$wish" 1 "*" "$wish( in the environment)? is no " env "$wish" "$situ" train --quiet --epochs 1
done
for wish in SITU_THREADS= SITU_THREADS=0 SITU_THREADS=3 SITU_ISA= SITU_ISA=baseline SITU_BLAS= SITU_BLAS=own; do
    expect "$wish" 0 "%$" "" env "$wish" "$situ" train --quiet --epochs 1
done
expect "tuning with SITU_THREADS=lots" 1 "*" "is no number of threads" env SITU_THREADS=lots "$situ" tune --output "$scratch/tuned"
cat >"$scratch/dnnl.c" <<'C'
const struct { int version[3]; const char *hash; unsigned cpu, gpu; } tbb = {{3, 13, 0}, "", 4, 0};
const void *dnnl_version(void) { return &tbb; }
int dnnl_sgemm(void) { return 0; }
C
if cc -shared -fPIC "$scratch/dnnl.c" -o "$scratch/libdnnl.so.3" 2>/dev/null; then
    expect "a oneDNN with threads of its own" 0 "oneDNN \(libdnnl.so.2\)|kept to one thread: own" "" \
        env LD_LIBRARY_PATH="$scratch" SITU_BLAS=onednn "$situ" tune --show
fi
expect "devices of one backend alone" 0 "sim: left out" "" env SITU_SIM_GPUS=1 SITU_GPUS=opencl "$situ" devices
expect "devices with an argument" 2 "" "takes no arguments" "$situ" devices now
expect "a number that is none" 2 "" "whole number from 1" "$situ" train --epochs many
expect "an option without argument" 2 "" "needs an argument" "$situ" train --epochs
expect "an argument too many" 2 "" "unexpected argument" "$situ" train digits
expect "report without a place to write to" 2 "" "where to" "$situ" report a.html
expect "report of nothing" 2 "" "which reports" "$situ" report -o a.html
expect "report of what is not there" 1 "" "no such file" "$situ" report "$scratch/no such file" -o "$scratch/both.html"
expect "report of what is no report" 1 "" "is no report of a training" "$situ" report "$0" -o "$scratch/both.html"
expect "timeline without a place to write to" 2 "" "where to" "$situ" timeline a.json
expect "timeline of nothing" 2 "" "which traces" "$situ" timeline -o a.html
expect "timeline on an unknown clock" 2 "" "here or simulated" "$situ" timeline --clock sun a.json -o a.html
expect "timeline of what is not there" 1 "" "no such trace" "$situ" timeline "$scratch/no such trace" -o "$scratch/a.svg"
expect "report in a folder that is not there" 1 "" "cannot write the report" "$situ" train --epochs 1 --quiet --report "$scratch/none/x.html"
SITU_SIM_GPUS=2 expect "two simulated GPUs" 0 "accuracy .* %$" "" "$situ" train --gpus 2 --epochs 1 --quiet
expect "--gpus and --device" 2 "" "one of them" "$situ" train --gpus 1 --device cpu
expect "a device that is not there" 1 "*" "gpu\(31\) does not exist" "$situ" train --device 'gpu(31)' --epochs 1
expect "a folder that is not there" 1 "" "No such file" "$situ" train --data "$scratch/none"
expect "a picture that cannot be written, before training" 1 "" "cannot write the picture" "$situ" train --quiet --epochs 100000 --plot /dev/null/x
echo old >"$scratch/old.svg"
expect "training that fails" 1 "" "does not exist" "$situ" train --quiet --device 'gpu(31)' --plot "$scratch/old.svg"
[ "$(cat "$scratch/old.svg")" = old ] || { echo "FAIL command: an old picture was lost by training that failed"; status=1; }
mkfifo "$scratch/pipe.svg"
cat "$scratch/pipe.svg" >"$scratch/piped.svg" &
expect "a picture into a pipe" 0 "%$" "" timeout 60 "$situ" train --quiet --epochs 1 --plot "$scratch/pipe.svg"
wait
grep -q '</svg>' "$scratch/piped.svg" || { echo "FAIL command: no picture came out of the pipe"; status=1; }
expect "an unknown row" 2 "" "no row Z9" "$situ" chapter Z9
expect "rows with nothing to draw" 2 "*" "K1 to K4 do" "$situ" chapter --brief --plot "$scratch/none.svg" C1
expect "the plot of a row" 0 "the plot is in" "" env SITU_SIM_GPUS=2 SITU_CHAPTER_SMALL=1 "$situ" chapter --brief --plot "$scratch/K.svg" K1 K4
[ "$(grep -c 'class="bar' "$scratch/K.svg")" -ge 7 ] || { echo "FAIL command: chapter --plot drew too few bars"; status=1; }
expect "a plot that cannot be written" 1 "*" "cannot write the picture" env SITU_CHAPTER_SMALL=1 "$situ" chapter --brief --plot /dev/null/x K4
expect "the times of a row" 0 "all figures hold" "" env SITU_GPUS=sim SITU_SIM_REALTIME=100 SITU_CHAPTER_SMALL=1 "$situ" chapter --times 2 I4 K4
expect "the crossing of exercise 1" 0 "from 135 x 135 on the GPU is faster" "" env SITU_GPUS=sim SITU_CHAPTER_SMALL=1 "$situ" chapter --brief K1
expect "how often is missing" 2 "" "times" "$situ" chapter --times K4
expect "the list of rows" 0 "^E1: " "" "$situ" chapter --list
export SITU_TUNING="$scratch/config/tuning"
expect "tune: no file yet" 0 "no tuning file: $SITU_TUNING does not exist" "" "$situ" tune --show
expect "tune" 0 "2 of 2 +f64 8x8x8 .*\\*" "" "$situ" tune --sizes 16x16x16,f64:8x8x8 --seconds 0
expect "tune: the file" 0 "tuning: 2 sizes" "" "$situ" tune --show
sed -i '/^end/d' "$SITU_TUNING"
expect "tune: a damaged file" 0 "is not used: line 5: the end is missing" "" "$situ" tune --show
expect "tune: sizes that are none" 2 "" "takes a list as" "$situ" tune --sizes 16x16
expect "tune: no folder" 1 "*" "tuning: .*(Not a directory|Permission denied)" "$situ" tune --sizes 16x16x16 --output /dev/null/tuning
unset SITU_TUNING
expect "quiet training" 0 "^accuracy.* [0-9][0-9]\.[0-9][0-9] %$" "" "$situ" train --quiet --epochs 2
[ "$(wc -l <"$scratch/out")" -eq 1 ] || { echo "FAIL command: --quiet prints more than one line"; status=1; }
expect "training" 0 "train loss" "" "$situ" train --epochs 2 --plot "$scratch/curves.svg"
tail -n 1 "$scratch/out" | grep -qE ' [0-9][0-9]\.[0-9][0-9] %$' || { echo "FAIL command: the last line of train has no accuracy"; status=1; }
grep -q '</svg>' "$scratch/curves.svg" || { echo "FAIL command: --plot wrote no picture"; status=1; }
[ $status -ne 0 ] || echo "PASS command: exit codes, messages, last line"
exit $status
