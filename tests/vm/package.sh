#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In a systemd guest without donor: the Debian package, in its first version and a later one, is
# installed, upgraded, removed and purged.

set -eu

fail() { echo "package: FAILED: $*"; exit 1; }
runs() { [ "$(cat /sys/kernel/sched_ext/root/ops 2>/dev/null)" = "$1" ]; }
quietly() { "$@" >/tmp/said 2>&1 || { cat /tmp/said; fail "$*"; }; }

quietly dpkg -i "$1"
systemctl is-enabled --quiet donord || fail 'not enabled by the installation'
[ "$(systemctl is-enabled donord-metrics.socket)" = disabled ] || fail 'the installation offers metrics'
systemctl is-active --quiet donord-metrics.socket && fail 'the installation opens a port'
donorctl wait attached --timeout 60 || fail "not attached: $(donorctl)"
id donor >/dev/null || fail 'no user donor'
quietly donorctl set power

seq=$(cat /sys/kernel/sched_ext/enable_seq)
pid=$(systemctl show -P MainPID donord)
(while :; do runs donor || echo gap; done) >/tmp/gaps 2>&1 &
watcher=$!
quietly dpkg -i "$2"
donorctl wait attached --timeout 60 || fail "not attached after the upgrade: $(donorctl)"
kill $watcher
[ "$(systemctl show -P MainPID donord)" != "$pid" ] || fail 'the upgrade did not start the new program'
[ "$(cat /sys/kernel/sched_ext/enable_seq)" = "$seq" ] || fail 'the upgrade attached anew'
[ ! -s /tmp/gaps ] || fail 'the upgrade left a gap'

mkdir -p /etc/donor
echo '[Scheduler]' >/etc/donor/donor.conf
quietly dpkg -r donor
runs donor && fail 'attached after the removal'
[ -e /etc/donor/donor.conf ] || fail "the removal took the administrator's file"
quietly dpkg -P donor
[ ! -e /var/lib/donor ] || fail 'the purge left what the service remembered'
[ -z "$(dpkg -S donord 2>/dev/null)" ] || fail 'the package manager still knows files of donor'
echo 'package: installed, upgraded without a gap, removed, purged'
