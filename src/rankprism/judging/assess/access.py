"""Controls access: links, sessions, the tokens behind them, and limits on the rate of requests.

A token is `id.secret`. The id finds its row, and the row has a hash of the secret, so that nobody who reads
the database can act as somebody else. A plain hash is enough, because secrets have 256 random bits.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from urllib.parse import urlsplit

import sqlalchemy as sa

from rankprism.errors import InputError
from rankprism.judging.assess import store

#: Duration of a session in days.
SESSION_DAYS = 30


@dataclass(frozen=True)
class Session:
    """The session of somebody who sent a valid cookie."""

    token: str
    assessor: int | None  #: None for the organiser

    @property
    def is_organiser(self) -> bool:
        return self.assessor is None

    @property
    def csrf(self) -> str:
        """The value by which forms show that they come from our own pages, made from the session's secret."""
        return hashlib.blake2b(self.token.encode(), person=b"csrf", digest_size=16).hexdigest()

    def is_ours(self, csrf: str) -> bool:
        return hmac.compare_digest(csrf.encode(), self.csrf.encode())


def new_token(connection: sa.Connection, purpose: str, assessor: int | None = None) -> str:
    """Make a token and store only its hash."""
    id, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    row = {"id": id, "hash": _hash(secret), "purpose": purpose, "assessor": assessor, "created": store.now()}
    connection.execute(sa.insert(store.token), [row])
    return f"{id}.{secret}"


def find_token(connection: sa.Connection, text: str, *purposes: str) -> sa.Row[tuple[object, ...]] | None:
    """Return the row of a token if its secret is right and it has one of these purposes."""
    id, _, secret = text.partition(".")
    token = store.token
    row = connection.execute(sa.select(token).where(token.c.id == id)).first() if id.isalnum() else None
    # Compare even if there is no such token, so that the time reveals nothing.
    known = "" if row is None else row.hash
    is_right = hmac.compare_digest(known.encode(), _hash(secret).encode())
    return row if is_right and row is not None and row.purpose in purposes else None


def session_of(connection: sa.Connection, cookie: str) -> Session | None:
    """The session that a cookie belongs to."""
    row = find_token(connection, cookie, "session", "organiser-session")
    if row is None or _is_old(row.created):
        return None
    return Session(cookie, row.assessor if row.purpose == "session" else None)


def use_link(connection: sa.Connection, link: str) -> str | None:
    """Turn an assessor's link into a session, once; None if it is wrong or was used."""
    row = find_token(connection, link, "link")
    if row is None:
        return None
    token = store.token
    used = connection.execute(
        sa.update(token).where(token.c.id == row.id, token.c.used.is_(None)).values(used=store.now())
    )
    if used.rowcount != 1:
        return None
    return _consented(connection, row.assessor)


def use_crowd_link(connection: sa.Connection, link: str, worker: str) -> str | None:
    """Turn the crowd's link and a worker id into a session; None if this worker has begun already."""
    assessor = store.assessor
    if find_token(connection, link, "crowd") is None:
        return None
    if connection.scalar(sa.select(assessor.c.id).where(assessor.c.worker == worker)) is not None:
        return None
    id = add_assessor(connection, worker, worker)
    return _consented(connection, id)


def use_organiser_link(connection: sa.Connection, link: str) -> str | None:
    """Turn the organiser's link into a session, once."""
    row = find_token(connection, link, "organiser")
    if row is None:
        return None
    used = connection.execute(sa.delete(store.token).where(store.token.c.id == row.id))
    return new_token(connection, "organiser-session") if used.rowcount == 1 else None


def end_session(connection: sa.Connection, session: Session) -> None:
    connection.execute(sa.delete(store.token).where(store.token.c.id == session.token.partition(".")[0]))


def add_assessor(connection: sa.Connection, name: str, worker: str | None = None) -> int:
    """Add an assessor, with a number appended to a name that is taken."""
    assessor = store.assessor
    taken = set(
        connection.scalars(
            sa.select(assessor.c.name).where(assessor.c.name.startswith(name, autoescape=True))
        )
    )
    free = next(n for n in (name, *(f"{name}-{i}" for i in range(2, len(taken) + 3))) if n not in taken)
    row = {"name": free, "worker": worker, "created": store.now()}
    inserted = connection.execute(sa.insert(assessor).values(row).returning(assessor.c.id))
    return int(inserted.scalar_one())


