"""The pages of a study, as a Starlette app.

Requests become calls of `work`, `access` and `dashboard`, in threads, since a call waits for the database.
Every page works without scripts. With them, htmx swaps the next task in, and keys answer.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import jinja2
import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankprism.assess import access, adaptive, dashboard, exchange, rendering, store, work
from rankprism.assess.access import Rate, Session
from rankprism.assess.store import Store
from rankprism.errors import RankprismError

#: What a browser may do on our own pages. Documents have a policy of their own.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # links have tokens in them
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-DNS-Prefetch-Control": "off",
    "X-Robots-Tag": "noindex, nofollow",
}
#: The largest form that is read, in bytes.
MOST_FORM = 64 * 1024
_HERE = Path(__file__).parent
_REMEMBERED = 5.0  # seconds for which the progress of the whole study is not counted again


@dataclass(frozen=True, eq=False)
class Site:
    """A study that is served, and how."""

    store: Store
    study: work.Study
    secure: bool = False  #: whether browsers reach it by https, so that cookies may travel no other way
    rate: Rate = field(default_factory=lambda: Rate(600))  #: of one person
    crowd_rate: Rate = field(default_factory=lambda: Rate(60_000))  #: of all who share an address
    hosts: frozenset[str] = frozenset({"127.0.0.1", "localhost", "[::1]"})
    link: Callable[[str], str] = field(default=lambda path: path)  #: the whole address of a path
    standings: dashboard.Standings = field(default_factory=dashboard.Standings)
    supply: adaptive.Supply = field(default_factory=adaptive.Supply)
    remembered: dict[str, tuple[float, Any]] = field(default_factory=dict)

    def cookie(self, kind: str) -> str:
        return f"__Host-rankprism-{kind}" if self.secure else f"rankprism-{kind}"

    def remember(self, key: str, compute: Callable[[], Any], seconds: float = _REMEMBERED) -> Any:
        """What `compute` returned a moment ago, or returns now."""
        then, value = self.remembered.get(key, (-seconds, None))
        if time.monotonic() - then >= seconds:
            value = compute()
            self.remembered[key] = (time.monotonic(), value)
        return value


@dataclass(frozen=True)
class Visit:
    """A request, with what was sent and who sent it."""

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
        """The session, or an error; a form must also show that it comes from our own page."""
        found = self.session(kind)
        if found is None:
            source = "Ask the organiser for a new one."
            if kind == "organiser":
                source = "The command serve prints a new one, and ends what older links have opened."
            raise HTTPException(403, f"You need a link to see this page. {source}")
        if self.request.method == "POST" and not found.is_ours(self.form.get("csrf", "")):
            raise HTTPException(403, "This form is too old. Go back, reload the page and try again.")
        return found

    @property
    def by_htmx(self) -> bool:
        return self.request.headers.get("hx-request") == "true"


Answer = Callable[[Visit], Response]


def make_app(site: Site) -> ASGIApp:
    """The app of a study."""
    pages = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters["prose"] = lru_cache(rendering.prose)
    settings = site.study.settings

    def page(name: str, visit: Visit, status: int = 200, **values: Any) -> Response:
        template = pages.get_template(name)
        text = template.render(study=settings, partial=visit.by_htmx, **values)
        return HTMLResponse(text, status)

    def error(visit: Visit, status: int, message: str) -> Response:
        if visit.by_htmx:
            return PlainTextResponse(message, status)
        return page("message.html", visit, status, title="This did not work", message=message)

    # ── assessors ──────────────────────────────────────────────────────────────────────────────

    def home(visit: Visit) -> Response:
        if visit.session("assessor") is not None:
            return RedirectResponse("/task", 303)
        if visit.session("organiser") is not None:
            return RedirectResponse("/organiser", 303)
        message = "To take part you need a link from the organiser of this study."
        return page("message.html", visit, title=settings.name, message=message)

    def join(visit: Visit) -> Response:
        token = visit.request.path_params["token"]
        known = visit.session("assessor")
        with site.store.reading() as connection:
            row = access.find_token(connection, token, "link")
        if row is not None and known is not None and row.assessor == known.assessor:
            return RedirectResponse("/task", 303)  # the same person comes back by the same link
        if row is None or row.used is not None:
            return error(
                visit, 403, "This link is wrong or was used already. Ask the organiser for a new one."
            )
        if visit.request.method == "POST":
            with site.store.writing() as connection:
                session = access.use_link(connection, token) if visit.form.get("consent") else None
            return _entered(visit, session, "assessor", "/task")
        return page("join.html", visit, worker=None)

    def crowd(visit: Visit) -> Response:
        token, worker = visit.request.path_params["token"], visit.request.query_params.get("worker", "")
        access.check_worker(worker)
        with site.store.reading() as connection:
            known = access.find_token(connection, token, "crowd")
            begun = connection.scalar(sa.select(store.assessor.c.id).where(store.assessor.c.worker == worker))
        session = visit.session("assessor")
        if known is not None and begun is not None and session is not None and session.assessor == begun:
            return RedirectResponse("/task", 303)
        if known is None or begun is not None:
            return error(
                visit,
                403,
                "This link is wrong, or somebody has begun with this worker id in another browser. "
                "Ask the organiser for a link of your own.",
            )
        if visit.request.method == "POST":
            with site.store.writing() as connection:
                new = access.use_crowd_link(connection, token, worker) if visit.form.get("consent") else None
            return _entered(visit, new, "assessor", "/task")
        return page("join.html", visit, worker=worker)

    def _entered(visit: Visit, session: str | None, kind: str, path: str) -> Response:
        if session is None:
            return error(
                visit, 403, "Nothing was begun. Open the link again, and agree if you want to take part."
            )
        response = RedirectResponse(path, 303)
        response.set_cookie(
            site.cookie(kind),
            session,
            max_age=access.SESSION_DAYS * 24 * 3600,
            httponly=True,
            samesite="lax",
            secure=site.secure,
            path="/",
        )
        return response

    def task(visit: Visit) -> Response:
        session = visit.needs("assessor")
        assert session.assessor is not None
        if visit.request.method != "POST":
            return _task_page(visit, session, work.next_task(site.store, settings, session.assessor))
        outcome, place, found = _submitted(session.assessor, visit.form)
        if outcome in work.REFUSED:
            notice = work.REFUSED[outcome]
        else:
            notice = work.feedback(site.store, session.assessor, place) or ""
            site.supply.soon(site.store, settings)
            if settings.settle is not None:
                site.standings.latest(site.store, settings)
        if not visit.by_htmx and not notice:
            return RedirectResponse("/task", 303)
        return _task_page(visit, session, found, notice)

    def _submitted(assessor: int, form: Mapping[str, str]) -> tuple[str, int, work.Assignment | None]:
        place, attempt = _whole(form, "place"), _whole(form, "attempt")
        answer, grades = form.get("answer", ""), None
        if settings.collects_grades and answer != "cannot":
            wanted = work.aspects_of(site.store, assessor, place)
            grades = {a.name: form.get(f"aspect-{i}", "") for i, a in enumerate(wanted)}
            if answer != "graded" or any(grades[a.name] not in a.labels for a in wanted):
                raise HTTPException(400, "Choose a label in every row, or say that you cannot judge.")
        elif answer not in work.ANSWERS:
            raise HTTPException(400, f"The answer must be one of {', '.join(work.ANSWERS)}.")
        comment = form.get("comment", "").strip()
        outcome, found = work.submit_and_next(
            site.store, settings, assessor, place, attempt, answer, comment, grades
        )
        return outcome, place, found

    def undo(visit: Visit) -> Response:
        session = visit.needs("assessor")
        assert session.assessor is not None
        if not work.undo(site.store, settings, session.assessor):
            return error(visit, 400, "There is no answer to take back.")
        if not visit.by_htmx:
            return RedirectResponse("/task", 303)
        return _task_page(visit, session, work.next_task(site.store, settings, session.assessor))

    def _task_page(
        visit: Visit, session: Session, found: work.Assignment | None, notice: str = ""
    ) -> Response:
        assert session.assessor is not None
        if found is None and site.supply.now(site.store, settings):
            found = work.next_task(site.store, settings, session.assessor)
        with site.store.reading() as connection:
            mine = work.progress(connection, session.assessor)
            stopped = connection.scalar(sa.select(store.study.c.stopped))

        def count() -> tuple[int, int]:
            with site.store.reading() as connection:
                return work.study_progress(connection, settings)

        values = {
            "csrf": session.csrf,
            "mine": mine,
            "all": site.remember("progress", count),
            "notice": notice,
        }
        if found is None:
            own = access.completion_code(site.study.secret, session.assessor)
            code = (settings.completion_code or own) if mine.done else None
            return page("done.html", visit, code=code, stopped=stopped, **values)
        return page("task.html", visit, task=found, **values)

    def instructions(visit: Visit) -> Response:
        visit.needs("assessor")
        return page("instructions.html", visit)

    def leave(visit: Visit) -> Response:
        kind = "organiser" if visit.form.get("kind") == "organiser" else "assessor"
        session = visit.needs(kind)
        with site.store.writing() as connection:
            access.end_session(connection, session)
        response = RedirectResponse("/", 303)
        response.delete_cookie(site.cookie(kind), path="/", secure=site.secure, httponly=True, samesite="lax")
        return response

    def shown(visit: Visit) -> Response:
        place, where = _number(visit.request.path_params["place"]), visit.request.path_params["where"]
        if place is None:
            raise HTTPException(404, "There is no such document.")
        session = visit.needs("assessor")
        assert session.assessor is not None
        row = work.shown_document(site.store, session.assessor, place, where)
        if row is None:
            raise HTTPException(404, "There is no such document among your tasks.")
        text = rendering.page(row.cleaned, row.title)
        return HTMLResponse(text, headers={"Content-Security-Policy": rendering.POLICY})

    # ── the organiser ──────────────────────────────────────────────────────────────────────────

    def organise(visit: Visit) -> Response:
        token = visit.request.path_params["token"]
        if visit.request.method == "POST":
            with site.store.writing() as connection:
                session = access.use_organiser_link(connection, token)
            return _entered(visit, session, "organiser", "/organiser")
        if visit.session("organiser") is not None:
            return RedirectResponse("/organiser", 303)
        with site.store.reading() as connection:
            known = access.find_token(connection, token, "organiser")
        if known is None:
            return error(
                visit, 403, "This link is wrong or was used already. The command serve prints a new one."
            )
        return page("organise.html", visit)

    def board(visit: Visit) -> Response:
        return _board(visit, visit.needs("organiser"))

    def _board(visit: Visit, session: Session, notice: str = "", link: str = "") -> Response:
        view = dashboard.view(site.store, site.study)
        standing = site.standings.latest(site.store, settings)
        return page(
            "board.html",
            visit,
            csrf=session.csrf,
            view=view,
            standing=standing,
            notice=notice,
            link=link,
            formats=exchange.formats(settings),
        )

    def reissue(visit: Visit) -> Response:
        session = visit.needs("organiser")
        name = access.check_name(visit.form.get("name", "").strip())
        with site.store.writing() as connection:
            link = site.link(f"/join/{access.new_link(connection, name)}")
        notice = f"The new link of {name}. It is shown once; the old link and open sessions have ended."
        return _board(visit, session, notice, link)

    def stop(visit: Visit) -> Response:
        session = visit.needs("organiser")
        why = None if visit.form.get("resume") else "The organiser has stopped the study."
        work.stop(site.store, why)
        notice = "Tasks are given out again." if why is None else "No more tasks are given out."
        return _board(visit, session, notice)

    def export(visit: Visit) -> Response:
        visit.needs("organiser")
        query = visit.request.query_params
        exported = exchange.export(
            site.store, query.get("to", ""), identities=query.get("identities") == "yes"
        )
        name = f"{exchange.file_name(settings.name)}.{exchange.ending(query.get('to', ''))}"
        return Response(
            exported.text,
            media_type="text/plain; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    # ── everything ─────────────────────────────────────────────────────────────────────────────

    def endpoint(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        async def called(request: Request) -> Response:
            visit = Visit(request, site, await _form(request))
            try:
                return await run_in_threadpool(answer, visit)
            except HTTPException as problem:
                return error(visit, problem.status_code, problem.detail)
            except store.Unavailable as problem:
                print(f"rankprism assess: {problem}", file=sys.stderr, flush=True)
                words = "The database is not available, and nothing was stored. Wait a moment and try again."
                return error(visit, 503, words)
            except store.Damaged as problem:
                print(f"rankprism assess: {problem}", file=sys.stderr, flush=True)
                return error(visit, 500, "The study is damaged, and nothing was stored. Tell the organiser.")
            except RankprismError as problem:
                return error(visit, 400, str(problem))
            except sa.exc.IntegrityError:  # somebody else did the same at the same moment
                return error(visit, 409, "Two requests came at the same time. Try again.")

        return called

    async def not_found(request: Request, problem: Exception) -> Response:
        status = problem.status_code if isinstance(problem, HTTPException) else 500
        words = {404: "There is no such page.", 405: "This page cannot be used like that."}
        if status == 500:
            words[500] = "Something went wrong here. What you had answered before is stored. Try again."
        detail = problem.detail if isinstance(problem, HTTPException) else ""
        return error(Visit(request, site, {}), status, words.get(status, detail))

    def health(visit: Visit) -> Response:
        return PlainTextResponse("ok\n")

    app = Starlette(
        routes=[
            Route("/", endpoint(home)),
            Route("/health", endpoint(health)),
            Route("/join/{token}", endpoint(join), methods=["GET", "POST"]),
            Route("/crowd/{token}", endpoint(crowd), methods=["GET", "POST"]),
            Route("/task", endpoint(task), methods=["GET", "POST"]),
            Route("/undo", endpoint(undo), methods=["POST"]),
            Route("/instructions", endpoint(instructions)),
            Route("/leave", endpoint(leave), methods=["POST"]),
            Route("/document/{place}/{where}", endpoint(shown)),
            Route("/organise/{token}", endpoint(organise), methods=["GET", "POST"]),
            Route("/organiser", endpoint(board)),
            Route("/organiser/link", endpoint(reissue), methods=["POST"]),
            Route("/organiser/stop", endpoint(stop), methods=["POST"]),
            Route("/organiser/export", endpoint(export)),
            Mount("/static", StaticFiles(directory=_HERE / "static")),
        ],
        exception_handlers={HTTPException: not_found, Exception: not_found},
    )
    app.router.redirect_slashes = False  # such redirects would have the Host header in them
    return _guarded(app, site)


_LARGEST = 2**31 - 1  # of the numbers that name rows


def _whole(form: Mapping[str, str], name: str) -> int:
    found = _number(form.get(name, ""))
    if found is None:
        raise HTTPException(400, "The form is not complete. Reload the page and try again.")
    return found


def _number(text: str) -> int | None:
    """The number that names a row, if it can be one. Python refuses to convert thousands of digits."""
    if not (text.isascii() and text.isdigit()) or len(text) > 10 or int(text) > _LARGEST:
        return None
    return int(text)


async def _form(request: Request) -> Mapping[str, str]:
    """The fields of a form: plain ones, of a bounded size. The last one counts where a name occurs twice."""
    if request.method != "POST":
        return {}
    data = bytearray()
    try:
        async for piece in request.stream():
            data += piece
            if len(data) > MOST_FORM:
                raise HTTPException(413, "The form is too large.")
    except ClientDisconnect:
        raise HTTPException(400, "The form did not arrive whole.") from None
    try:
        fields = parse_qsl(data.decode("utf-8"), keep_blank_values=True, max_num_fields=200)
    except ValueError:
        raise HTTPException(400, "The form cannot be read.") from None
    # What is no text, such as half of a surrogate pair, no database stores.
    return {name: value.encode("utf-8", "replace").decode().replace("\0", "") for name, value in fields}


def _guarded(app: ASGIApp, site: Site) -> ASGIApp:
    """The app behind what holds for every request: known hosts, our own forms, a bounded rate, headers."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        request = Request(scope)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                extra = dict(HEADERS)
                extra["Content-Security-Policy"] = POLICY
                if not scope["path"].startswith("/static/"):
                    extra["Cache-Control"] = "no-store"
                message["headers"] = [
                    *message["headers"],
                    *(
                        (k.encode(), v.encode())
                        for k, v in extra.items()
                        if k.lower().encode() not in present
                    ),
                ]
            await send(message)

        refusal = _refusal(request, site)
        await (app if refusal is None else refusal)(scope, receive, with_headers)

    return guarded


