# The library's objects whose sources are there: one whose source was taken away stays in a build. Sourced, in the root of the tree.
# live_objects BUILD
live_objects() {
    local objects="$1/CMakeFiles/situ_objects.dir" object source
    find "$objects" -name '*.o' | while read -r object; do
        source=${object#"$objects"/}
        case $source in
            sets/*) # of kernels for one instruction set
                [ -f "$1/${source%.o}" ] || continue
                source=${source#sets/} source=${source%_*}_kernels.c.o ;;
        esac
        [ ! -f "${source%.o}" ] || printf '%s\n' "$object"
    done
}
