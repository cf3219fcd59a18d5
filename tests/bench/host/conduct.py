# SPDX-License-Identifier: GPL-2.0-only
"""What a scheduler did with the CPUs it had, from the tracer's log."""

from .events import Event, State, walk

GRACE_NS = 1_000_000


def siblings_of(cores: list[list[int]]) -> dict[int, list[int]]:
    return {cpu: [other for other in core if other != cpu] for core in cores for cpu in core}


def credited(events: list[Event], cores: list[list[int]], share: float) -> dict[int, float]:
    """Nanoseconds of work by worker, reckoned anew: the tracer must agree."""
    siblings, done = siblings_of(cores), {}
    for begin, end, state in walk(events):
        for cpu, worker in state.workers.items():
            if worker:
                speed = share if any(map(state.is_busy, siblings[cpu])) else 1
                done[worker] = done.get(worker, 0) + (end - begin) * speed
    return done


def waste(events: list[Event], cores: list[list[int]]) -> float:
    """The share of the workers' time that was spent beside a busy sibling while a whole core was idle."""
    siblings, ran, wasted = siblings_of(cores), 0, 0
    for begin, end, state in walk(events):
        workers = [cpu for cpu, worker in state.workers.items() if worker]
        ran += (end - begin) * len(workers)
        crowded = sum(any(map(state.is_busy, siblings[cpu])) for cpu in workers)
        whole_core_idle = crowded and any(not any(map(state.is_busy, core)) for core in cores)
        wasted += (end - begin) * crowded if whole_core_idle else 0
    return wasted / ran if ran else 0.0


def is_free_to_go(state: State, allowed: int, cpus: list[int]) -> bool:
    """Waits although a CPU that it may use is idle; what may use one only is no choice of a scheduler."""
    return allowed.bit_count() > 1 and any(allowed >> cpu & 1 and not state.is_busy(cpu) for cpu in cpus)


def violations(events: list[Event], cores: list[list[int]], grace_ns: int = GRACE_NS) -> list[int]:
    """How long, each time, a task waited beside an idle CPU for longer than the grace."""
    cpus, since, found = [cpu for core in cores for cpu in core], {}, []
    for begin, _end, state in walk(events):
        exposed = {task for task, allowed in state.waiting.items() if is_free_to_go(state, allowed, cpus)}
        found += [begin - since.pop(task) for task in list(since) if task not in exposed]
        since |= {task: begin for task in exposed if task not in since}
    return [length for length in found if length > grace_ns]


def stretches(events: list[Event]) -> list[tuple[int, int, int, int]]:
    """Where each worker was: worker, CPU, from, to."""
    found, open_at = [], {}
    for begin, _end, state in walk(events):
        for cpu, worker in state.workers.items():
            held = open_at.get(cpu)
            if held and held[0] != worker:
                found.append((held[0], cpu, held[1], begin))
                del open_at[cpu]
            if worker and cpu not in open_at:
                open_at[cpu] = (worker, begin)
    return sorted(found, key=lambda one: one[2])


def conduct(events: list[Event], cores: list[list[int]]) -> dict:
    """What the report and the JSON have of one run; a program without workers shares and moves nothing that we know of."""
    if len(events) < 2:
        return {}
    found = violations(events, cores)
    waits = {"waited_beside_idle": sum(found) / (events[-1].time_ns - events[0].time_ns), "longest_wait_ms": max(found, default=0) / 1e6}
    if not any(event.worker for event in events):
        return waits
    return {"shared_core_waste": waste(events, cores), **waits, "moves": moves(events, cores)}


def moves(events: list[Event], cores: list[list[int]]) -> int:
    """How often a worker went to another core."""
    core_of = {cpu: number for number, core in enumerate(cores) for cpu in core}
    last, nr = {}, 0
    for worker, cpu, _begin, _end in stretches(events):
        nr += last.get(worker, core_of[cpu]) != core_of[cpu]
        last[worker] = core_of[cpu]
    return nr
