"""The pages of the organiser: the dashboard, links for assessors, stopping, and export."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from rankprism.assess import access, dashboard, exchange, work
from rankprism.assess.access import Session
from rankprism.assess.visit import Visit


def organise(visit: Visit) -> Response:
    token = visit.request.path_params["token"]
    if visit.request.method == "POST":
        with visit.site.store.writing() as connection:
            session = access.use_organiser_link(connection, token)
        return visit.entered(session, "organiser", "/organiser")
    if visit.session("organiser") is not None:
        return RedirectResponse("/organiser", 303)
    with visit.site.store.reading() as connection:
        known = access.find_token(connection, token, "organiser")
    if known is None:
        return visit.error(403, "This link is wrong or was used already. The command serve prints a new one.")
    return visit.page("organise.html")


def board(visit: Visit) -> Response:
    return _board(visit, visit.needs("organiser"))


def _board(visit: Visit, session: Session, notice: str = "", link: str = "") -> Response:
    view = dashboard.view(visit.site.store, visit.site.study)
    standing = visit.site.standings.latest(visit.site.store, visit.settings)
    return visit.page(
        "board.html",
        csrf=session.csrf,
        view=view,
        standing=standing,
        notice=notice,
        link=link,
        formats=exchange.formats(visit.settings),
    )


def reissue(visit: Visit) -> Response:
    session = visit.needs("organiser")
    name = access.check_name(visit.form.get("name", "").strip())
    with visit.site.store.writing() as connection:
        link = visit.site.link(f"/join/{access.new_link(connection, name)}")
    notice = f"The new link of {name}. It is shown once; the old link and open sessions have ended."
    return _board(visit, session, notice, link)


def stop(visit: Visit) -> Response:
    session = visit.needs("organiser")
    why = None if visit.form.get("resume") else "The organiser has stopped the study."
    work.stop(visit.site.store, why)
    notice = "Tasks are given out again." if why is None else "No more tasks are given out."
    return _board(visit, session, notice)


def export(visit: Visit) -> Response:
    visit.needs("organiser")
    query = visit.request.query_params
    exported = exchange.export(
        visit.site.store, query.get("to", ""), identities=query.get("identities") == "yes"
    )
    name = f"{exchange.file_name(visit.settings.name)}.{exchange.ending(query.get('to', ''))}"
    return Response(
        exported.text,
        media_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
