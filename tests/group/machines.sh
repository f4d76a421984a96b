#!/bin/sh
# machines.sh COMMANDS: runs them in a shell on a machine node1, which has a neighbour node2: two network namespaces that a veth joins,
# with an `ssh` that starts a program in the other one. What is left of it when the shell
# ends is killed. Needs no rights but user namespaces; 77: they cannot be made.
unshare -Urnmupf --mount-proc true 2>/dev/null && command -v ip >/dev/null || exit 77
exec unshare -Urnmupf --mount-proc --kill-child sh -c '
set -e
mount -t tmpfs none /run
mount -t tmpfs none /dev/shm
mkdir /run/netns /run/bin /run/tmp
printf "127.0.0.1 localhost\n10.77.0.1 node1\n10.77.0.2 node2\n" >/run/hosts
mount --bind /run/hosts /etc/hosts
cat >/run/bin/ssh <<"END"
#!/bin/sh
while [ "${1#-}" != "$1" ]; do [ "$1" = -o ] && shift; shift; done
n=${1##*[.e]}
shift
exec ip netns exec m2-$n unshare -u sh -c "hostname node$n; $*"
END
chmod +x /run/bin/ssh
for n in 1 2; do
    ip netns add m2-$n
    ip netns exec m2-$n ip link set lo up
done
ip link add m2v1 netns m2-1 type veth peer name m2v2 netns m2-2
for n in 1 2; do
    ip netns exec m2-$n ip addr add 10.77.0.$n/24 dev m2v$n
    ip netns exec m2-$n ip link set m2v$n up
done
sleep 1
export TMPDIR=/run/tmp PATH=/run/bin:$PATH UCX_TLS=tcp,self
exec ip netns exec m2-1 unshare -u sh -c "hostname node1; $1"
' sh "$1"
