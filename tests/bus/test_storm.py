# SPDX-License-Identifier: GPL-2.0-only
"""A thousand calls of four users at the same time, who in half of it move the desktop's slider, too.
Whatever the order in which the service takes them:

- each announcement is in itself what the rule for the mode says;
- all announcements together are what Describe says;
- what is left is what was granted and not ended, as those heard who asked;
- at the end nothing is left over.
"""

import random

import pytest
from gi.repository import GLib

from desktop import AUTO, MODES, NEW, OLD, PROPERTIES, path_of, until_it_provides
from harness import ERROR, USERS, Refused, until, variants
from test_service import check_describe

NR_CALLS = 1000
RANK = ["power", "balanced", "performance"]  # of holds: the first wins
REFUSALS = {ERROR + "NoSuchHold", ERROR + "TooManyHolds"}  # may happen where two calls meet


def verdicts(state: dict) -> list[tuple[str, str]]:
    """Mode and source, by falling rank: the test's own idea of the rule."""

    def held(soft: bool):
        modes = [hold["Mode"] for hold in state["Holds"] if hold["Soft"] == soft]
        return [(min(modes, key=RANK.index), "hold")] if modes else []

    chosen = [(state["Override"]["Mode"], "override")] if state["Override"] else []
    profile = [(MODES[state["PowerProfile"]], "profile")] if state["PowerProfilesProvider"] else []
    return held(False) + chosen + held(True) + profile + [(state["DefaultMode"], "config")]


class Replica:
    """The properties as one has them who read them once and then only listens."""

    def __init__(self, donord):
        self.donord = donord
        self.state = donord.properties()
        donord.forget()
        self.nr_announcements = 0

    def listen(self):
        for member, *arguments in self.donord.signals:
            if member == "PropertiesChanged":
                self.state.update(arguments[1])
                self.check_announcement()
        modes = [signal[1:3] for signal in self.donord.signals if signal[0] == "ModeChanged"]
        assert all(before[1] == after[0] for before, after in zip(modes, modes[1:])), modes
        assert not modes or modes[-1][1] == self.state["Mode"]
        self.donord.signals.clear()

    def check_announcement(self):
        self.nr_announcements += 1
        wanted = verdicts(self.state)
        assert (self.state["Mode"], self.state["ModeSource"]) == wanted[0], self.state
        assert self.state["ModeBeneath"][:2] == (wanted + wanted[-1:])[1], self.state


class User:
    """One connection, and the holds that it was granted and has not heard the end of."""

    def __init__(self, agent, dice):
        self.agent = agent
        self.dice = dice
        self.holds = {}  # by cookie: application
        self.after = None  # what to do with the answer

    def send(self, after, *call, **receiver):
        self.after = after
        self.agent.send(*call, **receiver)

    def finish(self):
        """Takes the answer; returns whether the call was granted."""
        try:
            result, granted = self.agent.answer(), True
        except Refused as refusal:
            assert refusal.name in REFUSALS, refusal
            result, granted = None, False
        if granted and self.after:
            self.after(result)
        for cookie, why in self.agent.heard:
            assert why == "overridden"
            del self.holds[cookie]
        self.agent.heard.clear()
        return granted


