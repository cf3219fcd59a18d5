#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: instructions.sh ROUNDS NAME=CPUS...: measure each layout under the kernel's own
# scheduler, under donor, and under sched_ext's defaults, by turns. A line of JSON per measurement.

set -eu

rounds=$1
shift

# What has just been attached or detached has work left to do; where time is instructions, it is free.
settle() { sleep 3; }

measure() { # scheduler layout...
	scheduler=$1
	shift
	settle
	for layout; do
		cpus=${layout#*=}
		printf '{"scheduler": "%s", "layout": "%s", "result": %s}\n' "$scheduler" "${layout%%=*}" \
			"$(/in/switch ${cpus:+--cpus "$cpus"})"
	done
}

donord 2> /tmp/donord.log &
donorctl wait attached --timeout 60 || { cat /tmp/donord.log >&2; exit 1; }
donorctl detach > /dev/null
i=0
while [ $i -lt "$rounds" ]; do
	measure kernel "$@"
	donorctl attach > /dev/null
	measure donor "$@"
	donorctl detach > /dev/null
	/in/rival /in/rival.bpf.o > /dev/null &
	rival=$!
	sleep 3
	[ "$(cat /sys/kernel/sched_ext/root/ops)" = rival ]
	measure bare "$@"
	kill $rival
	wait $rival 2> /dev/null || true
	i=$((i + 1))
done
