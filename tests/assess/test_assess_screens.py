"""What assessors are asked and told: wording, marks, progress, time limits, links of crowd platforms."""

from __future__ import annotations

import gzip
import html
import json
import random
import re
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from rankprism.errors import InputError
from rankprism.judging.assess import access, assessor_pages, exchange, rendering, store, study_state
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.wording import SHOWN, Wording, default_instructions, read_wording
from rankprism.text import documents
from rankprism.text.words import found_in, query_words
from rankprism.types import Ask
from tests.support.assessing import Page, Person, Served, by_worth, listening, make_collection, opened

Cli = Callable[..., Any]


def crowd_link(served: Served) -> str:
    with served.store.writing() as connection:
        return f"/crowd/{access.first_links(connection, crowd=True)[None]}"


def message(page: Page) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page.text.partition("<main")[2])).split())


# Wording and instructions


OWN = """\
question = "Which answer helps more?"
left = "The left one"
right = "The right one"
tie = "Both alike"
cannot = "I can't tell"
"""


def test_the_question_and_the_buttons_have_the_organisers_words(cli: Cli, tmp_path: Path) -> None:
    made = make_collection(tmp_path)
    wording = tmp_path / "wording.toml"
    wording.write_text(OWN)
    practice = tmp_path / "practice.tsv"
    practice.write_text("topic\tgiven\tleft\tright\toutcome\n1\t\t1-d1\t1-d5\tleft\n")
    given = ("--wording", wording, "--practice", practice, "--depth", 3, "--assessors", "ann")
    result = cli("assess", "new", tmp_path / "study.db", *made.arguments, *given)
    assert (result.returncode, result.stderr) == (0, "")
    with store.opened(str(tmp_path / "study.db")) as study:
        served = Served(study)
        ann = served.person("ann")
        page = ann.get("/task")
        for text in re.findall('"(.*)"', OWN):
            assert html.escape(text, quote=True).replace("&#x27;", "&#39;") in page.text
        assert "Which would you rather" not in page.text
        assert "About the same" not in page.text
        wrong = "right" if page.documents[0] == "1-d1" else "left"
        told = ann.submit(page, wrong)
        right = "The left one" if wrong == "right" else "The right one"
        assert f"The organiser would have said: {right}." in told.text
        instructions = ann.get("/instructions")
        assert "Which answer helps more?" in instructions.text
        assert "<em>Both alike</em>" in instructions.text
        assert "<dd>The left one</dd>" in instructions.text
        assert exchange.provenance(study)["settings"]["wording"]["tie"] == "Both alike"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("given = 'x'", "'given' is not shown if pairs are asked; use question, left, right, tie, cannot"),
        ("tie = ''", "tie must be a line of 1 to 200 characters; got ''"),
        ("tie = 3", "tie must be a line of 1 to 200 characters; got 3"),
        ("tie = 'a\\nb'", "is not TOML"),
        ('tie = "a\\nb"', "tie must be a line of"),
        ("tie =", "is not TOML"),
        (None, "No such file"),
    ],
)
def test_wording_that_cannot_be_shown_is_refused(text: str | None, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "wording.toml"
    if text is not None:
        path.write_text(text.replace("\\n", "\n") if text.startswith("tie = '") else text)
    with pytest.raises(InputError, match=re.escape(problem)):
        read_wording(path, "pairs")


@pytest.mark.parametrize("ask", list(SHOWN))
def test_a_page_shows_every_part_of_its_wording_and_the_instructions_fit(ask: Ask, tmp_path: Path) -> None:
    own = {name: f"<{name}> & *own*" for name in SHOWN[ask]}
    wording = Wording(**own)
    settings = Settings(depth=3, ask=ask, wording=wording, name="A study")
    served = Served(opened(tmp_path, settings))
    ann = served.person("ann")
    seen, page = "", ann.get("/task")
    while page.is_task:
        seen += page.text
        page = ann.submit(page, "cannot")
    for text in own.values():
        assert html.escape(text) in seen
        assert text not in seen  # nothing is read as markup
    plain = default_instructions(ask, Settings(ask=ask).wording)
    assert ("just read" in plain) == (ask in ("triplets", "both"))
    assert ("two documents" in plain) == (ask in ("pairs", "both"))
    assert ("label" in plain) == (ask == "grades")
    told = html.unescape(ann.get("/instructions").text)
    assert own["cannot"] in told  # Markdown has not changed it either
    served.store.close()


# Marked words


def test_words_of_the_title_are_marked_in_every_kind_of_document() -> None:
    words = tuple(query_words("Jaguars & Müller's 東京 <b>"))
    shown = {
        "text": "A jaguar, the JAGUARS; jaguarundi. <b> Müller 東京都 &amp;",
        "html": "<p title='jaguar'>A <i>jaguar</i>, the JAGUARS; jaguarundi. &lt;b> Müller 東京都 &amp;",
    }
    for kind, text in shown.items():
        marked = rendering.marked(documents.cleaned(text, kind), words)
        found = [html.unescape(one) for one in re.findall("<mark>(.*?)</mark>", marked)]
        assert found == ["jaguar", "JAGUARS", "b", "Müller", "東京"], kind
        assert re.sub("</?mark>", "", marked) == documents.cleaned(text, kind)


def test_marking_does_not_break_markup_even_of_long_documents() -> None:
    words = ("p", "div", "amp", "lt", "title", "class", "a", "nbsp", "x27", "quot")
    text = "<p title='a > p \"div\"' lang=en>a &lt;p&gt; &amp; &nbsp; it's<details><summary>p</summary>a"
    cleaned = documents.cleaned(text, "html")
    marked = rendering.marked(cleaned, words)
    assert re.sub("</?mark>", "", marked) == cleaned
    assert documents.cleaned(marked, "html") == marked
    for unit in ("a ", "<", "&", '<p title="', "&amp;", "a&", "<a>"):
        long = documents.cleaned(unit * (documents.MOST // len(unit)), "text")
        assert re.sub("</?mark>", "", rendering.marked(long, words)) == long


def test_marks_are_those_of_the_task_and_can_be_switched_off(tmp_path: Path) -> None:
    for mark in (True, False):
        folder = tmp_path / str(mark)
        folder.mkdir()
        made = make_collection(folder, topics=("1",))
        made.topics.write_text("1\tWhat is the text of documents?\n")
        served = Served(opened(folder, Settings(depth=3, mark=mark), collection=made))
        ann = served.person("ann")
        shown = ann.get(f"/document/{ann.get('/task').field('place')}/left").text
        assert ("<mark>Text</mark> of d" in shown) == mark
        served.store.close()


def test_found_words_do_not_overlap() -> None:
    assert rendering.marked("東京都庁", ("東京", "京都", "東京都")) == "<mark>東京都</mark>庁"
    assert list(found_in("", ["a"])) == []


def test_a_document_without_text_says_so() -> None:
    said = "This document has no text."
    for text, kind in (("", "text"), (" \n", "markdown"), ("<p>&nbsp;<br></p><script>x</script>", "html")):
        assert said in rendering.or_note(documents.cleaned(text, kind))
    for text, kind in (("0", "text"), ("<p><img alt='A jaguar' src=x></p>", "html")):
        assert said not in rendering.or_note(documents.cleaned(text, kind))


def test_frames_begin_at_the_same_height_if_only_one_document_has_an_address(tmp_path: Path) -> None:
    made = make_collection(tmp_path, topics=("1",))
    rows = [json.loads(line) for line in made.documents.read_text().splitlines()]
    for without, expected in ((1, 2), (len(rows), 0)):
        for row in rows[:without]:
            row["url"] = ""
        made.documents.write_text("".join(json.dumps(row) + "\n" for row in rows))
        (tmp_path / str(without)).mkdir()
        served = Served(opened(tmp_path / str(without), Settings(depth=1), collection=made))
        ann = served.person("ann")
        for _ in range(3):  # d1, d3 and d5 make three pairs
            page = ann.get("/task")
            assert page.text.count('<p class="url"') == expected
            ann.submit(page, "tie")
        served.store.close()


# Signing out, and messages


def test_messages_are_pages_that_lead_back(tmp_path: Path) -> None:
    served = Served(opened(tmp_path))
    ann = served.person("ann")
    csrf = ann.get("/task").field("csrf")
    back = '<a href="/">Go back to the study</a>'
    page = ann.get("/nothing")
    assert (page.status, back in page.text) == (404, True)
    most, served.site.rate.most = served.site.rate.most, 0
    page = ann.get("/task")
    assert (page.status, back in page.text, "Too many requests." in page.text) == (429, True, True)
    served.site.rate.most, served.site.rate.per_second = most, most
    last = ann.post("/leave", csrf=csrf)
    assert "You have signed out, and all your answers are stored." in last.text
    served.store.close()


def test_lines_of_topics_with_a_mistake_can_be_corrected(tmp_path: Path) -> None:
    served = Served(opened(tmp_path))
    served.link("ann")
    organiser = served.organiser()
    csrf = organiser.get("/organiser/topics").field("csrf")
    for lines, problem in (
        ("1: ann\n9: ann", "Nothing was changed. In line 2: the study has no topic '9'."),
        ("1: ann\nann", "In line 2: 'ann' does not begin with a topic and a colon"),
        ("1: ben", "In line 1: there is no assessor 'ben', only ann"),
    ):
        page = organiser.post("/organiser/topics", csrf=csrf, assigned=lines)
        assert (page.status, problem in html.unescape(page.text)) == (400, True)
        assert f">{lines}</textarea>" in page.text
    served.store.close()


# Progress


def progress_of(page: Page) -> str:
    (line,) = re.findall(r'<label for="bar">(.*?)</label>', page.text)
    return str(line)


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"quota": 4},
        {"quota": 1000},
        {"choice": "adaptive", "ask": "both", "budget": 12, "batch": 6},
        {"both_orders": "same"},
        {"both_orders": "different"},
        {"repeat_every": 3},
    ],
    ids=str,
)
def test_the_line_of_progress_is_true_to_the_end(how: dict[str, Any], tmp_path: Path) -> None:
    """The last question is N of up to N, for whoever works alone, and nobody is promised too few."""
    gold = tmp_path / "gold.tsv"
    gold.write_text("topic\tgiven\tleft\tright\toutcome\n1\t\t1-d1\t1-d5\tleft\n2\t\t2-d1\t2-d5\tleft\n")
    practice = tmp_path / "practice.tsv"
    practice.write_text("topic\tgiven\tleft\tright\toutcome\n1\t\t1-d1\t1-d4\tleft\n1\t\t1-d1\t1-d3\tleft\n")
    settings = Settings(depth=3, gold_every=5, **how)
    served = Served(opened(tmp_path, settings, gold=gold, practice=practice))
    ann = served.person("ann")
    page = ann.get("/task")
    assert progress_of(page) == "Practice question 1 of 2"
    page = ann.submit(page, "left")
    assert progress_of(page) == "Practice question 2 of 2"
    ann.submit(page, "left")
    served.site.supply.background.wait()
    page, promised = ann.get("/task"), []
    while page.is_task:
        served.site.remembered.clear()
        page = ann.get("/task")
        number, most = re.findall(r"Question (\d+) of up to (\d+)$", progress_of(page))[0]
        promised.append(int(most))
        assert int(number) == len(promised)
        *given, left, right = page.documents
        page = ann.submit(page, by_worth(left, right, tuple(given)))
        served.site.supply.background.wait()
    assert len(promised) <= min(promised)
    assert promised[-1] - len(promised) <= ("repeat_every" in how)
    assert how.get("quota") != 4 or len(promised) == 4
    served.store.close()


