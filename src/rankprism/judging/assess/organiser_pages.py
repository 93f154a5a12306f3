"""The pages of the organiser: the dashboard, all judgments, topics, instructions, links, and export."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

import sqlalchemy as sa
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from rankprism.errors import InputError
from rankprism.judging.assess import access, audit, charts, dashboard, exchange, store, study_state, work
from rankprism.judging.assess.access import Session
from rankprism.judging.assess.visit import Visit, number
from rankprism.statistics import CLAIMS

#: Largest number of characters of instructions.
MOST_INSTRUCTIONS = 20_000


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
        here="/organiser",
        csrf=session.csrf,
        view=view,
        interval_of=_interval,
        ranks_of=_ranks,
        topics_for_ranks=CLAIMS["ranks"].fewest,
        **_charts(view, standing),
        standing=standing,
        estimated=visit.site.estimates.latest(visit.site.store),
        has_judges=visit.site.estimates.judges is not None,
        notice=notice,
        link=link,
        formats=exchange.formats(visit.settings),
    )


def _interval(system: dashboard.System, systems: Sequence[dashboard.System]) -> Markup:
    """The interval of a system, on an axis that all systems share."""
    ends = [x for one in systems for x in (one.low, one.score, one.high) if x == x]
    return charts.interval(system.low, system.score, system.high, min(ends), max(ends))


def _ranks(system: dashboard.System, place: int, systems: int) -> Markup:
    assert system.ranks is not None
    return charts.interval(system.ranks[0], place, system.ranks[1], 1, max(systems, 2))


def _charts(view: dashboard.View, standing: dashboard.Standing | None) -> dict[str, Any]:
    """The charts of the dashboard."""
    moments = () if standing is None else standing.agreement
    aspects = list(dict.fromkeys(moment.aspect for moment in moments))
    lines = [
        charts.Line(
            aspect,
            [
                charts.Point(one.judgments, one.alpha.value, one.alpha.low, one.alpha.high)
                for one in moments
                if one.aspect == aspect
            ],
        )
        for aspect in aspects
    ]
    last = "; ".join(f"{line.name} {line.points[-1].y:.2f}".strip() for line in lines)
    ends = [x for line in lines for p in line.points for x in (p.y, p.low) if x == x]
    least = min([0.0, *ends])
    spans = view.pace.spans
    seconds = [span.seconds for span in spans if span.seconds is not None]
    slow = f"from {min(seconds):.0f} to {max(seconds):.0f}" if seconds else "none is known"
    return {
        "aspects": aspects,
        "agreement_chart": charts.lines(
            "Agreement",
            f"Krippendorff's alpha is now {last}",
            lines,
            "judgments",
            (0.0 if least == 0 else -0.5 if least >= -0.5 else -1.0, 1.0),
        ),
        "answers_chart": charts.bars(
            "Answers",
            f"{sum(span.answers for span in spans)} answers in {len(spans)} spans of one {view.pace.unit}",
            [charts.Bar(span.label, span.answers) for span in spans],
        ),
        "seconds_chart": charts.bars(
            "Seconds for an answer",
            f"medians in each {view.pace.unit}: {slow}",
            [charts.Bar(span.label, span.seconds or 0.0) for span in spans],
        ),
    }


def judgments(visit: Visit) -> Response:
    """All judgments, or those that a filter leaves."""
    visit.needs("organiser")
    given = visit.request.query_params

    def text(name: str) -> str:
        return given.get(name, "")[:200].replace("\0", "")

    wanted = audit.Wanted(
        topic=text("topic"),
        assessor=text("assessor"),
        purpose=text("purpose"),
        answer=text("answer"),
        words=text("words"),
        commented=text("commented") == "yes",
        withdrawn=text("withdrawn") == "yes",
    )
    start = number(given.get("start", "0")) or 0
    with visit.site.store.reading() as connection:
        found = audit.judgments(connection, wanted, start)
        topics, people = (
            list(connection.scalars(sa.select(table.c.name).order_by(table.c.id)))
            for table in (store.topic, store.assessor)
        )
    answers = ("graded", "cannot") if visit.settings.collects_grades else work.ANSWERS
    same = {name: "yes" if value is True else value for name, value in asdict(wanted).items() if value}
    return visit.page(
        "judgments.html",
        here="/organiser/judgments",
        notice="",
        found=found,
        wanted=asdict(wanted),
        choices=(
            ("topic", "Topic", topics),
            ("assessor", "Assessor", people),
            ("purpose", "Kind", audit.PURPOSES),
            ("answer", "Answer", answers),
        ),
        query=lambda start: urlencode(same | {"start": max(0, start)}),
    )


def judgment(visit: Visit) -> Response:
    """One judgment, with its history and the other answers to its question."""
    visit.needs("organiser")
    with visit.site.store.reading() as connection:
        one = audit.judgment(connection, number(visit.request.path_params["number"]) or 0)
        if one is None:
            raise HTTPException(404, "There is no such judgment.")
        title = connection.scalar(sa.select(store.topic.c.title).where(store.topic.c.name == one.topic))
        history, others = audit.history(connection, one), audit.others(connection, one)
    return visit.page(
        "judgment.html", here="", notice="", one=one, title=title, history=history, others=others
    )


def topics(visit: Visit) -> Response:
    """Which topics are for which assessors."""
    session = visit.needs("organiser")
    notice, status, typed = "", 200, None
    if visit.request.method == "POST":
        lines = visit.form.get("assigned", "")
        try:
            count = study_state.assign(visit.site.store, lines)
            notice = (
                f"Topics that are assigned to somebody: {count}. This holds for every task that is given out "
                f"from now on."
            )
        except InputError as problem:  # the lines are shown again, so that they can be corrected
            notice, status, typed = f"Nothing was changed. In {problem}.", 400, lines
    with visit.site.store.reading() as connection:
        rows = dashboard.topic_rows(connection)
        people = list(connection.scalars(sa.select(store.assessor.c.name).order_by(store.assessor.c.id)))
    return visit.page(
        "topics.html",
        status,
        here="/organiser/topics",
        csrf=session.csrf,
        notice=notice,
        topics=rows,
        people=people,
        typed=typed,
    )


def instructions(visit: Visit) -> Response:
    """The instructions, which may be edited while the study runs, and their earlier versions."""
    session = visit.needs("organiser")
    notice = ""
    if visit.request.method == "POST":
        text = visit.form.get("text", "").replace("\r\n", "\n").replace("\0", "")
        if len(text) > MOST_INSTRUCTIONS:
            raise HTTPException(400, f"Instructions may have {MOST_INSTRUCTIONS:,} characters at most.")
        version = study_state.edit_instructions(visit.site.store, text)
        visit.site.remembered.pop("instructions", None)
        notice = f"Version {version} of the instructions holds from now on."
    with visit.site.store.reading() as connection:
        versions = exchange.instruction_versions(connection)
    return visit.page(
        "edit_instructions.html",
        here="/organiser/instructions",
        csrf=session.csrf,
        notice=notice,
        text=visit.settings.instructions,
        versions=versions,
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
    study_state.stop(visit.site.store, why)
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
