#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: latency.sh ROUNDS: messages among processes, and timers and sound that wake tasks, alone and
# beside one hog for each CPU, under each scheduler by turns. A line per figure: scheduler, name, number.

set -eu

rounds=$1
shift
groups=2 pairs=5 loops=50

# Mean and greatest lateness of all threads, in ns.
timers() { # scheduler name
	cyclictest --quiet --nsecs --policy=other --threads=4 --interval=2000 --distance=100 --loops=250 |
		sed -n 's/.*Avg: *\([0-9]*\) Max: *\([0-9]*\).*/\1 \2/p' |
		awk -v s="$1" -v n="$2" '{ sum += $1; if ($2 > most) most = $2 }
			END { if (!NR) exit 1; print s, n, int(sum / NR); print s, n "_most", most }'
}

# The simulator's workload of that name, as rt-app runs it; a turn of its loop is so many instructions.
LOOP=190
mkdir -p /tmp/sound
sed 's|"duration": 10|"duration": 1, "calibration": '$LOOP', "logdir": "/tmp/sound", "log_basename": "log"|' \
	/in/audio.json > /tmp/sound.json

# As above: the log's last column is by how many us it woke late.
sound() { # scheduler name
	rt-app /tmp/sound.json > /dev/null 2>&1
	awk -v s="$1" -v n="$2" '/^#/ { next } { sum += $NF; nr++; if ($NF > most) most = $NF }
		END { if (!nr) exit 1; print s, n, int(sum * 1000 / nr); print s, n "_most", most * 1000 }' /tmp/sound/log-audio-0.log
}

measure() { # scheduler
	took=$(/in/count hackbench --pipe --groups $groups --fds $pairs --loops $loops --datasize 100)
	echo "$1 message $((took / (groups * pairs * pairs * loops)))"
	timers "$1" wake
	sound "$1" sound
	stress-ng --quiet --cpu 4 &
	hogs=$!
	sleep 1
	timers "$1" wake_busy
	sound "$1" sound_busy
	kill $hogs
	wait $hogs 2> /dev/null || true
}

. /in/turns.sh