def test_what_others_have_answered_is_not_promised_again(tmp_path: Path) -> None:
    served = Served(opened(tmp_path, Settings(depth=3)))  # 20 questions, each for one assessor
    ann, ben = served.person("ann"), served.person("ben")
    assert progress_of(ben.get("/task")) == "Question 1 of up to 20"
    ann.work(most=5)
    served.site.remembered.clear()
    assert progress_of(ben.get("/task")) == "Question 1 of up to 15"
    served.store.close()


def test_more_questions_than_anybody_answers_are_not_announced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = Served(opened(tmp_path, Settings(depth=3)))  # 20 questions
    ann = served.person("ann")
    monkeypatch.setattr(assessor_pages, "MOST_PROMISED", 19)
    page = ann.get("/task")
    assert "<label>Question 1</label>" in page.text
    assert "<progress" not in page.text
    page = ann.submit(page, "tie")  # 19 are left beside the one that is answered
    assert "<label>Question 2</label>" in page.text
    monkeypatch.setattr(assessor_pages, "MOST_PROMISED", 20)
    assert progress_of(ann.get("/task")) == "Question 2 of up to 20"
    served.store.close()


def test_only_topics_that_are_for_the_assessor_are_promised(tmp_path: Path) -> None:
    served = Served(opened(tmp_path, Settings(depth=3)))
    served.link("ann")
    study_state.assign(served.store, "1: ann")
    ann, ben = served.person("ann"), served.person("ben")
    assert progress_of(ann.get("/task")) == "Question 1 of up to 20"
    assert progress_of(ben.get("/task")) == "Question 1 of up to 10"
    served.store.close()


