"""Serves a study: the address, the links, and the server itself."""

from __future__ import annotations

import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from urllib.parse import urlsplit

import uvicorn

from rankprism.errors import InputError
from rankprism.judging.assess import access, rendering, study_state
from rankprism.judging.assess.access import Rate
from rankprism.judging.assess.app import make_app
from rankprism.judging.assess.connections import Limits, server
from rankprism.judging.assess.crowd import PARAMETERS
from rankprism.judging.assess.estimates import Estimates, Judges, check_study
from rankprism.judging.assess.store import Store, opened
from rankprism.judging.assess.visit import Site

_CONNECTIONS = 1000  # connections open at the same time
_OTHER_FILES = 300  # other files open at the same time; a connection to SQLite has three


@dataclass(frozen=True)
class Address:
    """Where a study can be reached."""

    host: str  #: the address that the server listens at
    port: int
    public: str  #: the beginning of every link, before the path

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return _is_loopback(self.host)

    @property
    def is_secure(self) -> bool:
        return self.public.startswith("https://")

    @property
    def hosts(self) -> frozenset[str]:
        """The host names that the server answers to."""
        names = {urlsplit(self.public).hostname or "", self.host}
        if self.is_local or _is_everywhere(self.host):
            names |= {"127.0.0.1", "localhost", "::1"}
        if _is_everywhere(self.host):
            names |= {socket.gethostname(), *_own_addresses()}
        return frozenset(f"[{name}]" if ":" in name else name.lower() for name in names if name)

    def explained(self) -> str:
        """Explain who can reach the address."""
        if self.is_local and self.is_secure:
            return "The server listens on this machine only. Others come through your proxy."
        if self.is_local:
            return (
                "The server listens on this machine only: nobody else can open these links. To let others "
                "in, put a proxy with TLS in front of it and name its address with --public-url."
            )
        if self.is_secure:
            return "Anybody who can reach this machine can reach the server, even without your proxy."
        return (
            "Anybody who can reach this machine can reach the server, and nothing is encrypted: anybody on "
            "the network can read links and answers. Use it in a network that you trust, or put a proxy with "
            "TLS in front of it and name its address with --public-url."
        )


def serve(
    target: str,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    public_url: str | None = None,
    requests_per_minute: int = 600,
    judges: Judges | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Serve a study until Ctrl-C or SIGTERM, and `say` the address and the links.

    judges : the judges and runs whose scores the dashboard shows.
    """
    if public_url is not None:
        public_url = access.check_address(public_url)
    with opened(target) as open_study:
        if judges is not None:
            check_study(open_study)
        rendering.clean_documents(open_study, say)
        listening = _listening(host, port)
        port = int(listening.getsockname()[1])
        shown = f"[{host}]" if ":" in host else host
        address = Address(
            host, port, public_url or f"http://{'127.0.0.1' if _is_everywhere(host) else shown}:{port}"
        )
        _tell(open_study, address, say)
        with open_study.reading() as connection:
            study = study_state.load(connection)
        site = Site(
            store=open_study,
            study=study,
            secure=address.is_secure,
            rate=Rate(requests_per_minute),
            crowd_rate=Rate(100 * requests_per_minute),
            hosts=address.hosts,
            link=lambda path: address.public + path,
            estimates=Estimates(judges),
        )
        proxied = public_url is not None  # then the headers of a proxy at 127.0.0.1 count
        running = server(
            make_app(site),
            Limits(connections=_most_connections()),
            proxy_headers=proxied,
            timeout_graceful_shutdown=5,
        )
        with _ended_in_good_order(running):
            running.run(sockets=[listening])
        listening.close()
    say("The server has stopped. All answers are stored.")


def _tell(open_study: Store, address: Address, say: Callable[[str], None]) -> None:
    with open_study.writing() as connection:
        study = study_state.load(connection)
        study_state.begin(open_study, connection, study.settings, address.public)
        organiser = access.organiser_link(connection)
        links = access.first_links(connection, study.settings.crowd)
    say(f"{study.settings.name} is served at {address.public}")
    say(address.explained())
    say(f"organiser: {address.public}/organise/{organiser}")
    for name, link in links.items():
        if name is None:
            parameter = study.settings.worker_parameter or PARAMETERS[0]
            say(f"crowd: {address.public}/crowd/{link}?{parameter}=ID")
        else:
            say(f"{name}: {address.public}/join/{link}")
    if links:
        say("Each link is shown once, and works once. `rankprism assess link STUDY NAME` makes a new one.")
    else:
        say("All links were shown before. `rankprism assess link STUDY NAME` makes a new one.")


@contextmanager
def _ended_in_good_order(running: uvicorn.Server) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the server after it has answered the current requests.

    uvicorn does so while it runs, and then sends the signal again. This covers the time before and after.
    """

    def end(number: int, frame: FrameType | None) -> None:
        running.should_exit = True

    kinds = (signal.SIGINT, signal.SIGTERM)
    before = {kind: signal.signal(kind, end) for kind in kinds}
    listener = signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        signal.set_wakeup_fd(listener)
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
    except OSError as error:
        raise InputError(
            f"cannot listen at {host}, port {port} ({error.strerror or error}); name another port with --port"
        ) from None
    return found


def _most_connections() -> int:
    """The number of connections that may be open, after raising the limit on open files as needed."""
    try:
        import resource
    except ImportError:  # on Windows, where sockets are not files
        return _CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _CONNECTIONS + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(50, soft - _OTHER_FILES)
    return _CONNECTIONS


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_everywhere(host: str) -> bool:
    return host in ("0.0.0.0", "::")


def _own_addresses() -> set[str]:
    try:
        return {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None)}
    except OSError:
        return set()