def _refusal(request: Request, site: Site) -> Response | None:
    """Why a request is not answered."""
    host = request.headers.get("host", "")
    # Another name that leads here is a trick to reach a server that listens to this machine only.
    if _name(host) not in site.hosts:
        return PlainTextResponse("This server does not answer to that host name.\n", 400)
    if request.method not in ("GET", "HEAD"):
        fetched, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
        foreign = (
            fetched not in ("same-origin", "none") if fetched else origin and urlsplit(origin).netloc != host
        )
        if foreign:
            return PlainTextResponse("This form comes from another site.\n", 403)
    if not request.scope["path"].startswith("/static/"):
        cookies = [request.cookies.get(site.cookie(kind), "") for kind in ("assessor", "organiser")]
        who = next((cookie.partition(".")[0] for cookie in cookies if cookie), "")
        address = request.client.host if request.client else "?"
        # Cookies cost nothing to make up, so all that comes from one address has a limit, too.
        if not (site.rate.allows(f"{address} {who}") and site.crowd_rate.allows(address)):
            words = "Too many requests. Wait a moment and try again.\n"
            return PlainTextResponse(words, 429, headers={"Retry-After": "10"})
    return None


_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?", re.ASCII)


def _name(host: str) -> str:
    """The name in a Host header without the port; nothing if the header is anything but a name and a port."""
    found = _HOST.fullmatch(host)
    return found[1].lower() if found else ""
