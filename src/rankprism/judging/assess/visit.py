"""A visit to a study: the request, who sent it, and the page that answers it."""

from __future__ import annotations

import hashlib
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import jinja2
import sqlalchemy as sa
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from rankprism.errors import InputError
from rankprism.judging.assess import access, adaptive, dashboard, rendering, store, study_state
from rankprism.judging.assess.access import Rate, Session
from rankprism.judging.assess.estimates import Estimates
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store

#: The largest form that is read, in bytes.
MOST_FORM = 64 * 1024
_LARGEST_ROW = 2**31 - 1
_BETWEEN_PROBLEMS = 10.0  # seconds
_REMEMBERED = 5.0  # seconds before the progress of the whole study is counted again


@lru_cache(maxsize=1)
def _templates() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["prose"] = lru_cache(rendering.prose)
    made.globals["static"] = _static
    return made


@lru_cache
def _static(name: str) -> str:
    """The address of a static file. It changes with the file, so that browsers may keep what they have."""
    content = Path(__file__).parent.joinpath("static", name).read_bytes()
    return f"/static/{name}?{hashlib.blake2b(content, digest_size=6).hexdigest()}"


class Problems:
    """Prints for whoever runs the server what went wrong, one line every few seconds at the most."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = -_BETWEEN_PROBLEMS
        self._untold = 0

    def tell(self, problem: object) -> None:
        """Print a problem, or count it for the next line."""
        with self._lock:
            if time.monotonic() - self._last < _BETWEEN_PROBLEMS:
                self._untold += 1
                return
            more = f" (and {self._untold} problems before that were not printed)" if self._untold else ""
            self._last, self._untold = time.monotonic(), 0
        print(f"rankprism assess: {problem}{more}", file=sys.stderr, flush=True)


@dataclass(frozen=True, eq=False)
class Site:
    """A study that is served, and the settings of its server."""

    store: Store
    study: study_state.Study
    secure: bool = False  #: whether browsers reach it by https, so that cookies are sent only by https
    rate: Rate = field(default_factory=lambda: Rate(600))  #: the limit for one person
    crowd_rate: Rate = field(default_factory=lambda: Rate(60_000))  #: the limit for all who share an address
    hosts: frozenset[str] = frozenset({"127.0.0.1", "localhost", "[::1]"})
    link: Callable[[str], str] = field(default=lambda path: path)  #: gives the full address of a path
    standings: dashboard.Standings = field(default_factory=dashboard.Standings)
    estimates: Estimates = field(default_factory=Estimates)
    supply: adaptive.Supply = field(default_factory=adaptive.Supply)
    remembered: dict[str, tuple[float, Any]] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)

    @property
    def settings(self) -> Settings:
        """The settings of the study, with the present instructions, which may change while it runs."""
        known = self.study.settings
        text = self.remember("instructions", self._instructions)
        return known if text in (None, known.instructions) else replace(known, instructions=text)

    def _instructions(self) -> str | None:
        table = store.instructions
        try:
            with self.store.reading() as connection:
                return connection.scalar(sa.select(table.c.text).order_by(table.c.version.desc()).limit(1))
        except (sa.exc.SQLAlchemyError, InputError):  # a page that says so needs settings, too
            return None

    def cookie(self, kind: str) -> str:
        return f"__Host-rankprism-{kind}" if self.secure else f"rankprism-{kind}"

    def remember(self, key: str, compute: Callable[[], Any], seconds: float = _REMEMBERED) -> Any:
        """The value that `compute` returned a moment ago, or returns now."""
        then, value = self.remembered.get(key, (-seconds, None))
        if time.monotonic() - then >= seconds:
            value = compute()
            self.remembered[key] = (time.monotonic(), value)
        return value


@dataclass(frozen=True)
class Visit:
    """A request to a site, with the fields of its form."""

    request: Request
    site: Site
    form: Mapping[str, str]

    def session(self, kind: str) -> Session | None:
        cookie = self.request.cookies.get(self.site.cookie(kind), "")
        if not cookie:
            return None
        with self.site.store.reading() as connection:
            found = access.session_of(connection, cookie)
        return found if found is not None and found.is_organiser == (kind == "organiser") else None

    def needs(self, kind: str) -> Session:
        """Return the session, or refuse the visit. A form must also prove that it comes from our own page."""
        found = self.session(kind)
        if found is None:
            source = "Ask the organiser for a new one."
            if kind == "organiser":
                source = "The command serve prints a new one, and ends the sessions of older links."
            raise HTTPException(403, f"You need a link to see this page. {source}")
        if self.request.method == "POST" and not found.is_ours(self.form.get("csrf", "")):
            raise HTTPException(403, "This form is too old. Go back, reload the page and try again.")
        return found

    @property
    def by_htmx(self) -> bool:
        return self.request.headers.get("hx-request") == "true"

    @property
    def settings(self) -> Settings:
        return self.site.settings

    def page(self, name: str, status: int = 200, **values: Any) -> Response:
        """Make a page from the template with this name."""
        template = _templates().get_template(name)
        return HTMLResponse(template.render(study=self.settings, partial=self.by_htmx, **values), status)

    def error(self, status: int, message: str) -> Response:
        if self.by_htmx:
            return PlainTextResponse(message, status)
        is_known = any(self.site.cookie(kind) in self.request.cookies for kind in ("assessor", "organiser"))
        title = "This did not work"
        return self.page("message.html", status, title=title, message=message, is_known=is_known)

    def entered(self, session: str | None, kind: str, path: str) -> Response:
        """Set the new session as a cookie, and go to a path."""
        if session is None:
            return self.error(
                403, "You have not joined the study. Open the link again, and agree if you want to take part."
            )
        response = RedirectResponse(path, 303)
        response.set_cookie(
            self.site.cookie(kind),
            session,
            max_age=access.SESSION_DAYS * 24 * 3600,
            httponly=True,
            samesite="lax",
            secure=self.site.secure,
            path="/",
        )
        return response

    def whole(self, name: str) -> int:
        """The row number in a field of the form."""
        found = number(self.form.get(name, ""))
        if found is None:
            raise HTTPException(400, "The form is not complete. Reload the page and try again.")
        return found


def number(text: str) -> int | None:
    """Convert a row number; None if the text cannot be one. Python refuses to convert thousands of digits."""
    if not (text.isascii() and text.isdigit()) or len(text) > 10 or int(text) > _LARGEST_ROW:
        return None
    return int(text)


async def form_of(request: Request) -> Mapping[str, str]:
    """The fields of a form of limited size, without files. If a name occurs twice, the last field counts."""
    if request.method != "POST":
        return {}
    data = bytearray()
    try:
        async for piece in request.stream():
            data += piece
            if len(data) > MOST_FORM:
                raise HTTPException(413, "The form is too large.")
    except ClientDisconnect:
        raise HTTPException(400, "The form did not arrive completely.") from None
    try:
        fields = parse_qsl(data.decode("utf-8"), keep_blank_values=True, max_num_fields=200)
    except ValueError:
        raise HTTPException(400, "The form cannot be read.") from None
    # Databases reject lone surrogates, because they are not valid text.
    return {name: value.encode("utf-8", "replace").decode().replace("\0", "") for name, value in fields}
