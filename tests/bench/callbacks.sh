#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: callbacks.sh NAME=WHAT...: what donor's callbacks have taken before and after each layout. A line
# of JSON for each.

set -eu

. /in/layouts.sh
donord 2> /tmp/donord.log &
donorctl wait attached --timeout 60 > /dev/null || { cat /tmp/donord.log >&2; exit 1; }
echo 1 > /proc/sys/kernel/bpf_stats_enabled
for layout; do
	sleep 3
	before=$(/in/callbacks)
	${layout#*=} > /dev/null # words
	printf '{"layout": "%s", "before": %s, "after": %s}\n' "${layout%%=*}" "$before" "$(/in/callbacks)"
done
