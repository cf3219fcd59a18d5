# SPDX-License-Identifier: GPL-2.0-only
"""Calls that are wrong in themselves: each has its error, with cause and next step, and no effect."""

import pytest
from gi.repository import GLib

from harness import ERROR, INVALID_ARGS


@pytest.mark.parametrize("member, signature, arguments, error, words", [
    ("SetMode", "(sa{sv})", ("turbo", {}), ERROR + "NoSuchMode", "'turbo'; the modes are power, balanced"),
    ("SetMode", "(sa{sv})", ("", {}), ERROR + "NoSuchMode", "''"),
    ("SetMode", "(sa{sv})", ("power", {"force": GLib.Variant("b", True)}), INVALID_ARGS, "'force'"),
    ("SetMode", "(sa{sv})", ("power", {"until": GLib.Variant("s", "tomorrow")}), INVALID_ARGS, "'tomorrow'; it is released"),
    ("SetMode", "(sa{sv})", ("power", {"until": GLib.Variant("b", True)}), INVALID_ARGS, "'until' is a string"),
    ("SetMode", "(sa{sv})", ("power", {"timeout-usec": GLib.Variant("t", 2**64 - 1)}), INVALID_ARGS, "century"),
    ("SetMode", "(sa{sv})", ("power", {"until": GLib.Variant("s", "reboot"), "persist": GLib.Variant("b", True)}),
     INVALID_ARGS, "persist"),
    ("SetMode", "(sa{sv})", ("power", {"reason": GLib.Variant("s", "x" * 257)}), INVALID_ARGS, "256 bytes"),
    ("SetMode", "(sa{sv})", ("power", {"reason": GLib.Variant("s", "\x1b[2J")}), INVALID_ARGS, "control characters"),
    ("SetMode", "(s)", ("power",), INVALID_ARGS, ""),
    ("HoldMode", "(sssa{sv})", ("turbo", "", "", {}), ERROR + "NoSuchMode", "'turbo'"),
    ("HoldMode", "(sssa{sv})", ("power", "x" * 257, "", {}), INVALID_ARGS, "reason is longer than 256 bytes"),
    ("HoldMode", "(sssa{sv})", ("power", "", "ä" * 129, {}), INVALID_ARGS, "application_id is longer than 256 bytes"),
    ("HoldMode", "(sssa{sv})", ("power", "a\nb", "", {}), INVALID_ARGS, "reason has control characters"),
    ("HoldMode", "(sssa{sv})", ("power", "", "\x9b2J", {}), INVALID_ARGS, "application_id has control characters"),
    ("HoldMode", "(sssa{sv})", ("power", "", "", {"timeout-usec": GLib.Variant("t", 86400 * 10**6 + 1)}), INVALID_ARGS,
     "86400000000"),
    ("HoldMode", "(sssa{sv})", ("power", "", "", {"for-ever": GLib.Variant("b", True)}), INVALID_ARGS, "'for-ever'"),
    ("HoldMode", "(sssa{sv})", ("power", "", "", {"pidfd": GLib.Variant("u", 1)}), INVALID_ARGS,
     "'pidfd' is a file descriptor"),
    ("ReleaseHold", "(u)", (0,), ERROR + "NoSuchHold", "may have ended"),
    ("ReleaseHold", "(u)", (12345,), ERROR + "NoSuchHold", "may have ended"),
    ("SetDonation", "(sba{sv})", ("dispatch", False, {}), ERROR + "NoSuchHook", "'dispatch'; the hooks are select-cpu"),
    ("SetDonation", "(sba{sv})", ("enqueue", False, {"for-ever": GLib.Variant("b", True)}), INVALID_ARGS, "'for-ever'"),
    ("SetDonation", "(sba{sv})", ("enqueue", False, {"follow-mode": GLib.Variant("s", "yes")}), INVALID_ARGS,
     "'follow-mode'"),
    ("Attach", "(a{sv})", ({"force": GLib.Variant("b", True)},), INVALID_ARGS, "'force'"),
    ("Detach", "(a{sv})", ({"force": GLib.Variant("b", True)},), INVALID_ARGS, "'force'"),
])
def test_wrong_arguments_have_their_own_error_and_change_nothing(donord, member, signature, arguments, error, words):
    donord.start()
    before = donord.properties(), donord.params()
    donord.forget()
    refusal = donord.refused(member, signature, *arguments)
    assert refusal.name == error and words in refusal.text
    assert (donord.properties(), donord.params()) == before
    assert donord.signals == []
