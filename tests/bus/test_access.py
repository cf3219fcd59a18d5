# SPDX-License-Identifier: GPL-2.0-only
"""Who may call what: each method with each answer of polkit, and with none."""

import pytest
from fake_polkit import FakePolkit
from gi.repository import Gio, GLib

from harness import ACCESS_DENIED, DEADLINE, IFACE, NAME, PATH, SERVICE, Donord, Refused, until
from interface import ACTION, GUARDED, METHODS, OPEN

USER, OTHER = 2, 3  # two without privilege
MAX_PER_USER = 8
ERROR = "org.freedesktop.DBus.Error."
CHALLENGE = ERROR + "InteractiveAuthorizationRequired"
LIMIT = ERROR + "LimitsExceeded"
ACCESS_ERRORS = {ACCESS_DENIED, CHALLENGE, LIMIT}


class Call:
    """A call on its way; the test goes on meanwhile."""

    def __init__(self, client, method, interactive=False, arguments=None):
        flags = Gio.DBusCallFlags.NO_AUTO_START
        if interactive:
            flags |= Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION
        self.outcome = None  # the name of an error, or "ok"
        self.text = ""
        client.call(NAME, PATH, method.interface, method.name, arguments or method.arguments(), None, flags,
                    int(DEADLINE * 1000), None, self.on_reply)

    def on_reply(self, client, result):
        try:
            client.call_finish(result)
            self.outcome = "ok"
        except GLib.Error as error:
            self.outcome = Gio.DBusError.get_remote_error(error) or error.message
            self.text = error.message

    def wait(self):
        until(lambda: self.outcome, "an answer")
        return self.outcome

    def passed(self):
        """The answer is not polkit's: the method itself ran."""
        return self.wait() not in ACCESS_ERRORS


def named(name):
    return next(method for method in METHODS if method.name == name)


SET_MODE = named("SetMode")
POWER = GLib.Variant("(sa{sv})", ("power", {}))


@pytest.fixture
def clients(bus):
    """Connects as a user."""
    connections = []

    def connect(uid):
        connections.append(bus.connect(uid))
        return connections[-1]

    yield connect
    for connection in connections:
        if not connection.is_closed():
            connection.close_sync(None)


@pytest.fixture
def polkit(bus):
    polkit = FakePolkit(bus, "no")
    yield polkit
    polkit.stop()


@pytest.fixture
def unchanged(donord):
    """Call it at the end: nothing has changed since the start, and nothing was announced."""
    donord.start()
    before = donord.properties(), donord.params(), donord.attaches()
    donord.forget()

    def check():
        assert donord.heard() == donord.changes() == []
        assert (donord.properties(), donord.params(), donord.attaches()) == before

    return check


def test_the_comment_of_each_method_says_who_may_call_it():
    assert not [method.name for method in METHODS if not method.is_told], \
        'end its comment in the XML with "Action: NAME." or "Open to all."'
    assert {m.name for m in GUARDED} >= {"SetMode", "SetDonation", "Attach", "Detach"}
    assert {m.name for m in OPEN} >= {"Describe", "GetSnapshot"}


@pytest.mark.parametrize("method", GUARDED, ids=str)
@pytest.mark.parametrize("answer, interactive, error, words", [
    ("no", False, ACCESS_DENIED, "does not let"), ("no", True, ACCESS_DENIED, "does not let"),
    ("challenge", False, CHALLENGE, "request does not allow"), ("challenge", True, CHALLENGE, "no agent"),
    ("error", False, ACCESS_DENIED, "The rules are broken")])
def test_refused(polkit, clients, unchanged, method, answer, interactive, error, words):
    polkit.answer = answer
    user = clients(USER)
    call = Call(user, method, interactive)
    assert call.wait() == error
    assert words in call.text and method.action in call.text and f"uid {USER}" in call.text
    assert [(q["action"], q["subject"], q["is_interactive"]) for q in polkit.asked] == [
        (method.action, user.get_unique_name(), interactive)]
    assert polkit.cancelled == []
    unchanged()


