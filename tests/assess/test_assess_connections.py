"""Clients that are slow on purpose: half of a request, an answer that is not read, and a thousand of them."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from rankprism.judging.assess.connections import Limits, server
from rankprism.judging.assess.serve import _ended_in_good_order
from tests.support.assessing import Browser, Person, Served, listening, make_collection, opened, over_network
from tests.support.machine import posix

#: What a client has sent when it stops: nothing, some of the headers, and some of a form.
HALVES = [
    b"",
    b"GET / HT",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
    b"POST /task HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\ncsrf=",
    b"POST /task HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ncs",
    b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nx",  # answered, and goes on
]
#: Far more than anything here takes, and less than uvicorn waits, which is forever.
PATIENCE = 60


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(opened(tmp_path))
    yield served
    served.store.close()


def connected(port: int, data: bytes = b"") -> socket.socket:
    """A connection over which something was sent."""
    found = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    found.sendall(data)
    return found


def read_to_the_end(connection: socket.socket) -> bytes:
    """All that comes until the other side closes; an error if it never does."""
    found = b""
    try:
        while piece := connection.recv(65536):
            found += piece
    except ConnectionResetError:
        pass
    return found


def send_repeatedly(connection: socket.socket, data: bytes) -> None:
    """Send the same until the other side closes; return if it never does."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        connection.sendall(data)
        time.sleep(0.02)


@pytest.mark.parametrize("half", HALVES)
def test_half_a_request_is_not_waited_for_forever(served: Served, half: bytes) -> None:
    with listening(served, Limits(to_send=0.5)) as port, connected(port, half) as connection:
        answer = read_to_the_end(connection)
    assert answer[:15] in (b"", b"HTTP/1.1 200 OK")


def test_a_byte_now_and_then_does_not_prolong_the_time(served: Served) -> None:
    with (
        listening(served, Limits(to_send=1.0)) as port,
        connected(port, HALVES[2]) as connection,
        pytest.raises(ConnectionError),
    ):
        send_repeatedly(connection, b"x")


def test_the_second_request_of_a_connection_has_a_deadline_too(served: Served) -> None:
    whole = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with listening(served, Limits(to_send=0.5)) as port, connected(port, whole) as connection:
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        connection.sendall(HALVES[3])
        read_to_the_end(connection)


def test_a_slow_but_whole_request_is_answered(served: Served) -> None:
    with listening(served, Limits(to_send=PATIENCE)) as port, connected(port) as connection:
        for byte in b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n":
            connection.sendall(bytes([byte]))
        assert read_to_the_end(connection).endswith(b"ok\n")


def test_time_for_work_is_not_limited(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The deadlines are for those who send and read, not for the database."""
    ann = served.person("ann")
    page = ann.get("/task")
    monkeypatch.setattr(type(served.site.supply), "soon", lambda *given: time.sleep(1))
    with listening(served, Limits(to_send=0.3, to_read=0.3)) as port:
        ann.client.send, ann.client.host = over_network(port), f"127.0.0.1:{port}"
        assert ann.submit(page, "left").is_task


def test_an_answer_that_nobody_reads_is_not_kept_forever(tmp_path: Path) -> None:
    collection = make_collection(tmp_path)
    ids = [json.loads(line)["id"] for line in collection.documents.read_text().splitlines()]
    rows = [{"id": id, "text": "x" * 190_000} for id in ids]
    collection.documents.write_text("".join(json.dumps(row) + "\n" for row in rows))
    served = Served(opened(tmp_path, collection=collection))
    ann = served.person("ann")
    ann.get("/task")
    cookies = "; ".join(f"{name}={value}" for name, value in ann.client.cookies.items())
    one = f"GET /document/1/left HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookies}\r\n\r\n".encode()
    with listening(served, Limits(to_read=0.5)) as port, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(PATIENCE)
        connection.connect(("127.0.0.1", port))
        with pytest.raises(ConnectionError):
            send_repeatedly(connection, one)  # asks again and again, and reads nothing
    served.store.close()


def test_the_one_that_waits_longest_makes_room(served: Served) -> None:
    with listening(served, Limits(to_send=PATIENCE, connections=3)) as port, ExitStack() as stack:
        first, second, third = (stack.enter_context(connected(port, HALVES[2])) for _ in range(3))
        assert Browser(over_network(port), f"127.0.0.1:{port}").get("/health").text == "ok\n"
        assert read_to_the_end(first) == b""
        for one in (second, third):
            one.sendall(b"y\r\nConnection: close\r\n\r\n")
            assert read_to_the_end(one).startswith(b"HTTP/1.1 200")


@contextmanager
def started(command: Path, study: Path) -> Iterator[tuple[subprocess.Popen[str], int, str, list[str]]]:
    """The server as people start it: the process, its port, the path of Ann's link, and its errors."""
    process = subprocess.Popen(
        [command, "assess", "serve", str(study), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    errors: list[str] = []
    reader = threading.Thread(target=lambda: errors.extend(process.stderr or ()))
    reader.start()
    try:
        link = ""
        for line in process.stdout:
            if line.startswith("ann: "):
                link = line.split()[1]
            if line.startswith("Each link"):
                break
        _, _, address, path = link.split("/", 3)
        port = int(address.rpartition(":")[2])
        while True:
            try:
                connected(port).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        yield process, port, f"/{path}", errors
    finally:
        process.kill()
        process.wait(PATIENCE)
        reader.join(PATIENCE)
        process.stdout.close()
        process.stderr.close()


@posix
def test_a_thousand_half_sent_requests_keep_nobody_out(
    cli: Any, rankprism_command: Path, tmp_path: Path
) -> None:
    """And whatever clients send, the server says nothing about it, also not at its end."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] != resource.RLIM_INFINITY and before[1] < 1300:
        pytest.skip(f"this system allows a process {before[1]} files")
    collection = make_collection(tmp_path)
    study = tmp_path / "study.db"
    made = cli("assess", "new", study, *collection.arguments, "--depth", 3, "--assessors", "ann")
    assert (made.returncode, made.stderr) == (0, "")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], 1300), before[1]))
    try:
        with started(rankprism_command, study) as (process, port, link, errors), ExitStack() as stack:
            ann = Person(Browser(over_network(port), f"127.0.0.1:{port}"))
            page = ann.join(link)
            assert page.is_task
            held = [stack.enter_context(connected(port, HALVES[i % 6])) for i in range(1100)]
            for _ in range(5):
                page = ann.submit(page, "left")
                assert page.is_task, page.text
            for bad in (
                b"\x16\x03\x01\x02\x00\x01\x00\x01",  # TLS
                b"GET / HTTP/1.1\r\n\r\n",  # no host
                b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
                b"POST /task HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                b"GET /task HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
                b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
                b"GET " + b"/" * 200_000,
            ):
                with connected(port, bad) as connection:
                    connection.shutdown(socket.SHUT_WR)
                    read_to_the_end(connection)
            assert ann.submit(page, "left").is_task
            process.send_signal(signal.SIGINT)  # while hundreds are still held
            assert process.wait(PATIENCE) == 0
            assert len(held) == 1100
            assert process.stdout is not None
            assert process.stdout.read() == "The server has stopped. All answers are stored.\n"
        assert errors == []
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_signal_in_the_moment_before_the_server_runs_is_not_lost(served: Served) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        ready = server(served.app, Limits())
        with _ended_in_good_order(ready):
            signal.raise_signal(signal.SIGTERM)
            ready.run(sockets=[place])  # would go on forever
    assert signal.getsignal(signal.SIGTERM) is before