class Storm:
    def __init__(self, donord, users, dice):
        self.donord, self.users, self.dice = donord, users, dice
        self.serial = 0
        self.settings = AUTO
        self.default = "balanced"
        self.overrides = {None}  # what may be chosen now: any of those that met in the last round

    def set_mode(self, user):
        options = {"reason": f"call {self.serial}"}
        if self.dice.random() < 0.3:
            options["keep_holds"] = True
        self.met.add(options["reason"])
        user.send(None, "SetMode", "(sa{sv})", self.dice.choice(RANK), variants(options))

    def release(self, user):
        self.met.add(None)
        user.send(None, "ReleaseOverride")

    def hold(self, user):
        application = f"program {self.serial}"
        options = {"soft": self.dice.random() < 0.4}

        def granted(result):
            user.holds[result[0]] = application

        user.send(granted, "HoldMode", "(sssa{sv})", self.dice.choice(RANK), "storm", application, variants(options))

    def release_hold(self, user):
        if not user.holds:
            return self.release(user)
        cookie = self.dice.choice(list(user.holds))
        return user.send(lambda _: user.holds.pop(cookie), "ReleaseHold", "(u)", cookie)

    def choose_profile(self, user):
        """Whoever moves the slider ends a choice of the mode as well."""
        if self.settings != AUTO:
            return self.set_mode(user)
        self.met.add(None)
        name = self.dice.choice([NEW, OLD])
        profile = GLib.Variant("s", self.dice.choice(list(MODES)))
        return user.send(None, "Set", "(ssv)", name, "ActiveProfile", profile, interface=PROPERTIES, name=name, path=path_of(name))

    # Another thing that changes the mode is one line here.
    ACTIONS = [(set_mode, 3), (release, 2), (hold, 4), (release_hold, 6), (choose_profile, 1)]

    def reload(self):
        self.default = self.dice.choice(RANK)
        self.donord.reload(f"[Scheduler]\nMode={self.default}\n{self.settings}")

    def offer_no_more(self):
        """The provider of the power profiles goes."""
        self.settings = ""
        self.reload()
        until(lambda: self.donord.get("PowerProfilesProvider") == "", "nobody offers profiles")

    def round(self):
        """All users at the same time, and a reload among them now and then."""
        self.met = set()
        for user in self.users:
            self.serial += 1
            action, = self.dice.choices([a for a, _ in self.ACTIONS], [weight for _, weight in self.ACTIONS])
            action(self, user)
        if self.dice.random() < 0.2:
            self.reload()
        for user in self.users:
            user.finish()
        self.overrides = self.met or self.overrides

    def check(self, replica):
        state = self.donord.properties()
        until(lambda: True, "the announcements that were made before the answer")
        replica.listen()
        assert replica.state == state
        check_describe(self.donord)
        chosen = state["Override"].get("Reason")
        assert chosen in self.overrides
        self.overrides = {chosen}
        assert state["DefaultMode"] == self.default
        wanted = sorted(application for user in self.users for application in user.holds.values())
        assert sorted(hold["ApplicationId"] for hold in state["Holds"]) == wanted
        assert (state["Mode"], state["ModeSource"]) == verdicts(state)[0]
        return state


def settle(users):
    """A call is answered after all signals before it: then everybody has heard of the end of holds."""
    for user in users:
        user.send(None, "ReleaseHold", "(u)", 0)
        assert not user.finish()


@pytest.mark.parametrize("seed", [1])
def test_a_storm_of_calls_leaves_what_the_rule_says_and_nothing_else(donord, agent, seed):
    dice = random.Random(seed)
    donord.play("everybody")
    donord.configure(AUTO)
    donord.start()
    until_it_provides(donord)
    donord.release_hold(donord.hold("power", timeout_usec=60_000_000))  # a clock that stays open from then on
    fds = donord.nr_fds()
    users = [User(agent(uid), dice) for uid in [0, *USERS[:3]]]
    replica = Replica(donord)
    storm = Storm(donord, users, dice)
    storm.met = set()
    storm.choose_profile(users[0])
    users[0].finish()
    seen = set()
    while storm.serial < NR_CALLS:
        if storm.settings and storm.serial > NR_CALLS / 2:
            storm.offer_no_more()
        storm.round()
        settle(users)
        state = storm.check(replica)
        seen.add((state["Mode"], state["ModeSource"]))
    assert {source for _, source in seen} == {"hold", "override", "profile", "config"} and len(seen) >= 10, seen  # dice went around
    assert replica.nr_announcements > NR_CALLS / 3

    # Half of them release what they hold, the others just leave.
    for user in users[:2]:
        for cookie in list(user.holds):
            user.agent.call("ReleaseHold", "(u)", cookie)
    for user in users[2:]:
        user.agent.close()
    donord.release()
    until(lambda: donord.get("Holds") == [], "the holds of those that left to end")
    replica.listen()
    assert replica.state == donord.properties()
    assert (replica.state["Mode"], replica.state["ModeSource"]) == (storm.default, "config")
    assert donord.params()["mode"] == storm.default
    assert donord.nr_fds() == fds