@pytest.mark.parametrize("method", GUARDED, ids=str)
def test_without_polkit_it_is_for_root(donord, clients, unchanged, method):
    call = Call(clients(USER), method)
    assert call.wait() == ACCESS_DENIED and "polkit does not run here" in call.text and method.action in call.text
    unchanged()
    assert Call(clients(0), method).passed()


@pytest.mark.parametrize("method", GUARDED, ids=str)
@pytest.mark.parametrize("interactive", [False, True])
def test_allowed(donord, polkit, clients, method, interactive):
    """Only with this action, and only if a person may be asked: so both reach polkit as they should."""
    polkit.answer = lambda q: "yes" if (q["action"], q["is_interactive"]) == (method.action, interactive) else "no"
    donord.start()
    assert Call(clients(USER), method, interactive).passed()
    assert not Call(clients(USER), method, not interactive).passed()


@pytest.mark.parametrize("method", GUARDED, ids=str)
def test_root_is_not_asked_about(donord, polkit, clients, method):
    donord.start()
    assert Call(clients(0), method).passed()
    assert polkit.asked == []


@pytest.mark.parametrize("method", GUARDED, ids=str)
def test_the_services_own_user_is_not_asked_about(bus, polkit, clients, method):
    donord = Donord(bus, SERVICE)
    try:
        donord.start()
        assert Call(clients(SERVICE), method).passed() and Call(clients(0), method).passed()
        assert polkit.asked == []
        assert Call(clients(USER), method).wait() == ACCESS_DENIED
    finally:
        donord.close()


@pytest.mark.parametrize("method", OPEN, ids=str)
def test_what_is_open_asks_nobody(donord, polkit, clients, unchanged, method):
    assert Call(clients(USER), method).passed()
    assert polkit.asked == []
    unchanged()


def test_properties_are_open_to_all_and_writable_by_none(donord, polkit, clients, unchanged):
    user = clients(USER)
    for name, value in donord.properties().items():
        with pytest.raises(GLib.Error, match="PropertyReadOnly"):
            user.call_sync(NAME, PATH, "org.freedesktop.DBus.Properties", "Set",
                           GLib.Variant("(ssv)", (IFACE, name, GLib.Variant("s", "x"))), None, 0, 5000, None)
    assert polkit.asked == []
    unchanged()


def test_the_answer_is_for_one_request(donord, polkit, clients):
    """The request is carried out with its own arguments when the answer comes, and the next one is asked about anew."""
    polkit.answer = "yes"
    donord.start()
    user = clients(USER)
    assert Call(user, SET_MODE, arguments=POWER).wait() == "ok"
    assert donord.params()["mode"] == "power"
    assert [s for s in donord.heard() if s[0] == "ModeChanged"][0][4].endswith(f" by uid {USER}")
    polkit.answer = "no"
    assert Call(user, SET_MODE, arguments=POWER).wait() == ACCESS_DENIED
    assert len(polkit.asked) == 2 and polkit.asked[0]["id"] != polkit.asked[1]["id"]


def test_a_slow_polkit_holds_nobody_up(donord, polkit, clients):
    polkit.answer = "hang"
    donord.start()
    slow = Call(clients(USER), SET_MODE, arguments=POWER)
    until(lambda: polkit.hanging, "the question")
    assert donord.set_mode("performance") == "performance"
    assert Call(clients(OTHER), named("Describe")).wait() == "ok"
    assert slow.outcome is None
    polkit.release("yes")
    assert slow.wait() == "ok" and donord.params()["mode"] == "power"


