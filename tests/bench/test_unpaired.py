# SPDX-License-Identifier: GPL-2.0-only
"""Sets of counted instructions, from what the guest printed."""

import pytest
from host.unpaired import UNPAIRED, summarise_attaching, summarise_latencies, summarise_stress, summarise_switches
from host.table import table
from stress import Stress, faults_in


def rows(kernel, layout="same-cpu"):
    return [{"layout": layout, "turns": {"kernel": kernel, "donor": [2 * one for one in kernel], "bare": [500.0] * len(kernel)}}]


def test_each_turn_is_beside_that_of_the_kernels_own():
    contestants = summarise_switches(rows([1000, 1010, 1000]))["contestants"]
    assert contestants["donor"]["over_kernel"] == {"median": 2, "min": 2, "max": 2, "pairs": 3}
    assert contestants["minimal"]["over_kernel"]["max"] == 0.5
    assert contestants["kernel"]["instructions"]["median"] == 1000


def test_the_control_is_the_turn_before():
    result = summarise_switches([*rows([1000, 1010, 1000]), *rows([1000, 1000], "one-cpu")])
    assert result["contestants"]["control"]["over_kernel"]["pairs"] == 2
    assert result["contestants"]["control"]["over_kernel_one-cpu"]["median"] == 1
    assert "void" not in result


@pytest.mark.parametrize(("kernel", "reason"), [([1000, 1050], "1.050 instead of 1"), ([1000], "one round has no control")])
def test_a_kernel_that_differs_from_itself_makes_it_void(kernel, reason):
    assert reason in summarise_switches(rows(kernel))["void"]


def test_figures_of_attaching_are_told_by_name():
    donor = summarise_attaching("verified 70000\nattach 300\nattach 100\nattach 200\nservice_kb 5000\n")["contestants"]["donor"]
    assert donor["attach"] == {"median": 200, "min": 100, "max": 300, "pairs": 3}
    shown = table("attach", "title", {"contestants": {"donor": donor}}, UNPAIRED["attach"].names)
    assert "70000" in shown and "service KB" in shown


def test_what_donor_did_not_endure_is_a_failure():
    told = {"actions": {"change_cpu": 3, "kill_service": 1}, "faults": []}
    assert summarise_stress(told)["contestants"]["donor"]["change_cpu"]["median"] == 3
    assert "failed" not in summarise_stress(told)["contestants"]["donor"]
    result = summarise_stress({**told, "faults": ["stall: runnable task stall"]})
    assert result["contestants"]["donor"]["failed"] == "stall: runnable task stall"
    assert "donor failed: stall" in table("stress", "title", result, UNPAIRED["stress"].names)


def test_each_kind_of_change_comes_before_any_comes_too_often():
    stress = Stress(1, load=None)
    for _ in range(2):
        names = [stress.next_action().__name__ for _ in range(18)]
        assert {name: names.count(name) for name in names} == {
            "change_cpu": 4, "change_masks": 4, "change_mode": 4, "change_donation": 4, "attach_anew": 1, "kill_service": 1,
        }  # fmt: skip


def test_the_same_seed_makes_the_same_changes():
    first, second = ([stress.next_action().__name__ for _ in range(18)] for stress in (Stress(1, None), Stress(1, None)))
    assert first == second


def test_ends_that_nobody_asked_for_are_faults():
    wanted = [{"kind": "unregistered", "code": 0}, {"kind": "unregistered-kernel", "code": 1 << 48 | 1 << 32}]
    stall = {"kind": "stall", "code": 0, "reason": "runnable task stall", "message": "dd"}
    assert faults_in(wanted) == []
    assert faults_in([*wanted, stall]) == ["stall: runnable task stall: dd"]


def test_latencies_are_beside_the_kernels_own_turn_by_turn():
    printed = "kernel wake 50\ndonor wake 60\nbare wake 40\nkernel wake 100\ndonor wake 60\nbare wake 80\n"
    contestants = summarise_latencies(printed)["contestants"]
    assert contestants["donor"]["wake"]["median"] == 60
    assert contestants["donor"]["over_kernel_wake"] == {"median": pytest.approx(0.9), "min": 0.6, "max": 1.2, "pairs": 2}
    assert contestants["minimal"]["over_kernel_wake"]["max"] == 0.8
