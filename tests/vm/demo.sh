#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: donor at work, for a person who looks on. Each claim is checked as it is shown.

set -eu

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
show() { printf '$ %s\n' "$*"; "$@"; }
fail() { printf 'demo: %s\n' "$*" >&2; exit 1; }
given() { donorctl stats --json=short | tr ',{' '\n\n' | awk -F: '/"donate_(select_cpu|enqueue)_ok"/ { n += $2 } END { print n }'; }

# Three workers that run and sleep, and a stream of short-lived ones, all born on CPU 0.
crowd() { taskset 1 sh -c 'taskset -p ff $$ >/dev/null; exec stress-ng -q --cpu 3 --cpu-load 70 --fork 1 --fork-max 1 -t 600' & crowd=$!; }

say 'The service starts and attaches the scheduler.'
show systemctl start donord
show cat /sys/kernel/sched_ext/root/ops
show donorctl
attached=$(cat /sys/kernel/sched_ext/enable_seq)

say 'Work is born in one group of cores; the other is idle. The crowded one gives tasks away:'
crowd
sleep 4
show donorctl domains
first=$(given)
echo "tasks given away so far: $first"
[ "$first" -gt 0 ] || fail 'no task was given away'

say 'Donation off at select-cpu, then at enqueue: no further task is given away.'
show donorctl donation select-cpu off
show donorctl donation enqueue off
off=$(given)
sleep 4
echo "given away when switched off: $off, four seconds later: $(given)"
[ "$(given)" -eq "$off" ] || fail 'tasks were given away with both switches off'

say 'On again, one hook after the other.'
show donorctl donation select-cpu on
sleep 3
on=$(given)
echo "given away: $on"
[ "$on" -gt "$off" ] || fail 'no task was given away with the switch on'
show donorctl donation enqueue on
show donorctl donation

say 'Another mode: a write to the running scheduler, which stays attached.'
show donorctl set performance
show busctl get-property org.donor.Scheduler1 /org/donor/Scheduler1 org.donor.Scheduler1 Mode
[ "$(cat /sys/kernel/sched_ext/enable_seq)" = "$attached" ] || fail 'the scheduler was detached meanwhile'

say 'Where tasks went, and how donations ended.'
show donorctl stats
kill "$crowd"

say 'The service stops; the kernel goes on with its own scheduler.'
show systemctl stop donord
[ "$(cat /sys/kernel/sched_ext/state)" = disabled ] || fail 'still attached'
show cat /sys/kernel/sched_ext/state