# Time limits


def passed(served: Served, minutes: float) -> None:
    """Let an assessor have begun earlier."""
    from datetime import UTC, datetime, timedelta

    begun = (datetime.now(UTC) - timedelta(minutes=minutes)).isoformat(timespec="milliseconds")
    with served.store.writing() as connection:
        connection.execute(sa.update(store.assessor).values(consented=begun))


@pytest.mark.parametrize("quota", [None, 2, 9])
def test_after_the_time_there_are_no_more_questions(quota: int | None, tmp_path: Path) -> None:
    served = Served(opened(tmp_path, Settings(depth=3, minutes=10, quota=quota)))
    link = served.link("ann")
    ann = Person(served.client())
    assert "You have 10 minutes, from the moment you begin." in ann.get(link).text
    page = ann.join(link)
    assert progress_of(page).endswith(", 9 minutes left")
    page = ann.submit(page, "left")
    passed(served, 9.5)
    assert progress_of(ann.get("/task")).endswith(", less than a minute left")
    passed(served, 10.1)
    last = ann.submit(page, "left")  # it was open when the time ended
    assert served.judgments() == 2
    if quota == 2:
        assert "You have answered all questions that were meant for you." in last.text
    else:
        assert "The time for this study is over" in last.text
    assert (last.code is None) == (quota == 9)  # the quota was not met
    assert ("9 answers were needed" in last.text) == (quota == 9)
    assert "Take back" not in last.text or quota == 2
    assert ann.post("/undo", csrf=last.field("csrf")).status == 400
    assert not ann.get("/task").is_task
    passed(served, -60)  # the clock was set back since
    assert not ann.get("/task").is_task
    served.store.close()


