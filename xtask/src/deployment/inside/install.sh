#!/bin/sh
# The first boot of the machine, as its process 1: installs what debootstrap has unpacked.
# What it prints on the second serial line is read outside.

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive

mount -o remount,rw /
mount -t devtmpfs devtmpfs /dev
exec > /dev/ttyS1 2>&1 < /dev/null

install() {
    # The disk is made anew if this doesn't come to its end.
    echo force-unsafe-io > /etc/dpkg/dpkg.cfg.d/unsafe-io &&
    /debootstrap/debootstrap --second-stage &&
    rm /etc/dpkg/dpkg.cfg.d/unsafe-io &&
    depmod "$(ls /lib/modules)" &&

    # Packages come from this disk: there is no network.
    echo 'deb [trusted=yes] file:/srv/archive bookworm main' > /etc/apt/sources.list &&
    # A person answers yes.
    echo 'APT::Get::Assume-Yes "true";' > /etc/apt/apt.conf.d/90yes &&
    apt-get update --quiet &&

    echo deployment > /etc/hostname &&
    echo '127.0.0.1 localhost deployment ttt.test' > /etc/hosts &&
    echo '::1 localhost' >> /etc/hosts &&
    echo '/dev/nvme0n1 / ext4 defaults 0 1' > /etc/fstab &&
    echo '/dev/nvme1n1 /repository ext4 defaults 0 2' >> /etc/fstab &&
    mkdir /repository &&
    # The first serial line has the kernel's messages and the log of the check.
    systemctl mask serial-getty@ttyS0.service &&
    systemctl enable deployment-check.service
}

if install; then
    echo end
else
    tail -n 40 /debootstrap/debootstrap.log
fi
# Without systemd there is nothing to ask: write all, mount read-only, switch off.
sync
mount -t proc proc /proc
for key in u o; do
    echo $key > /proc/sysrq-trigger
    sleep 5
done
