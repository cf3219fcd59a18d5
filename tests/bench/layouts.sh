# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced in the guest: what is measured. Each prints as JSON the nanoseconds per wakeup.

hand_over() { # CPUs
	/in/switch ${1:+--cpus "$1"}
}

# Ten who send to ten others, in two groups: per message.
messages() {
	took=$(/in/count hackbench --pipe --groups 2 --fds 5 --loops 1000 --datasize 100)
	echo "{\"took_ns\": $((took / (2 * 5 * 5 * 1000)))}"
}

# From the end of a timer until its task runs.
timer() {
	cyclictest --quiet --nsecs --policy=other --interval=2000 --loops=500 |
		sed -n 's/.*Avg: *\([0-9]*\) .*/{"took_ns": \1}/p'
}