# Crowd platforms


@pytest.mark.parametrize("name", ["worker", "PROLIFIC_PID", "workerId"])
def test_platforms_send_worker_ids_in_their_own_parameters(name: str, tmp_path: Path) -> None:
    served = Served(opened(tmp_path, Settings(depth=3, crowd=True)))
    link = f"{crowd_link(served)}?STUDY_ID=7&{name}=w1&SESSION_ID=x"
    worker = Person(served.client())
    assert "Your worker id is <strong>w1</strong>" in worker.get(link).text
    assert worker.join(link).is_task
    assert worker.get(link).status == 303  # who comes back goes on
    again = Person(served.client()).get(link)
    assert (again.status, "in another browser" in again.text) == (403, True)
    served.store.close()


def test_a_link_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    served = Served(opened(tmp_path, Settings(depth=3, crowd=True)))
    link, worker = crowd_link(served), Person(served.client())
    for query in ("", "?", "?worker=", "?WORKER=1", "?prolific_pid=1"):
        page = worker.get(link + query)
        assert page.status == 400
        assert "It needs a parameter worker or PROLIFIC_PID or workerId with your worker id" in message(page)
    for value in ("%7B%7B%25PROLIFIC_PID%25%7D%7D", "$%7BworkerId%7D", "WORKER_ID_NOT_AVAILABLE"):
        page = worker.get(f"{link}?PROLIFIC_PID={value}")
        assert page.status == 400
        assert "Its parameter PROLIFIC_PID has" in message(page)
        assert "the crowd platform has not filled it in" in message(page)
    page = worker.get("/crowd/wrong.token?worker=1")
    assert (page.status, "does not belong to this study" in message(page)) == (403, True)
    assert worker.get(f"{link}?worker={'x' * 101}").status == 400
    served.store.close()


def test_any_parameter_can_have_the_worker_id(tmp_path: Path) -> None:
    served = Served(opened(tmp_path, Settings(depth=3, crowd=True, worker_parameter="participant")))
    link, worker = crowd_link(served), Person(served.client())
    assert "It needs the parameter participant with" in message(worker.get(f"{link}?worker=1"))
    assert worker.join(f"{link}?worker=1&participant=2").is_task
    with served.store.reading() as connection:
        assert connection.scalars(sa.select(store.assessor.c.worker)).all() == ["2"]
    served.store.close()


PROLIFIC = "https://app.prolific.com/submissions/complete?cc=C1A2"


