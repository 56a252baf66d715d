#!/bin/sh
# Runs php-tests/power/power.inc: a writer commits in a file system in a file, and the file is copied at random moments, as a
# loss of power would leave a disk. What each copy contains is compared with the commits that were told.
#
#   TIMES=100 scripts/test-power.sh path/to/postings.so
#
# Only fsync and its relatives may make anything durable: the options forbid what file systems do on their own to programs
# that forget it, and each round is shorter than the time after which the system writes what is dirty. The file lies in an XFS
# of its own, which copies it in one step (reflinks) between two writes, without stopping anything. So a copy has all that the
# disk had acknowledged, in the order in which it did, also in the middle of the file system's own commit.
set -u
cd "$(dirname "$0")/.." || exit 1
what=power
. scripts/packages.sh

extension=$(realpath "$1") || exit 1
php=$(command -v "${PHP:-php}") || exit 1
[ "$(id -u)" = 0 ] || skip 'needs root, to mount file systems'
"$php" -n -r 'exit(function_exists("pcntl_fork") ? 0 : 1);' || skip "needs PHP's pcntl"
PATH=$PATH:/usr/sbin:/sbin
if ! command -v mkfs.ext4 >/dev/null || ! command -v mkfs.xfs >/dev/null || ! command -v mkfs.btrfs >/dev/null; then
    install_or_skip e2fsprogs xfsprogs btrfs-progs
fi

folder=$(mktemp -d) || exit 1
disk=$folder/disk
# shellcheck disable=SC2317  # the trap calls it
clean() {
    for mounted in "$disk"/*/live "$disk"; do
        # A writer whose driver was killed ends when it tells its next commit.
        ! mountpoint -q "$mounted" || umount "$mounted" 2>/dev/null || umount -l "$mounted"
    done
    rm -rf --one-file-system "$folder"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

mkdir "$disk" && truncate -s 2G "$folder/image" && mkfs.xfs -q -m reflink=1 "$folder/image" || exit 1
mount -t xfs -o loop "$folder/image" "$disk" || skip 'cannot mount an XFS in a file, see above'
cc -O2 -Wall -shared -fPIC -o "$folder/no_sync.so" php-tests/power/no_sync.c || exit 1

status=0
tried=''
while read -r type options; do
    grep -qw "$type" /proc/filesystems || modprobe -q "$type" || { say "the kernel has no $type"; continue; }
    tried="$tried $type"
    mkdir "$disk/$type$options" || exit 1
    if ! "$php" -n -d memory_limit=1G -d "extension=$extension" php-tests/power/power.inc \
        "$disk/$type$options" "$type" "$options" "${TIMES:-100}" "$extension" "$folder/no_sync.so"; then
        status=1
        mkdir -p target && cp --sparse=always "$disk/$type$options/image" "target/power-$type" &&
            say "the file system as it was left is in target/power-$type"
    fi
    mountpoint -q "$disk/$type$options/live" && umount "$disk/$type$options/live"
    rm -rf --one-file-system "${disk:?}/$type$options"
done <<LIST
ext4 commit=300,noauto_da_alloc,data=ordered
ext4 commit=300,noauto_da_alloc,data=writeback
xfs defaults
btrfs commit=300
LIST
[ -n "$tried" ] || skip 'the kernel has none of the file systems'
exit "$status"
