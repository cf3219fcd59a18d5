#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: instructions.sh ROUNDS NAME=WHAT...: measure each layout under each scheduler, by turns.
# A line of JSON per measurement.

set -eu

rounds=$1
shift

. /in/layouts.sh

measure() { # scheduler layout...
	scheduler=$1
	shift
	for layout; do
		result=$(${layout#*=}) # words
		printf '{"scheduler": "%s", "layout": "%s", "result": %s}\n' "$scheduler" "${layout%%=*}" "$result"
	done
}

. /in/turns.sh
