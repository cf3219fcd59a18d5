#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: attach.sh ROUNDS: what it takes to attach, to change the mode and to detach, as the client
# waits for it, and what donor holds in memory. A line for each figure: name and number.

set -eu

settle() { sleep 2; }
figure() { # name command...
	name=$1
	shift
	echo "$name $(/in/count "$@")"
}

donord 2> /tmp/donord.log &
service=$!
donorctl wait attached --timeout 60 > /dev/null || { cat /tmp/donord.log >&2; exit 1; }
/in/footprint > /tmp/footprint
awk '/verified instructions/ { verified += $2; code += $5; if ($2 + 0 > most) most = $2 + 0 }
	/bytes for each/ { task += $2 }
	END { print "verified", verified; print "verified_largest", most; print "code_bytes", code; print "task_bytes", task }' /tmp/footprint
i=0
while [ $i -lt "$1" ]; do
	settle
	figure client donorctl get
	figure mode donorctl set performance
	figure mode donorctl set balanced
	figure detach donorctl detach
	settle
	figure attach donorctl attach
	i=$((i + 1))
done
awk '/^VmHWM/ { print "service_kb", $2 }' /proc/$service/status
