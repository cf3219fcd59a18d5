# SPDX-License-Identifier: GPL-2.0-only

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from agents import Agent  # noqa: E402
from harness import Bus, Donord  # noqa: E402


@pytest.fixture(scope="session")
def bus():
    bus = Bus()
    yield bus
    bus.close()


@pytest.fixture
def agent(bus):
    """Makes connections of other users; root alone can play them."""
    if os.getuid() != 0:
        pytest.skip("other users can be played by root only")
    agents = []

    def make(uid: int) -> Agent:
        agents.append(Agent(bus, uid))
        return agents[-1]

    yield make
    for one in agents:
        one.close()


@pytest.fixture
def donord(bus):
    """Not started yet: the test may arrange its kernel and its configuration first."""
    donord = Donord(bus)
    yield donord
    donord.close()
