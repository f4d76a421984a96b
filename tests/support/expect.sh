# For checks of the command, whose name is in $check: $situ, a folder $scratch that goes away at the end, $status, and expect.
situ="${SITU_BUILD_DIR:-build}/situ"
[ -x "$situ" ] || { echo "FAIL $check: $situ is not built"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

# expect TITLE CODE PATTERN_OUT PATTERN_ERR COMMAND...: an empty pattern wants empty output, "*" anything.
expect() {
    local title="$1" code="$2" out="$3" err="$4" got problem="" stream
    shift 4
    "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    got=$?
    [[ "$got" =~ ^$code$ ]] || problem="ended with $got, not $code"
    for stream in out err; do
        local pattern="${!stream}"
        if [ -z "$pattern" ]; then
            [ ! -s "$scratch/$stream" ] || problem="$problem; std$stream is not empty: $(head -n 1 "$scratch/$stream")"
        elif [ "$pattern" != "*" ]; then
            grep -qE -- "$pattern" "$scratch/$stream" || problem="$problem; std$stream has no '$pattern'"
        fi
    done
    if grep -q $'\033' "$scratch/out" "$scratch/err"; then problem="$problem; it has escapes in a pipe"; fi
    [ -n "$problem" ] || return 0
    echo "FAIL $check: $title: $problem"
    head -5 "$scratch/out" "$scratch/err"
    status=1
}
