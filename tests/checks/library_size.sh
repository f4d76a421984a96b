#!/usr/bin/env bash
# The stripped library stays under 5.0 MB, and no room of it (a folder of src, of backend and of backend/cpu) grows unseen: the bytes of
# code, constants and data in its objects are compared with library_size.txt. --update writes that from this build.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/objects.sh
build="${SITU_BUILD_DIR:-build}" table=tests/checks/library_size.txt most=5000000
for tool in strip size; do command -v $tool >/dev/null || { echo "SKIP library_size: no $tool"; exit 0; }; done
[ -f "$build/libsitu.so" ] || { echo "FAIL library_size: $build/libsitu.so is not built"; exit 1; }
grep -q '^CMAKE_BUILD_TYPE:STRING=Release$' "$build/CMakeCache.txt" && grep -q '^SITU_SANITIZE:STRING=$' "$build/CMakeCache.txt" ||
    { echo "SKIP library_size: $build is no release build"; exit 0; }

stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$build/libsitu.so" || { echo "FAIL library_size: strip"; exit 1; }
bytes=$(wc -c <"$stripped")

objects="$build/CMakeFiles/situ_objects.dir"
rooms=$(live_objects "$build" | xargs size | awk '$6 ~ /\.o$/ {
    sub(/^.*situ_objects.dir\/(sets\/)?src\//, "", $6)
    n = split($6, part, "/")
    room = part[1]
    for (i = 2; i < n && i < 4 && part[1] == "backend" && (i == 2 || part[2] == "cpu"); i++) room = room "/" part[i]
    sum[room] += $1 + $2
} END { for (room in sum) print room, sum[room] }' | LC_ALL=C sort)
compiler=$(strings -n 8 "$build/libsitu.so" | grep -m 1 -oE '^(GCC: \([^)]*\) [0-9]+|.*clang version [0-9]+)' | sed -E 's/^GCC: .* /gcc /; s/.*clang version /clang /')
if [ "${1:-}" = --update ]; then
    { echo "# Bytes of code, constants and data by room, compiled by $compiler for $(uname -m); bash tests/checks/library_size.sh --update writes it."
        printf '%s\n' "$rooms"; } >"$table"
    echo "$table: $(grep -vc '^#' "$table") rooms"
    exit 0
fi

status=0
awk 'BEGIN { format = "     %-24s %9s %9s %8s\n"; printf format, "room", "bytes", "listed", "change" }
    $1 == "#" { next }
    NR == FNR { listed[$1] = $2; old += $2; next }
    { sum += $2; printf format, $1, $2, $1 in listed ? listed[$1] : "-", $1 in listed ? sprintf("%+d", $2 - listed[$1]) : "new" }
    END { printf format, "all objects", sum, old, sprintf("%+d", sum - old) }' "$table" <(printf '%s\n' "$rooms")
meant="if that is meant: bash $0 --update"
if grep -q "compiled by $compiler for $(uname -m);" "$table"; then
    grown=$(awk -v meant="$meant" '$1 == "#" { next }
        NR == FNR { listed[$1] = $2; next }
        { seen[$1]; by = $2 - listed[$1] }
        by > 20000 && by > listed[$1] / 20 { print $1 " has " $2 " bytes, " by " more than is listed; " meant }
        END { for (room in listed) if (!(room in seen)) print room " is listed and is not there; " meant }' "$table" <(printf '%s\n' "$rooms"))
    if [ -n "$grown" ]; then
        printf '%s\n' "$grown" | sed 's/^/FAIL library_size: /'
        status=1
    else
        echo "PASS library_size: no room has grown by more than 5 % and 20 KB"
    fi
else
    echo "SKIP library_size: the rooms are listed as $(sed -nE '1s/.*compiled by (.*);.*/\1/p' "$table") makes them, not $compiler for $(uname -m)"
fi
if [ "$bytes" -ge "$most" ]; then
    echo "FAIL library_size: $bytes bytes stripped, $most or more; the largest files:"
    find "$objects" -name '*.o' -exec size {} + | sort -n | awk '$1 > 50000 && $6 ~ /\.o$/ {print "     " $1, $6}' | tail -n 8
    exit 1
fi
echo "PASS library_size: $bytes bytes stripped, of $most"
exit $status
