#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: instructions.sh ROUNDS NAME=CPUS...: measure each layout under each scheduler, by turns.
# A line of JSON per measurement.

set -eu

rounds=$1
shift
layouts=$*

measure() { # scheduler
	for layout in $layouts; do
		cpus=${layout#*=}
		printf '{"scheduler": "%s", "layout": "%s", "result": %s}\n' "$1" "${layout%%=*}" \
			"$(/in/switch ${cpus:+--cpus "$cpus"})"
	done
}

. /in/turns.sh
