#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In a systemd guest without donor: ./run --install from files that were built before, a start, and
# ./run --uninstall, after which nothing of it is left.

set -eu

fail() { echo "install: FAILED: $*"; exit 1; }

# Without what no part of donor goes to: the guest's file server has a descriptor for each file seen.
files() {
	find /etc /usr /var/lib -xdev \
		\( -path /usr/include -o -path '/usr/lib/python3*' -o -path /usr/share/lintian -o -path '/usr/share/perl*' \) -prune -o \
		! -path '/var/lib/systemd/*' ! -path '*/__pycache__*' ! -name '*-' -print | sort
}

files >/tmp/before
if setpriv --reuid=65534 --clear-groups /in/checkout/run --install --yes 2>/tmp/refusal; then
	fail 'installed without being root'
fi
grep -q 'as root' /tmp/refusal || fail "an unclear refusal: $(cat /tmp/refusal)"

/in/checkout/run --install --yes --from /in/vm-root
[ "$(cat /sys/kernel/sched_ext/root/ops)" = donor ] || fail 'not attached after the installation'
systemctl is-enabled donord
if /in/checkout/run --install --yes 2>/tmp/refusal; then
	fail 'installed a second time'
fi
grep -q 'uninstall first' /tmp/refusal || fail "an unclear refusal: $(cat /tmp/refusal)"

# Started by whoever calls it.
systemctl stop donord
donorctl set power
[ "$(donorctl get)" = power ] || fail 'not started by a call on the bus'

/in/checkout/run --uninstall --yes
[ "$(cat /sys/kernel/sched_ext/state)" = disabled ] || fail 'still attached after the removal'
files >/tmp/after
diff /tmp/before /tmp/after || fail 'files are left, or gone that were there before'
if id donor 2>/dev/null; then
	fail 'the user donor is left'
fi
echo 'install: installed, used, removed without a trace'
