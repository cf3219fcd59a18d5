# SPDX-License-Identifier: GPL-2.0-only
"""Runs a command on a terminal of its own, and writes what that shows into a file."""

import os
import pty
import sys

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
with open(sys.argv[1], "wb") as shown:
    try:
        while said := os.read(terminal, 4096):
            shown.write(said)
    except OSError:  # how the end of a terminal reads
        pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
