"""The pages of an assessor: joining a study, judging one task after another, and leaving."""

from __future__ import annotations

import math
from typing import Any, Final

import sqlalchemy as sa
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from rankprism.judging.assess import (
    access,
    open_task,
    rendering,
    right_answers,
    store,
    study_state,
    time_limit,
    work,
)
from rankprism.judging.assess.access import Session
from rankprism.judging.assess.crowd import completion_url, worker_in
from rankprism.judging.assess.visit import Visit, number
from rankprism.text import query_words

_RECOUNTED: Final = 60.0  # seconds before the questions that are left for an assessor are counted again

#: More questions than this are not announced. Nobody answers them all, and the number only discourages.
MOST_PROMISED = 200


def home(visit: Visit) -> Response:
    if visit.session("assessor") is not None:
        return RedirectResponse("/task", 303)
    if visit.session("organiser") is not None:
        return RedirectResponse("/organiser", 303)
    message = "To take part you need a link from the organiser of this study."
    if "signed-out" in visit.request.query_params:
        message = "You have signed out, and all your answers are stored. To go on, you need a new link."
    return visit.page("message.html", title=visit.settings.name, message=message, is_known=False)


def join(visit: Visit) -> Response:
    token = visit.request.path_params["token"]
    known = visit.session("assessor")
    with visit.site.store.reading() as connection:
        row = access.find_token(connection, token, "link")
    if row is not None and known is not None and row.assessor == known.assessor:
        return RedirectResponse("/task", 303)  # the same person comes back by the same link
    if row is None or row.used is not None:
        return visit.error(403, "This link is wrong or was used already. Ask the organiser for a new one.")
    if visit.request.method == "POST":
        with visit.site.store.writing() as connection:
            session = access.use_link(connection, token) if visit.form.get("consent") else None
        return visit.entered(session, "assessor", "/task")
    return _join_page(visit)


def crowd(visit: Visit) -> Response:
    token = visit.request.path_params["token"]
    worker = access.check_worker(worker_in(visit.request.query_params, visit.settings.worker_parameter))
    with visit.site.store.reading() as connection:
        known = access.find_token(connection, token, "crowd")
        begun = connection.scalar(sa.select(store.assessor.c.id).where(store.assessor.c.worker == worker))
    session = visit.session("assessor")
    if known is not None and begun is not None and session is not None and session.assessor == begun:
        return RedirectResponse("/task", 303)
    if known is None:
        return visit.error(
            403,
            "This link is wrong: the part after /crowd/ does not belong to this study. Open the study from "
            "your crowd platform again, or tell the organiser.",
        )
    if begun is not None:
        return visit.error(
            403,
            "Somebody has begun with this worker id in another browser. Go on there, or ask the organiser "
            "for a link of your own.",
        )
    if visit.request.method == "POST":
        with visit.site.store.writing() as connection:
            new = access.use_crowd_link(connection, token, worker) if visit.form.get("consent") else None
        return visit.entered(new, "assessor", "/task")
    return _join_page(visit, worker)


def _join_page(visit: Visit, worker: str | None = None) -> Response:
    return visit.page("join.html", worker=worker, practice=_number_of_practice(visit))


def _number_of_practice(visit: Visit) -> int:
    def count() -> int:
        with visit.site.store.reading() as connection:
            return work.number_of_practice(connection)

    return int(visit.site.remember("practice", count, math.inf))


def task(visit: Visit) -> Response:
    session = visit.needs("assessor")
    assert session.assessor is not None
    if visit.request.method != "POST":
        return _task_page(visit, session, work.next_task(visit.site.store, visit.settings, session.assessor))
    outcome, place, found = _submitted(visit, session.assessor)
    if outcome in work.REFUSED:
        notice = work.REFUSED[outcome]
    else:
        notice = (
            right_answers.feedback(visit.site.store, visit.settings.wording, session.assessor, place) or ""
        )
        visit.site.supply.soon(visit.site.store, visit.settings)
        if visit.settings.settle is not None:
            visit.site.standings.latest(visit.site.store, visit.settings)
    if not visit.by_htmx and not notice:
        return RedirectResponse("/task", 303)
    return _task_page(visit, session, found, notice)


def _submitted(visit: Visit, assessor: int) -> tuple[str, int, open_task.Assignment | None]:
    form = visit.form
    place, attempt = visit.whole("place"), visit.whole("attempt")
    answer, grades = form.get("answer", ""), None
    if visit.settings.collects_grades and answer != "cannot":
        wanted = open_task.aspects_of(visit.site.store, assessor, place)
        grades = {a.name: form.get(f"aspect-{i}", "") for i, a in enumerate(wanted)}
        if answer != "graded" or any(grades[a.name] not in a.labels for a in wanted):
            raise HTTPException(400, "Choose a label in every row, or say that you cannot judge.")
    elif answer not in work.ANSWERS:
        raise HTTPException(400, f"The answer must be one of {', '.join(work.ANSWERS)}.")
    comment = form.get("comment", "").strip()
    outcome, found = work.submit_and_next(
        visit.site.store, visit.settings, assessor, place, attempt, answer, comment, grades
    )
    return outcome, place, found


