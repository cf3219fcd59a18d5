#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the minimal guest: attach, give tasks away if there is more than one domain, switch, detach.
# Prints what it does; the status says whether all of it held.

set -u

say() { echo "smoke: $*"; }
fail() { echo "smoke: FAILED: $*"; cat /tmp/donord.log; exit 1; }
counter() { donorctl stats --json=short | tr ',{' '\n\n' | sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" | head -n 1; }
given() { echo $(($(counter donate_select_cpu_ok) + $(counter donate_enqueue_ok))); }

# Short-lived workers, all born on one CPU: its domain is crowded, the others sleep.
load() { taskset 1 sh -c "taskset -p ffffffff \$\$ >/dev/null; exec stress-ng --fork 4 --fork-max 2 --cpu 4 --cpu-load 70 -t $1 -q"; }

say "kernel $(uname -r), $(nproc) CPUs"
donord >/tmp/donord.log 2>&1 &
donord=$!
donorctl wait attached --timeout 60 || fail "not attached"
[ "$(cat /sys/kernel/sched_ext/root/ops)" = donor ] || fail "the kernel runs $(cat /sys/kernel/sched_ext/root/ops)"
domains=$(donorctl domains --no-legend | wc -l)
say "attached, $domains domains"
/in/footprint || fail "the verifier's limits or the tasks' are near"

load 4
given=$(given)
say "given away: $given"
[ "$domains" -eq 1 ] || [ "$given" -gt 0 ] || fail "nothing was given away"
[ "$domains" -gt 1 ] || [ "$given" -eq 0 ] || fail "$given given away to nowhere"

# With one CPU the kernel does not ask at wakeups where a task should go.
interrupts=$(counter interrupt_wakes)
[ "$interrupts" -gt 0 ] || [ "$(nproc)" -eq 1 ] || fail "no timer is taken for an interrupt"
switches=$(counter task_switches)
taskset 1 stress-ng --pipe 1 -t 1 -q
switches=$(($(counter task_switches) - switches))
interrupts=$(($(counter interrupt_wakes) - interrupts))
say "woken by interrupts: $interrupts of $switches"
[ $((interrupts * 10)) -lt "$switches" ] || fail "tasks that wake each other are taken for interrupts"

donorctl donation select-cpu off && donorctl donation enqueue off || fail "switching"
before=$(given)
load 2
[ "$(given)" -eq "$before" ] || fail "given away while off: $before, then $(given)"

donorctl set performance && [ "$(donorctl get)" = performance ] || fail "mode"
[ "$(cat /sys/kernel/sched_ext/state)" = enabled ] || fail "no longer attached"
kill "$donord" && wait "$donord" || fail "donord ended with $?"
[ "$(cat /sys/kernel/sched_ext/state)" = disabled ] || fail "still attached after the end"
say "detached"