def test_a_polkit_that_never_answers(donord, polkit, clients, unchanged, bus):
    impatient = Donord(bus)
    donord.stop()
    impatient.environment["SYSTEMD_BUS_TIMEOUT"] = "300ms"
    polkit.answer = "hang"
    try:
        impatient.start()
        call = Call(clients(USER), SET_MODE, arguments=POWER)
        assert call.wait() == ACCESS_DENIED and "gave no answer" in call.text
        until(lambda: polkit.cancelled == [polkit.asked[0]["id"]], "the question withdrawn")
        assert impatient.params()["mode"] == "balanced"
        polkit.release("yes")  # too late
        assert impatient.get("Mode") == "balanced"
    finally:
        impatient.close()


def test_a_polkit_that_goes_away_meanwhile(donord, polkit, clients, unchanged):
    polkit.answer = "hang"
    call = Call(clients(USER), SET_MODE, arguments=POWER)
    until(lambda: polkit.hanging, "the question")
    polkit.stop()
    assert call.wait() == ACCESS_DENIED and "gave no answer" in call.text
    unchanged()


def test_a_caller_that_leaves_meanwhile(donord, polkit, clients, unchanged):
    polkit.answer = "hang"
    for _ in range(MAX_PER_USER + 1):  # none of them counts any more
        user = clients(USER)
        Call(user, SET_MODE, arguments=POWER)
        until(lambda: polkit.hanging, "the question")
        user.close_sync(None)
        until(lambda: polkit.cancelled, "the question withdrawn")
        assert polkit.cancelled == [polkit.asked[-1]["id"]]
        polkit.cancelled.clear()
        polkit.release("yes")
    unchanged()


def test_many_wait_but_not_too_many(donord, polkit, clients, unchanged):
    polkit.answer = "hang"
    users = [clients(USER), clients(USER)]  # it is the user who counts
    calls = [Call(users[i % 2], SET_MODE, arguments=POWER) for i in range(MAX_PER_USER)]
    until(lambda: len(polkit.hanging) == MAX_PER_USER, "the questions")
    surplus = Call(users[0], SET_MODE, arguments=POWER)
    assert surplus.wait() == LIMIT and f"uid {USER}" in surplus.text
    other = Call(clients(OTHER), SET_MODE, arguments=POWER)
    until(lambda: len(polkit.hanging) == MAX_PER_USER + 1, "the other's question")
    polkit.release("no")
    assert {call.wait() for call in [*calls, other]} == {ACCESS_DENIED}
    unchanged()
    polkit.answer = "yes"
    assert Call(users[0], SET_MODE, arguments=POWER).wait() == "ok"


@pytest.mark.parametrize("arguments", [
    GLib.Variant("(sa{sv})", ("x" * 20000, {})),
    GLib.Variant("(sa{sv})", ("power", {"reason": GLib.Variant("ay", b"x" * 20000)})),
    GLib.Variant("(sa{sv})", ("power", {"reason": GLib.Variant("aau", [[]] * 5000)})),
    GLib.Variant("(sa{sv})", ("power", {str(i): GLib.Variant("(s)", ("",)) for i in range(2000)}))])
def test_a_huge_request_is_not_kept(donord, polkit, clients, unchanged, arguments):
    call = Call(clients(USER), SET_MODE, arguments=arguments)
    assert call.wait() == LIMIT and "larger" in call.text
    assert polkit.asked == []
    unchanged()


def test_the_service_ends_while_requests_wait(donord, polkit, clients):
    polkit.answer = "hang"
    donord.start()
    calls = [Call(clients(USER), SET_MODE, arguments=POWER) for _ in range(3)]
    until(lambda: len(polkit.hanging) == 3, "the questions")
    assert donord.stop() == 0
    assert {call.wait() for call in calls} == {ERROR + "NoReply"}
    until(lambda: len(polkit.cancelled) == 3, "the questions withdrawn")


def test_every_action_is_known_to_polkit():
    import xml.etree.ElementTree as ElementTree
    from interface import XML

    policy = ElementTree.parse(XML.parent / "org.donor.Scheduler1.policy").getroot()
    known = {action.get("id") for action in policy.findall("action")}
    assert {method.action for method in GUARDED} <= known
    assert all(action.startswith(ACTION) for action in known)
