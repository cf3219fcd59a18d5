# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced in the guest by those who define `measure SCHEDULER WORD...`: so often as $rounds says it is called under
# the kernel's own scheduler, under donor, and under sched_ext's defaults, by turns.

# What has just been attached or detached has work left to do; where time is instructions, it is free.
turn() { # scheduler word...
	sleep 3
	measure "$@"
}

donord 2> /tmp/donord.log &
donorctl wait attached --timeout 60 || { cat /tmp/donord.log >&2; exit 1; }
donorctl detach > /dev/null
i=0
while [ $i -lt "$rounds" ]; do
	turn kernel "$@"
	donorctl attach > /dev/null
	turn donor "$@"
	donorctl detach > /dev/null
	/in/rival /in/rival.bpf.o > /dev/null &
	rival=$!
	sleep 3
	[ "$(cat /sys/kernel/sched_ext/root/ops)" = rival ]
	turn bare "$@"
	kill $rival
	wait $rival 2> /dev/null || true
	i=$((i + 1))
done
