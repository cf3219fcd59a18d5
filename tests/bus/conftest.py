# SPDX-License-Identifier: GPL-2.0-only

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from harness import Bus, Donord  # noqa: E402


@pytest.fixture(scope="session")
def bus():
    bus = Bus()
    yield bus
    bus.close()


@pytest.fixture
def donord(bus):
    """Not started yet: the test may arrange its kernel and its configuration first."""
    donord = Donord(bus)
    yield donord
    donord.close()