@pytest.mark.parametrize(
    ("url", "code", "leads_to"),
    [
        (PROLIFIC, None, PROLIFIC),
        (PROLIFIC, "C0FFEE", PROLIFIC),
        ("https://example.org/{worker}?c={code}", "C0 FFEE", "https://example.org/w%2F1?c=C0%20FFEE"),
    ],
)
def test_workers_are_led_back_to_their_platform(
    url: str, code: str | None, leads_to: str, tmp_path: Path
) -> None:
    settings = Settings(depth=3, crowd=True, quota=1, completion_url=url, completion_code=code)
    served = Served(opened(tmp_path, settings))
    worker = Person(served.client())
    page = worker.join(f"{crowd_link(served)}?worker=w%2F1")
    assert page.is_task
    last = worker.submit(page, "left")
    assert f'<a class="button main" href="{html.escape(leads_to)}" rel="noreferrer">' in last.text
    assert last.code == code  # a code of ours means nothing to the platform
    assert "completion_url" not in exchange.provenance(served.store)["settings"]
    served.store.close()


@pytest.mark.parametrize(
    "bad",
    ["javascript:alert(1)", "app.prolific.com/x", "https://", "https://x.org/{who}", "https://x.org/a b",
     "https://user@x.org", "https://x.org:port/", "data:text/html,x", "https://x.org/{", "//x.org"],
)  # fmt: skip
def test_completion_urls_that_lead_nowhere_safe_are_refused(bad: str) -> None:
    with pytest.raises(InputError, match="the completion URL must be like"):
        Settings(completion_url=bad)


def test_options_of_crowds_are_refused_with_a_reason(cli: Cli, tmp_path: Path) -> None:
    made = make_collection(tmp_path)
    for options, problem in (
        (
            ("--worker-parameter", "a b"),
            "the worker parameter must be a name such as PROLIFIC_PID; got 'a b'",
        ),
        (("--completion-url", "x"), "the completion URL must be like"),
        (("--wording", tmp_path / "none.toml"), "none.toml: No such file"),
    ):
        result = cli("assess", "new", tmp_path / "study.db", *made.arguments, *options)
        assert result.returncode == 2
        assert problem in result.stderr
        assert not (tmp_path / "study.db").exists()


def test_settings_that_were_damaged_are_named(tmp_path: Path) -> None:
    served = Served(opened(tmp_path))
    for wording, problem in (
        ({}, "its setting wording must have"),
        ("x", "its setting wording must have"),
        ({**vars(Wording()), "tie": ""}, "its setting wording: tie must be a line"),
    ):
        with served.store.writing() as connection:
            found = json.loads(connection.exec_driver_sql("SELECT settings FROM study").scalar_one())
            connection.execute(sa.update(store.study).values(settings={**found, "wording": wording}))
        with served.store.reading() as connection, pytest.raises(InputError, match=problem):
            study_state.load(connection)
    served.store.close()


# How soon the first question can be read


def transferred(port: int, path: str, cookie: str) -> tuple[int, bytes]:
    """The size of an answer as it is sent, and its text."""
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        headers = {"Cookie": cookie, "Accept-Encoding": "gzip", "Connection": "close"}
        connection.request("GET", path, headers=headers)
        with connection.getresponse() as answer:
            body = answer.read()
            size = len(str(answer.headers)) + len(body)
            is_packed = answer.headers["Content-Encoding"] == "gzip"
            return size, gzip.decompress(body) if is_packed else body


def test_the_first_question_can_be_read_within_a_second_on_a_slow_network(tmp_path: Path) -> None:
    """On Lighthouse's slow 4G, 150 ms for a round trip and 1.6 Mbit/s, with an empty cache."""
    made = make_collection(tmp_path, topics=("1",))
    rng = random.Random(1)
    letters = "etaoinshrdlu"
    rows = [json.loads(line) for line in made.documents.read_text().splitlines()]
    for row in rows:  # as long as an article, and hard to compress
        row["text"] = " ".join("".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(2500))
    made.documents.write_text("".join(json.dumps(row) + "\n" for row in rows))
    served = Served(opened(tmp_path, Settings(depth=3), collection=made))
    with listening(served) as port:
        ann = served.person("ann", port)
        cookie = "; ".join(f"{name}={value}" for name, value in ann.client.cookies.items())
        size, page = transferred(port, "/task", cookie)
        needed = re.findall(r'(?:src|rel="stylesheet" href)="(/[^"]+)"', page.decode())
        assert len(needed) == 5  # a style, two scripts and two documents, all known from the page itself
        size += sum(transferred(port, path, cookie)[0] for path in needed)
    round_trips = 4  # to connect, for TLS, for the page, and for everything that it names
    assert round_trips * 0.15 + size / 200_000 < 1
    served.store.close()
