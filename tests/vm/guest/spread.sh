#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What --throttle is for, shown in the guest: the same work by four pinned workers on four cores,
# on two cores with both siblings busy, and on one CPU. Prints the times of each round and, at the
# end, the medians of their ratios. Needs 2x2x2, where siblings are 0-1, 2-3, 4-5, 6-7.
# Usage: spread.sh [LOOPS [ROUNDS]]
loops=${1:-25000}
rounds=${2:-3}

now() { # hundredths of a second
	read -r up _ < /proc/uptime
	echo "${up%.*}${up#*.}"
}

seconds_on() { # CPU...: set $took
	begun=$(now)
	for cpu; do
		taskset -c "$cpu" busybox awk -v n="$loops" 'BEGIN { for (i = 0; i < n; i++) x += i }' &
		pids="$pids $!"
	done
	wait $pids
	pids=
	took=$(($(now) - begun))
}

median() { # NUMBER...
	printf '%s\n' "$@" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# Each round is a pair in itself: the host is not as fast in the next one.
round=0
while [ $round -lt "$rounds" ]; do
	seconds_on 0 2 4 6; c=$took
	seconds_on 0 1 2 3; pairs="$pairs $((took * 100 / c))"; p=$took
	seconds_on 0 0 0 0; one="$one $((took * 100 / c))"
	echo "cores ${c}0 ms, siblings ${p}0 ms, one CPU ${took}0 ms"
	round=$((round + 1))
done
awk -v p="$(median $pairs)" -v o="$(median $one)" \
	'BEGIN { printf "siblings/cores %.2f, one/cores %.2f\n", p / 100, o / 100 }'
