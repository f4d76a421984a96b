# The library's objects whose sources are there: one whose source was taken away stays in a build. Sourced, in the root of the tree.
# live_objects BUILD
live_objects() {
    local objects="$1/CMakeFiles/situ_objects.dir" object source
    find "$objects" -name '*.o' | while read -r object; do
        source=${object#"$objects"/}
        case $source in
            sets/*) source=${source#sets/} source=${source%_*}_kernels.c.o ;; # of kernels for one instruction set
        esac
        [ ! -f "${source%.o}" ] || printf '%s\n' "$object"
    done
}
