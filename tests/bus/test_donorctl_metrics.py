# SPDX-License-Identifier: GPL-2.0-only
"""donorctl metrics and log-level; metrics as the answer to one HTTP request."""

import http.client
import io
import socket
import subprocess
import time

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics

from donorctl import environment, run, run_json
from fake_donord import DONORCTL
from harness import NOBODY

TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


@pytest.fixture(autouse=True)
def started(donord):
    donord.start()


def test_metrics_are_openmetrics(bus):
    found = {family.name for family in parse_openmetrics(run(bus, "metrics").stdout)}
    assert {"donor", "donor_state", "donor_donations", "donor_task_switches"} <= found


def test_log_level_shows_and_changes(donord, bus):
    assert run(bus, "log-level").stdout == "info\n"
    assert run(bus, "log-level", "debug").stdout == "debug\n"
    assert run_json(bus, "log-level") == {"log_level": "debug"}
    assert "did you mean 'debug'?" in run(bus, "log-level", "debg", status=2).stderr


def test_log_level_is_changed_by_root_alone(bus):
    assert "Run it as root" in run(bus, "log-level", "debug", status=4, user=NOBODY).stderr
    assert run(bus, "log-level", user=NOBODY).stdout == "info\n"


class Answer(io.BytesIO):
    def makefile(self, _mode):
        return self


def parse(data: bytes) -> http.client.HTTPResponse:
    response = http.client.HTTPResponse(Answer(data))
    response.begin()
    return response


def ask(bus, request: bytes, **env) -> bytes:
    """Over a socket pair, as systemd hands over a connection."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen([DONORCTL, "metrics", "--http"], stdin=theirs, stdout=theirs, stderr=subprocess.PIPE,
                                   env=environment(bus, **env))
        theirs.close()
        ours.sendall(request)
        ours.settimeout(20)
        data = b""
        while part := ours.recv(65536):
            data += part
        ours.close()
        error = process.communicate(timeout=20)[1]
        assert process.returncode == 0 and error == b"", error
        return data


@pytest.mark.parametrize("request_", [b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n",
                                      b"GET /metrics?debug=1 HTTP/1.0\r\n\r\n", b"GET /metrics HTTP/1.1\n\n"])
def test_a_scrape(bus, request_):
    response = parse(ask(bus, request_))
    assert (response.status, response.getheader("Content-Type"), response.getheader("Connection")) == (200, TYPE, "close")
    body = response.read()
    assert len(body) == int(response.getheader("Content-Length"))
    assert "donor_state" in {family.name for family in parse_openmetrics(body.decode())}


def test_a_request_in_pieces(bus):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen([DONORCTL, "metrics", "--http"], stdin=theirs, stdout=theirs, env=environment(bus))
        theirs.close()
        for piece in (b"GET /met", b"rics HTTP/1.1\r", b"\nHost: x\r\n", b"\r\n"):
            ours.sendall(piece)
            time.sleep(0.05)
        ours.settimeout(20)
        assert ours.recv(65536).startswith(b"HTTP/1.1 200 OK\r\n")
        ours.close()
        assert process.wait(20) == 0


def test_the_headers_alone(bus):
    data = ask(bus, b"HEAD /metrics HTTP/1.1\r\n\r\n")
    assert data.endswith(b"\r\n\r\n") and int(dict(line.split(b": ") for line in data.split(b"\r\n")[1:-2])[b"Content-Length"]) > 1000


@pytest.mark.parametrize("request_, status", [
    (b"GET / HTTP/1.1\r\n\r\n", 404),
    (b"GET /metrics/x HTTP/1.1\r\n\r\n", 404),
    (b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 405),
    (b"hello\r\n\r\n", 400),
    (b"GET metrics HTTP/1.1\r\n\r\n", 400),
    (b"GET /metrics HTTP/2\r\n\r\n", 400),
    (b"GET /metrics\x00 HTTP/1.1\r\n\r\n", 400),
    (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", 400),
    (b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 9000, 431),
])
def test_what_is_wrong_gets_its_status(bus, request_, status):
    response = parse(ask(bus, request_))
    assert response.status == status
    assert response.getheader("Content-Type").startswith("text/plain") and response.read()
    assert (response.getheader("Allow") == "GET, HEAD") == (status == 405)


def test_without_the_service(donord, bus):
    donord.stop()
    response = parse(ask(bus, b"GET /metrics HTTP/1.1\r\n\r\n"))
    assert response.status == 503 and b"does not run" in response.read()
    assert "not running" in run(bus, "metrics", status=7).stderr


def test_without_a_bus_the_journal_is_told(bus):
    process = subprocess.run([DONORCTL, "metrics", "--http"], input=b"GET /metrics HTTP/1.1\r\n\r\n", capture_output=True,
                             env=environment(bus, DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nonexistent"), timeout=20)
    response = parse(process.stdout)
    assert response.status == 503 and b"the journal says why" in response.read()
    assert process.returncode == 0 and b"cannot reach the system bus" in process.stderr


def test_a_silent_caller_is_not_waited_for_long(bus):
    begin = time.monotonic()
    assert parse(ask(bus, b"GET /metrics HTTP/1.1\r\n")).status == 408
    assert 5 < time.monotonic() - begin < 30


def test_a_caller_that_leaves_is_no_fault(bus):
    for said, status in ((b"", 0), (b"GET /metrics HTTP/1.1\r\n\r\n", None)):
        ours, theirs = socket.socketpair()
        process = subprocess.Popen([DONORCTL, "metrics", "--http"], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL,
                                   env=environment(bus))
        theirs.close()
        ours.sendall(said)
        ours.close()
        code = process.wait(20)
        assert code == status if status is not None else code in (0, 1)  # and no signal