def undo(visit: Visit) -> Response:
    session = visit.needs("assessor")
    assert session.assessor is not None
    if not work.undo(visit.site.store, visit.settings, session.assessor):
        return visit.error(400, "There is no answer to take back.")
    if not visit.by_htmx:
        return RedirectResponse("/task", 303)
    return _task_page(visit, session, work.next_task(visit.site.store, visit.settings, session.assessor))


def _task_page(
    visit: Visit, session: Session, found: open_task.Assignment | None, notice: str = ""
) -> Response:
    assert session.assessor is not None
    if found is None and visit.site.supply.now(visit.site.store, visit.settings):
        found = work.next_task(visit.site.store, visit.settings, session.assessor)
    settings = visit.settings
    with visit.site.store.reading() as connection:
        mine = work.progress(connection, session.assessor)
        stopped, has_read = connection.execute(
            sa.select(store.study.c.stopped, study_state.HAS_READ), {"assessor": session.assessor}
        ).one()
        seconds = time_limit.seconds_left(connection, settings, session.assessor)
    if not has_read:
        notice = f"{notice} {study_state.NEW_INSTRUCTIONS}".strip()
    values: dict[str, Any] = {"csrf": session.csrf, "mine": mine, "notice": notice}
    if found is not None:
        practice = _number_of_practice(visit)
        most: int | None = _most_questions(visit, session.assessor, mine.done)
        if most is not None and most > MOST_PROMISED:
            most = None
        minutes = None if seconds is None else int(max(0, seconds) // 60)
        return visit.page("task.html", task=found, practice=practice, most=most, minutes=minutes, **values)
    is_over = seconds is not None and seconds <= 0
    has_quota = settings.quota is not None and mine.done >= settings.quota
    # Somebody who ran out of time with a quota has not done what was agreed.
    is_complete = mine.done > 0 and (has_quota or settings.quota is None or not is_over)
    why = "stopped" if stopped else "quota" if has_quota else "time" if is_over else "nothing"
    completion = _completion(visit, session.assessor) if is_complete else (None, None)
    return visit.page("done.html", why=why, code=completion[0], url=completion[1], **values)


def _most_questions(visit: Visit, assessor: int, done: int) -> int:
    """The largest number of questions that an assessor can have answered at the end, this one included."""

    def count() -> int:
        with visit.site.store.reading() as connection:
            return done + work.most_left(connection, visit.settings, assessor, done)

    return max(done + 1, int(visit.site.remember(f"questions of {assessor}", count, _RECOUNTED)))


def _completion(visit: Visit, assessor: int) -> tuple[str | None, str | None]:
    """The code that an assessor sees at the end, and the address that they go to."""
    settings = visit.settings
    code = settings.completion_code or access.completion_code(visit.site.study.secret, assessor)
    if settings.completion_url is None:
        return code, None
    with visit.site.store.reading() as connection:
        row = store.assessor.c
        worker, name = connection.execute(sa.select(row.worker, row.name).where(row.id == assessor)).one()
    # A platform does not know our own codes.
    return settings.completion_code, completion_url(settings.completion_url, code, worker or name)


def instructions(visit: Visit) -> Response:
    session = visit.needs("assessor")
    assert session.assessor is not None
    study_state.has_read_instructions(visit.site.store, session.assessor)
    return visit.page("instructions.html")


def leave(visit: Visit) -> Response:
    kind = "organiser" if visit.form.get("kind") == "organiser" else "assessor"
    session = visit.needs(kind)
    with visit.site.store.writing() as connection:
        access.end_session(connection, session)
    response = RedirectResponse("/?signed-out", 303)
    response.delete_cookie(
        visit.site.cookie(kind), path="/", secure=visit.site.secure, httponly=True, samesite="lax"
    )
    return response


def shown(visit: Visit) -> Response:
    place, where = number(visit.request.path_params["place"]), visit.request.path_params["where"]
    if place is None:
        raise HTTPException(404, "There is no such document.")
    session = visit.needs("assessor")
    assert session.assessor is not None
    found = open_task.shown_document(visit.site.store, session.assessor, place, where)
    if found is None:
        raise HTTPException(404, "There is no such document among your tasks.")
    row, query = found
    words = tuple(query_words(query)) if visit.settings.mark else ()
    text = rendering.page(rendering.or_note(row.cleaned), row.title, words)
    return HTMLResponse(text, headers={"Content-Security-Policy": rendering.POLICY})
