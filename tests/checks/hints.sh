#!/usr/bin/env bash
# SITU_DEBUG=hints tells each mistake of hints.c once, with its line; what is right beside it gets no hint (nor do the programs of the pages: programs.py).
set -u
export SITU_SIM_GPUS=0 SITU_GPUS=sim # a machine without a GPU
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${SITU_BUILD_DIR:-$root/build}" && pwd)
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
source=$root/tests/checks/hints.c
status=0
cases=$(sed -n 's/^MISTAKE(\([a-z_]*\)).*/CASE(mistake, \1)/p; s/^RIGHT(\([a-z_]*\)).*/CASE(right, \1)/p' "$source" | grep -v '(name)' | tr '\n' ' ')
flags=$(grep -qs "SITU_SANITIZE:STRING=." "$build/CMakeCache.txt" && sed -n 's/^SITU_SANITIZE:STRING=\(..*\)/-fsanitize=\1/p' "$build/CMakeCache.txt")
# shellcheck disable=SC2086
${CC:-cc} $flags -O1 -std=gnu11 -Wno-unused-result "-DCASES=$cases" -I"$root/include" "$source" -o "$folder/hints" -L"$build" -lsitu -lpthread -lm -Wl,-rpath,"$build" ||
    { echo "FAIL hints: hints.c does not compile"; exit 1; }

# tells CASE WORDS [LINE]: one hint, with these words, that names the line marked so in the text of the case ("here") or of the file
tells() {
    local said line=$3
    said=$(SITU_DEBUG=hints "$folder/hints" "mistake_$1" 2>&1) || { echo "FAIL hints: $1 ends with $?: $said"; status=1; }
    case $line in
    here) line=$(awk -v name="MISTAKE($1)" 'index($0, name) {on = 1} on && /\/\* here \*\// {print NR; exit}' "$source") ;;
    *) line=$(grep -n "/\* here: $line \*/" "$source" | cut -d: -f1) ;;
    esac
    if [ "$(grep -c "situ: hint: " <<<"$said")" = 1 ] && grep -qF "hints.c:$line: $2" <<<"$said"; then
        told=$((told + 1))
    else
        echo "FAIL hints: $1 does not tell, once and of line $line, \"$2\": $said"
        status=1
    fi
    said=$("$folder/hints" "mistake_$1" 2>&1)
    [ -z "$said" ] || { echo "FAIL hints: $1 says without the word: $said"; status=1; }
}
told=0
tells softmax "cross_entropy: its logits are the result of softmax" here
tells softmax_of_another_shape "cross_entropy: its logits are the result of softmax" here
tells softmax_computed_before "cross_entropy: its logits are the result of softmax" here
tells sigmoid "binary_cross_entropy_with_logits: its logits are the result of sigmoid" here
tells nll "nll_loss: its log_probs are the result of softmax" here
tells kl "kl_div: its log_probs are the result of softmax" here
tells ctc "ctc_loss: its log_probs are the result of softmax" here
tells softmax_layer "cross_entropy: its logits are the result of softmax" fit
tells no_gpu "situ_trainer_new: it was to train on 1 GPU, and there are 0: it trains on cpu(0)" trainer
tells no_held_out "situ_trainer_fit: the held-out data \"digits\" has no rows" fit
tells no_rows "situ_loader_new: the data set \"digits\" has no rows" here
tells nan "situ_optimizer_step: the loss of step" step
tells nan_of_gradients "situ_item: a value that depends on trained parameters has become NaN" descend
tells threads "situ_optimizer_step: several threads make steps of one optimizer" threads
tells wait_for_what_did_not_start "exp: it is pending, and the wait for everything at " here
tells apart "situ_grad: the value does not depend on number 1 of what it is differentiated by" here
tells over_the_host "situ_grad: the value does not depend on number 0" here
said=$(SITU_DEBUG=hints "$folder/hints" mistake_no_scope 2>&1)
if [ "$(grep -c "hint: .*hints.c:.*tensors were recorded outside of any scope" <<<"$said")" = 1 ]; then told=$((told + 1)); else
    echo "FAIL hints: no_scope: $said"
    status=1
fi
mistakes=$(grep -o "CASE(mistake" <<<"$cases" | wc -l) quiet=0
[ "$told" = "$mistakes" ] || { echo "FAIL hints: $told of $mistakes mistakes are told"; status=1; }
for name in $(sed -n 's/^RIGHT(\([a-z_]*\)).*/\1/p' "$source"); do
    [ "$name" != name ] || continue
    said=$(SITU_DEBUG=hints "$folder/hints" "right_$name" 2>&1) || status=1
    if [ -z "$said" ]; then quiet=$((quiet + 1)); else echo "FAIL hints: right_$name: $said"; status=1; fi
done
[ $status -ne 0 ] || echo "PASS hints: $told mistakes are told once each, $quiet right programs get no hint"
exit $status
