"""The pages of a study, as a Starlette app.

Requests become calls of `work`, `study_state`, `access` and `dashboard`, which run in threads because they
wait for the database. Every page works without scripts. With scripts, htmx loads the next task into the page,
and keys give answers.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankprism.errors import RankprismError
from rankprism.judging.assess import assessor_pages as assessor
from rankprism.judging.assess import organiser_pages as organiser
from rankprism.judging.assess import store
from rankprism.judging.assess.visit import Site, Visit, form_of

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

BOTH = ("GET", "POST")
#: The function that answers each path, and the methods that it answers.
PATHS: dict[str, tuple[Callable[[Visit], Response], tuple[str, ...]]] = {
    "/": (assessor.home, ("GET",)),
    "/health": (lambda _: PlainTextResponse("ok\n"), ("GET",)),
    "/join/{token}": (assessor.join, BOTH),
    "/crowd/{token}": (assessor.crowd, BOTH),
    "/task": (assessor.task, BOTH),
    "/undo": (assessor.undo, ("POST",)),
    "/instructions": (assessor.instructions, ("GET",)),
    "/leave": (assessor.leave, ("POST",)),
    "/document/{place}/{where}": (assessor.shown, ("GET",)),
    "/organise/{token}": (organiser.organise, BOTH),
    "/organiser": (organiser.board, ("GET",)),
    "/organiser/judgments": (organiser.judgments, ("GET",)),
    "/organiser/judgments/{number}": (organiser.judgment, ("GET",)),
    "/organiser/topics": (organiser.topics, BOTH),
    "/organiser/instructions": (organiser.instructions, BOTH),
    "/organiser/link": (organiser.reissue, ("POST",)),
    "/organiser/stop": (organiser.stop, ("POST",)),
    "/organiser/export": (organiser.export, ("GET",)),
}


def make_app(site: Site) -> ASGIApp:
    """Make the app of a study."""

    async def refused(request: Request, problem: Exception) -> Response:
        status = problem.status_code if isinstance(problem, HTTPException) else 500
        words = {404: "There is no such page.", 405: "This page cannot be used like that."}
        if status == 500:
            words[500] = "Something went wrong here. What you had answered before is stored. Try again."
        detail = problem.detail if isinstance(problem, HTTPException) else ""
        return Visit(request, site, {}).error(status, words.get(status, detail))

    # Only what has no secret in it is compressed: the length of a compressed page could betray its tokens.
    packed = [Middleware(GZipMiddleware, minimum_size=1000, compresslevel=6)]
    routes = [
        Route(
            path,
            _endpoint(site, answer),
            methods=list(how),
            middleware=packed if path.startswith("/document/") else None,
        )
        for path, (answer, how) in PATHS.items()
    ]
    static = StaticFiles(directory=Path(__file__).parent / "static")
    app = Starlette(
        routes=[*routes, Mount("/static", static, middleware=packed)],
        exception_handlers={HTTPException: refused, Exception: refused},
    )
    app.router.redirect_slashes = False  # such redirects would contain the Host header
    return _guarded(app, site)


def _endpoint(site: Site, answer: Callable[[Visit], Response]) -> Callable[[Request], Awaitable[Response]]:
    """Make a function that answers requests in a thread. A problem becomes a page that says what to do."""

    async def called(request: Request) -> Response:
        visit = Visit(request, site, await form_of(request))
        try:
            return await run_in_threadpool(answer, visit)
        except HTTPException as problem:
            return visit.error(problem.status_code, problem.detail)
        except store.Unavailable as problem:
            site.problems.tell(problem)
            words = "The database is not available, and nothing was stored. Wait a moment and try again."
            return visit.error(503, words)
        except store.Damaged as problem:
            site.problems.tell(problem)
            return visit.error(500, "The study is damaged, and nothing was stored. Tell the organiser.")
        except RankprismError as problem:
            return visit.error(400, str(problem))
        except sa.exc.IntegrityError:  # somebody else did the same at the same moment
            return visit.error(409, "Two requests came at the same time. Try again.")

    return called


def _guarded(app: ASGIApp, site: Site) -> ASGIApp:
    """Wrap the app in the rules for every request: known hosts, our own forms, a limited rate, headers."""

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
                is_static = scope["path"].startswith("/static/")
                # The query is a hash of the file, see `visit`.
                kept = "public, max-age=31536000, immutable" if scope["query_string"] else "no-cache"
                extra["Cache-Control"] = kept if is_static else "no-store"
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
    """Refuse a request that must not be answered."""
    host = request.headers.get("host", "")
    # Another name that leads here may be a trick to reach a server that listens on this machine only.
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
        # Anybody can make up cookies, so all requests from one address have a limit, too.
        if not (site.rate.allows(f"{address} {who}") and site.crowd_rate.allows(address)):
            answer = Visit(request, site, {}).error(429, "Too many requests. Wait a moment and try again.")
            answer.headers["Retry-After"] = "10"
            return answer
    return None


_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?", re.ASCII)


def _name(host: str) -> str:
    """The name in a Host header without the port; empty unless the header is a name and perhaps a port."""
    found = _HOST.fullmatch(host)
    return found[1].lower() if found else ""
