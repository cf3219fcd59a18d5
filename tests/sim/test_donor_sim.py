# SPDX-License-Identifier: GPL-2.0-only
"""donor-sim as a person or a script meets it: options, complaints, table, JSON, trace."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

SIM = Path(os.environ["DONOR_BUILD"]) / "tests/sim/donor-sim"
HERE = Path(__file__).resolve().parent
POLICIES = ["pinned", "donor", "lavd-before", "lavd-after", "idle-core-first", "sticky", "fifo", "fair"]
FEW = ["--machine=vm8", "--workload=algorithm3", "--scale=1000"]


def sim(*arguments, **options):
    return subprocess.run([str(SIM), *map(str, arguments)], text=True, capture_output=True, timeout=120, check=False, **options)


def figures(*arguments):
    done = sim("--json=short", *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def metrics():
    return re.findall(r"^METRIC\((\w+),", (HERE / "metrics.def").read_text(), re.MULTILINE)


def write(path, tasks, **others):
    path.write_text(json.dumps({"tasks": tasks, **others}))
    return path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name a workload with --workload"),
        (["--workload=algo"], "no workload 'algo'; name a file or one of algorithm3, primesieve"),
        (["--workload=hogs", "--machine=tr"], "no machine 'tr'; name one of vm8, tr3970x"),
        (["--workload=hogs", "--machine=pack:1 cpu:2"], "'pack:1 cpu:2' is no machine"),
        (["--workload=pinned-chrome"], "bound to CPUs that machine vm8 does not have; choose another"),
        (["--workload=hogs", "--background=pinned-chrome"], "bound to CPUs that machine vm8"),
        (["--workload=hogs", "--policy=donr"], "unknown policy 'donr'; did you mean 'donor'?"),
        (["--workload=hogs", "--policy=donor,"], "unknown policy ''"),
        (["--workload=hogs", "--set=slice_max=1"], "unknown parameter 'slice_max'; did you mean 'slice_max_ns'?"),
        (["--workload=hogs", "--set=slice_max_ns"], "give KNOB=VALUE"),
        (["--workload=hogs", "--set=slice_max_ns=1"], "slice_max_ns cannot be '1'; give a whole number from 500000"),
        (["--workload=hogs", "--set=donate_enqueue=2"], "donate_enqueue cannot be '2'; give a whole number from 0 to 1"),
        (["--workload=hogs", "--mode=fast"], "unknown mode 'fast'"),
        (["--workload=hogs", "--seeds=0"], "--seeds cannot be '0'"),
        (["--workload=hogs", "--seeds=-1"], "--seeds cannot be '-1'"),
        (["--workload=hogs", "--seed=x"], "--seed cannot be 'x'"),
        (["--workload=hogs", "--scale=0"], "--scale cannot be '0'"),
        (["--workload=hogs", "--hz=1"], "--hz cannot be '1'"),
        (["--workload=hogs", "--duration=0"], "--duration cannot be '0'"),
        (["--workload=hogs", "--json=xml"], "unknown style of JSON 'xml'"),
        (["--workload=hogs", "rest"], "does not know what to do with 'rest'"),
        (["--worklod=hogs"], "unknown option 'worklod'; did you mean 'workload'?"),
        (["-x"], "unknown option '-x'"),
        (["--workload"], "--workload needs a value"),
        (["--list=3"], "--list takes no value"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_command_line_gets_one_sentence_and_2(arguments, words):
    done = sim(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("donor-sim: ")
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


def test_list_names_all_that_there_is():
    shown = sim("--list").stdout
    names = re.findall(r"^  ([\w-]+) ", shown, re.MULTILINE)
    shipped = [path.stem for path in (HERE / "workloads").glob("*.json")]
    assert sorted(names[5:-8]) == sorted(shipped)
    assert names[:5] == ["vm8", "tr3970x", "epyc-2x192", "hybrid-6p8e", "steamdeck"]
    assert names[-8:] == POLICIES


def test_help_and_the_manual_have_every_option():
    shown = sim("--help").stdout
    source = (HERE / "cli.c").read_text()
    manual = (HERE / "../../docs/man/donor-sim.1.scd").read_text()
    completion = (HERE / "donor-sim.bash").read_text()
    for option in re.findall(r'^\t\{ "([\w-]+)", \w+_argument', source, re.MULTILINE):
        assert f"--{option}" in shown
        assert f"*--{option}*" in manual
        assert f"--{option}" in completion
    for name in [*metrics(), "over_pinned"]:
        assert f"_{name}_" in manual.replace("\\_", "_")


def test_json_has_a_figure_for_each_metric_with_its_least_and_most():
    shown = figures(*FEW, "--policy=all", "--seeds=3", "--background=webgl-aquarium")
    assert shown["machine"] == "vm8"
    assert shown["workloads"] == ["algorithm3"]
    assert shown["backgrounds"] == ["webgl-aquarium"]
    assert shown["nr_seeds"] == 3 and shown["first_seed"] == 1 and shown["scale"] == 1000
    assert list(shown["policies"]) == POLICIES
    for policy in shown["policies"].values():
        assert set(policy) == {*metrics(), "over_pinned", "min", "max", "groups"}
        for name in [*metrics(), "over_pinned"]:
            assert policy["min"][name] <= policy[name] <= policy["max"][name]
        assert policy["groups"]["worker"]["nr_tasks"] == 20
        assert policy["groups"]["worker"]["cpu_s"] > 0
    assert shown["policies"]["pinned"]["over_pinned"] == 1
    assert shown["policies"]["pinned"]["min"]["makespan_s"] < shown["policies"]["pinned"]["max"]["makespan_s"]


def test_over_pinned_is_paired_by_seed_and_unknown_without_pinned():
    each = [figures(*FEW, "--policy=fifo,pinned", f"--seed={seed}")["policies"] for seed in (7, 8, 9)]
    ratios = sorted(run["fifo"]["makespan_s"] / run["pinned"]["makespan_s"] for run in each)
    together = figures(*FEW, "--policy=fifo,pinned", "--seed=7", "--seeds=3")["policies"]["fifo"]
    assert together["over_pinned"] == pytest.approx(ratios[1], rel=1e-6)
    assert together["min"]["over_pinned"] == pytest.approx(ratios[0], rel=1e-6)
    alone = figures(*FEW, "--policy=fifo")["policies"]["fifo"]
    assert alone["over_pinned"] is None
    assert "over_pinned" not in alone["min"]


def test_the_same_seed_gives_the_same_bytes():
    one, other = (sim(*FEW, "--policy=all", "--interleave", "--json", "--seed=4") for _ in range(2))
    assert one.stdout == other.stdout
    assert one.stdout != sim(*FEW, "--policy=all", "--interleave", "--json", "--seed=5").stdout


def test_the_table_has_a_column_for_each_policy():
    done = sim(*FEW, "--policy=fifo,pinned,fifo")
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[0].split() == ["FIGURE", "fifo", "pinned"]
    assert [line.split()[0] for line in lines[1:4]] == ["makespan_s", "over_pinned", "shared_core_waste"]
    assert sum(line.startswith("worker") for line in lines) == 2
    assert "FIGURE" not in sim(*FEW, "--policy=fifo", "--no-legend").stdout


def test_smt_sharing_and_the_clock_of_ticks_can_be_changed():
    hogs = ["--workload=hogs", "--policy=fifo", "--duration=200ms"]
    crowded = figures(*FEW, "--policy=fifo")["policies"]["fifo"]["makespan_s"]
    free = figures(*FEW, "--policy=fifo", "--no-smt-sharing")["policies"]["fifo"]["makespan_s"]
    assert free < 0.7 * crowded
    assert figures(*hogs)["policies"]["fifo"]["makespan_s"] == pytest.approx(0.2)
    assert figures(*FEW, "--hz=1000")["policies"] != figures(*FEW)["policies"]


def test_modes_and_parameters_reach_donor():
    base = [*FEW, "--policy=donor", "--machine=tr3970x"]
    off = ["--set=donate_select_cpu=0", "--set=donate_enqueue=0"]
    assert figures(*base, "--mode=power") != figures(*base, "--mode=performance")
    donations = figures(*base, "--mode=performance")["policies"]["donor"]["donations"]
    assert donations > 0
    assert figures(*base, *off, "--mode=performance") != figures(*base, "--mode=performance")


def test_a_deadlock_is_named_and_ends_with_1(tmp_path):
    tasks = {"stuck": {"loop": 1, "suspend": "never"}, "well": {"loop": 1, "run": 100}}
    beside = write(tmp_path / "b.json", {"beside": {"suspend": "never"}})
    done = sim(f"--workload={write(tmp_path / 'w.json', tasks)}", f"--background={beside}", "--policy=fifo,pinned", "--seed=3")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "donor-sim: policy fifo, seed 3: after 0.000" in done.stderr
    assert "all tasks wait for each other, of those that should end: 'stuck'\n" in done.stderr


def test_a_background_that_goes_on_does_not_hide_who_is_stuck(tmp_path):
    stuck = write(tmp_path / "w.json", {"stuck": {"loop": 1, "suspend": "never"}})
    beside = write(tmp_path / "b.json", {"beside": {"run": 10, "sleep": 5000000}})
    done = sim(f"--workload={stuck}", f"--background={beside}", "--policy=fifo")
    assert done.returncode == 1
    assert "after an hour of simulated time these have not ended: 'stuck'; give a --duration" in done.stderr


def test_an_ejection_is_named_and_json_says_so(tmp_path):
    tasks = {"dizzy": {"signal": "c"}}
    done = sim(f"--workload={write(tmp_path / 'w.json', tasks)}", "--policy=fifo", "--json")
    assert done.returncode == 1
    failed = json.loads(done.stdout)["policies"]["fifo"]["failed"]
    assert re.fullmatch(r"ejected after 0\.0000\d\d s: task 'dizzy' goes round in circles; .*", failed)
    assert failed in done.stderr


def test_endless_workloads_end_after_their_duration(tmp_path):
    endless = {"a": {"run": 1000, "sleep": 1000}}
    path = write(tmp_path / "w.json", endless, **{"global": {"duration": 2}})
    assert figures(f"--workload={path}", "--policy=fifo")["policies"]["fifo"]["makespan_s"] == pytest.approx(2)
    assert figures(f"--workload={path}", "--policy=fifo", "--scale=4")["policies"]["fifo"]["makespan_s"] == pytest.approx(0.5)
    write(path, endless)
    assert figures(f"--workload={path}", "--policy=fifo", "--scale=10")["policies"]["fifo"]["makespan_s"] == pytest.approx(1)


def test_the_trace_has_a_track_for_each_cpu_and_slices_that_do_not_overlap(tmp_path):
    path = tmp_path / "trace.json"
    tasks = {"late\"": {"loop": 5, "run": 3000, "timer": {"ref": "unique", "period": 2000}}, "hog": {"instance": 9, "loop": 9, "run": 1000}}
    tasks["timely"] = {"loop": 5, "run": 10, "timer": {"ref": "unique", "period": 20000}}
    workload = write(tmp_path / "w.json", tasks)
    done = sim(f"--workload={workload}", "--policy=donor,fifo", "--seeds=2", f"--trace={path}")
    assert done.returncode == 0, done.stderr
    events = json.loads(path.read_text())["traceEvents"]
    names = {(event["name"], event["args"]["name"]) for event in events if event["ph"] == "M"}
    assert {("process_name", "donor"), ("process_name", "fifo"), ("thread_name", "CPU 7")} <= names
    assert {event["pid"] for event in events} == {1, 2}
    slices = [event for event in events if event["ph"] == "X"]
    assert {event["name"] for event in slices} == {'late"', "hog", "timely"}
    for pid in (1, 2):
        assert sum(event["dur"] for event in slices if event["pid"] == pid) >= 9 * 9 * 1000 + 5 * 3000
        for cpu in range(8):
            ends = 0
            for event in sorted((e for e in slices if (e["pid"], e["tid"]) == (pid, cpu)), key=lambda e: e["ts"]):
                assert event["ts"] >= ends - 1e-6
                ends = event["ts"] + event["dur"]
    assert sum(event["name"] == "missed frame" for event in events) == 10
    assert sim(f"--workload={workload}", "--trace=/nonexistent/x").returncode == 1


def test_a_full_disk_is_said():
    with open("/dev/full", "w") as full:
        done = subprocess.run([str(SIM), *FEW], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "cannot write the output" in done.stderr
