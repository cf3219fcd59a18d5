# SPDX-License-Identifier: GPL-2.0-only
"""The one exception for failures that a user can understand and act upon."""

import os
import signal
import sys


class BedError(Exception):
    """A sentence with the cause and the next step."""


def stop_on_signals() -> None:
    """Turn SIGTERM and SIGHUP into an exit that runs every `finally`."""

    def stop(number: int, _frame: object) -> None:
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)


def run_main(main, error_status: int) -> None:
    """Run main() and end the process: a BedError is a sentence, not a traceback."""
    name = os.path.basename(sys.argv[0])
    stop_on_signals()
    try:
        status = main(sys.argv[1:])
    except BedError as error:
        print(f"{name}: {error}", file=sys.stderr)
        status = error_status
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    except BrokenPipeError:
        status = 128 + signal.SIGPIPE
    sys.exit(status)