def new_link(connection: sa.Connection, name: str) -> str:
    """Make a new link for an assessor, who is added if new. The old link and all sessions end."""
    assessor, token = store.assessor, store.token
    id = connection.scalar(sa.select(assessor.c.id).where(assessor.c.name == name))
    if id is None:
        id = add_assessor(connection, name)
    connection.execute(sa.delete(token).where(token.c.assessor == id))
    return new_token(connection, "link", id)


def first_links(connection: sa.Connection, crowd: bool) -> dict[str | None, str]:
    """Make links for all assessors who never had one, by name, and for the crowd, if wanted, under None."""
    assessor, token = store.assessor, store.token
    had = sa.select(token.c.assessor).where(token.c.assessor.is_not(None))
    # A worker of a crowd came through the crowd's link.
    waiting = sa.select(assessor.c.id, assessor.c.name).where(
        assessor.c.id.not_in(had), assessor.c.worker.is_(None), assessor.c.consented.is_(None)
    )
    links: dict[str | None, str] = {
        name: new_token(connection, "link", id)
        for id, name in connection.execute(waiting.order_by(assessor.c.id)).all()
    }
    if crowd and connection.scalar(sa.select(token.c.id).where(token.c.purpose == "crowd")) is None:
        links[None] = new_token(connection, "crowd")
    return links


def organiser_link(connection: sa.Connection) -> str:
    """Make a new link for the organiser. Older links and all sessions of organisers end."""
    purpose = store.token.c.purpose
    connection.execute(sa.delete(store.token).where(purpose.in_(("organiser", "organiser-session"))))
    return new_token(connection, "organiser")


def check_address(url: str) -> str:
    """Return the address of a server for links, or refuse one that paths cannot be added to."""
    try:
        parts = urlsplit(url)
        plain = bool(parts.hostname) and parts.port != 0 and parts.username is None
    except ValueError:  # an invalid port or IPv6 address
        plain = False
    if (
        not plain
        or parts.scheme not in ("http", "https")
        or f"{parts.scheme}://{parts.netloc}" != url.rstrip("/")
    ):
        raise InputError(f"--public-url: {url!r} must be like https://assess.example.org, without a path")
    return f"{parts.scheme}://{parts.netloc}"


def check_worker(worker: str) -> str:
    """Return a worker id from a link, or refuse one that may not be stored and shown."""
    try:
        return check_name(worker)
    except InputError:
        raise InputError("the link needs a worker id of 1 to 100 characters that can be printed") from None


def check_name(name: str) -> str:
    """Return the name of an assessor, or refuse one that may not be stored and shown."""
    if not 0 < len(name) <= 100 or not name.isprintable() or name != name.strip():
        raise InputError("an assessor needs a name of 1 to 100 characters that can be printed")
    return name


class Rate:
    """Limits the requests of each key: `most` at once, and `per_minute` on average.

    The counts are in memory, because the limit protects this process.
    """

    def __init__(self, per_minute: int, most: int | None = None) -> None:
        self.per_second = per_minute / 60
        self.most = float(most or per_minute)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allows(self, key: str, now: float | None = None) -> bool:
        now = time.monotonic() if now is None else now
        with self._lock:
            left, then = self._left.pop(key, (self.most, now))
            left = min(self.most, left + (now - then) * self.per_second)
            self._left[key] = (left - 1 if left >= 1 else left, now)
            while len(self._left) > 10_000:  # the keys idle for longest have their full allowance anyway
                self._left.popitem(last=False)
            return left >= 1


def completion_code(secret: str, assessor: int) -> str:
    """A code that only the last page shows an assessor, and that the organiser can check."""
    digest = hmac.digest(secret.encode(), f"completed {assessor}".encode(), "sha256")
    return digest.hex()[:10].upper()


def _consented(connection: sa.Connection, assessor: int) -> str:
    read = sa.select(sa.func.max(store.instructions.c.version)).scalar_subquery()
    connection.execute(
        sa.update(store.assessor)
        .where(store.assessor.c.id == assessor)
        .values(consented=store.now(), instructions=read)
    )
    return new_token(connection, "session", assessor)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _is_old(created: str) -> bool:
    from datetime import UTC, datetime, timedelta

    # The clock may have been set back since, which must not prolong a session.
    return abs(datetime.now(UTC) - datetime.fromisoformat(created)) > timedelta(days=SESSION_DAYS)
