# SPDX-License-Identifier: GPL-2.0-only
"""When a figure rose too far."""

import json
from pathlib import Path

import pytest
from host.gate import ALLOWED, figures_of, risen

RECORD = {"instructions": 8000, "instructions_one-cpu": 7000, "verified": 70000, "verified_largest": 20000, "service_kb": 4000}


@pytest.mark.parametrize(("name", "most"), [("instructions_one-cpu", 7070), ("verified", 73500), ("verified_largest", 21000), ("service_kb", 4200)])
def test_a_figure_may_rise_so_far_and_no_further(name, most):
    assert risen({**RECORD, name: most}, RECORD) == []
    assert risen({**RECORD, name: most + 1}, RECORD)[0].startswith(f"{name} rose from {RECORD[name]} to {most + 1}")


def test_a_figure_without_record_does_not_pass():
    assert risen({"verified": 1}, {}) == ["verified is 1, and there is no record of it"]


def test_a_figure_that_was_not_measured_is_an_error():
    with pytest.raises(ValueError, match="instructions was not measured"):
        figures_of({"donor": {}}, {"donor": {}})


def test_the_record_has_all_figures_and_its_kernel():
    record = json.loads(Path(__file__).with_name("record.json").read_text())
    layouts = ["instructions", "instructions_one-cpu", "instructions_cross-cpu", "instructions_cross-cpu-pinned", "instructions_messages-one-cpu"]
    assert set(record["figures"]) == {*layouts, *ALLOWED}
    assert record["kernel"] and all(figure > 0 for figure in record["figures"].values())
