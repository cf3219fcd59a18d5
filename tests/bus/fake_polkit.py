# SPDX-License-Identifier: GPL-2.0-only
"""A polkit whose answers the test gives; dbusmock's has no challenge, no cancelling and no memory."""

import threading

from gi.repository import Gio, GLib

NAME = "org.freedesktop.PolicyKit1"
XML = f"""<node><interface name="{NAME}.Authority">
  <method name="CheckAuthorization">
    <arg type="(sa{{sv}})" direction="in"/><arg type="s" direction="in"/><arg type="a{{ss}}" direction="in"/>
    <arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="(bba{{ss}})" direction="out"/>
  </method>
  <method name="CancelCheckAuthorization"><arg type="s" direction="in"/></method>
</interface></node>"""
ANSWERS = {"yes": (True, False), "no": (False, False), "challenge": (False, True)}


class FakePolkit:
    """Runs in a thread of its own, so that it can answer while the test waits for donord."""

    def __init__(self, bus, answer):
        self.answer = answer  # "yes", "no", "challenge", "error", "hang", or a function of the question
        self.asked = []  # questions: action, subject, is_interactive, id
        self.cancelled = []
        self.hanging = []
        self.connection = bus.connect()
        self.context = GLib.MainContext()
        self.loop = GLib.MainLoop(self.context)
        ready = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(ready,), daemon=True)
        self.thread.start()
        assert ready.wait(10)

    def run(self, ready):
        self.context.push_thread_default()
        self.connection.register_object("/org/freedesktop/PolicyKit1/Authority",
                                        Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], self.on_call, None, None)
        reply = self.connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                          "RequestName", GLib.Variant("(su)", (NAME, 4)), None, 0, 5000, None)
        assert reply.unpack() == (1,)
        ready.set()
        self.loop.run()

    def on_call(self, connection, sender, path, interface, method, parameters, invocation):
        if method == "CancelCheckAuthorization":
            self.cancelled += parameters.unpack()
            return invocation.return_value(None)
        (kind, details), action, more, flags, number = parameters.unpack()
        assert kind == "system-bus-name" and not more and flags in (0, 1)
        question = {"action": action, "subject": details["name"], "is_interactive": flags == 1, "id": number}
        self.asked.append(question)
        self.reply(invocation, self.answer(question) if callable(self.answer) else self.answer)

    def reply(self, invocation, answer):
        if answer == "hang":
            self.hanging.append(invocation)
        elif answer == "error":
            invocation.return_dbus_error(f"{NAME}.Error.Failed", "The rules are broken")
        else:
            invocation.return_value(GLib.Variant("((bba{ss}))", ((*ANSWERS[answer], {}),)))

    def release(self, answer):
        """Answer the questions that hang."""
        while self.hanging:
            self.reply(self.hanging.pop(0), answer)

    def stop(self):
        if not self.connection.is_closed():
            self.connection.close_sync(None)
        self.loop.quit()
        self.thread.join(10)
