#!/usr/bin/env bash
# Cards of several processes, on real ones: two ranks, each with a card of its own, or both on one where NCCL is 2.30 or newer.
# A line PASS, FAIL or SKIP for each thing. Its programs, `situ`, `situ-tests` and `group-cards` (tests/group/cards.c), are in FOLDER,
# beside which it needs mpiexec: of FOLDER/mpich, else on the path, or SITU_MPIEXEC.
#
#   usage: tests/gpu/nccl.sh FOLDER
set -uo pipefail
folder=$(cd "${1:?usage: tests/gpu/nccl.sh FOLDER}" && pwd) || exit 1
mpiexec="${SITU_MPIEXEC:-$([ -x "$folder/mpich/bin/mpiexec" ] && echo "$folder/mpich/bin/mpiexec" || command -v mpiexec mpirun | head -n 1)}"
log=$(mktemp -d) || exit 1
trap 'rm -rf "$log"' EXIT
failed=0

# The newest of a library among Python's packages, where the system has none.
find_library() { # FILE
    ldconfig -p 2>/dev/null | grep -q " $1 " && return
    "${SITU_PYTHON:-python3}" - "$1" <<'PY'
import pathlib, sys
found = [p for folder in sys.path if folder for p in pathlib.Path(folder).glob("nvidia/**/" + sys.argv[1])]
print(max(found, key=str) if found else "")
PY
}
for row in SITU_NCCL:libnccl.so.2 SITU_NVRTC:libnvrtc.so.13 SITU_NVRTC:libnvrtc.so.12; do
    name=${row%%:*}
    [ -n "${!name:-}" ] && continue
    file=$(find_library "${row#*:}")
    if [ -n "$file" ]; then export "$name=$file"; fi
done
if ! "$folder/situ" devices >"$log/devices" 2>&1 || ! grep -q '^gpu(0)' "$log/devices"; then
    echo "SKIP cards of processes: there is no card"
    exit 0
fi
nccl=$(sed -n '/^cards of processes/{n;s/^  //;p}' "$log/devices")
cards=$(grep -c '^gpu(' "$log/devices")
echo "$nccl; $cards card(s); ${SITU_NCCL:-libnccl.so.2}; $mpiexec"

export SITU_CUBLASLT=none SITU_CUDNN=none SITU_GPUS=cuda SITU_SIM_GPUS=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Each rank on its card, where there are two.
ranks() { # N PROGRAM...
    local n=$1
    shift
    if [ "$cards" -gt 1 ]; then
        timeout "${SITU_PART_SECONDS:-60}" "$mpiexec" -n "$n" sh -c 'CUDA_VISIBLE_DEVICES=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-$PMI_RANK}} exec "$@"' ranks "$@"
    else
        timeout "${SITU_PART_SECONDS:-60}" "$mpiexec" -n "$n" "$@"
    fi
}
verdict() { # STATUS TITLE FILE
    if [ "$1" = 0 ]; then
        echo "PASS $2"
    else
        failed=1
        echo "FAIL $2: $(grep -v '^$' "$3" | tail -n 4 | cut -c 1-400 | tr '\n' ' ')"
    fi
}
values() { # TITLE
    start=$(date +%s)
    ranks 2 "$folder/group-cards" values large >"$log/values" 2>&1
    [ "$(grep -c ': of 2 by .*: 0 wrong$' "$log/values")" = 2 ]
    verdict $? "$1: collectives have the CPU's values ($(($(date +%s) - start)) s)" "$log/values"
}
hashes() { sed -n 's/^sha256 of the weights: \([0-9a-f]*\).*/\1/p' "$1" | sort | uniq -c | sed 's/^ *//'; }
train=(train --quiet --epochs 2 --hidden 64 --hash --device 'gpu(0)')

SITU_TEST_CUDA=real timeout 60 "$folder/situ-tests" nccl/one_real_card >"$log/one" 2>&1
status=$?
if grep -q '1 skipped' "$log/one"; then echo "SKIP NCCL with one rank: $nccl"; else verdict $status "NCCL with one rank ($nccl)" "$log/one"; fi
if [ -z "$mpiexec" ]; then
    echo "SKIP two ranks: there is no mpiexec"
    exit $failed
fi

timeout 60 "$folder/situ" "${train[@]}" --deterministic >"$log/one" 2>&1
one=$(hashes "$log/one" | cut -d' ' -f2)
same() { # TITLE WANTED FILE
    [ -n "$one" ] && [ "$(hashes "$3")" = "$2" ]
    verdict $? "$1" "$3"
}
SITU_NCCL=none values "two ranks without NCCL"
SITU_NCCL=none ranks 2 "$folder/situ" "${train[@]}" --deterministic >"$log/train" 2>&1
same "two ranks without NCCL: the digits end in the weights of one process" "2 $one" "$log/train"
[ -n "${FAKECUDA_DEVICES:-}" ] || SITU_NCCL=none ranks 2 "$folder/group-cards" times 2>&1

case "$nccl" in
"NCCL "*) ;;
*) echo "SKIP two ranks by NCCL: $nccl"; exit $failed ;;
esac
version=${nccl#NCCL }
minor=${version#*.}
if [ "$cards" -lt 2 ] && { [ "${version%%.*}" -lt 2 ] || [ "${minor%%.*}" -lt 30 ]; }; then
    ranks 2 "$folder/group-cards" fail 0 >"$log/alike" 2>&1
    [ "$(grep -c 'Duplicate GPU.*each rank takes a card of its own' "$log/alike")" -ge 1 ]
    verdict $? "two ranks on one card are refused by $nccl, with the sentence that mends it" "$log/alike"
    echo "SKIP two ranks by NCCL: there is one card, which two ranks share from NCCL 2.30 on; this is $nccl"
    exit $failed
fi
[ "$cards" -gt 1 ] || export NCCL_MULTI_RANK_GPU_ENABLE=1
values "two ranks by $nccl"
for mode in --deterministic ''; do
    ranks 2 "$folder/situ" "${train[@]}" $mode >"$log/train" 2>&1
    [ -n "$mode" ] || one=$(hashes "$log/train" | cut -d' ' -f2)
    same "two ranks by $nccl: the digits, ${mode:-fast}: $([ -n "$mode" ] && echo "the weights of one process" || echo "the same weights on both")" "2 $one" "$log/train"
done
[ -n "${FAKECUDA_DEVICES:-}" ] || ranks 2 "$folder/group-cards" times 2>&1
for what in 'cpu 1:its tensor is on the card on all ranks, or on none' 'exit 1:rank 1 has ended'; do
    # shellcheck disable=SC2086 # two words
    ranks 2 "$folder/group-cards" ${what%%:*} >"$log/mistake" 2>&1
    grep -q "${what#*:}" "$log/mistake"
    verdict $? "two ranks by $nccl: ${what%%:*} is told" "$log/mistake"
done
start=$(date +%s)
ranks 2 "$folder/group-cards" kill 1 >"$log/kill" 2>&1
[ $(($(date +%s) - start)) -lt 20 ]
verdict $? "two ranks by $nccl: a rank that is killed ends all" "$log/kill"
exit $failed
