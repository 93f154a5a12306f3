"""The app over HTTP: a whole study, and what nobody may do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from rankprism.judging.assess import access, dashboard, rendering, store, study_state, visit
from rankprism.judging.assess.serve import Address
from rankprism.judging.assess.settings import Settings
from tests.support.assessing import Collection, Page, Person, Served, opened

HOST = "http://localhost"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(opened(tmp_path))
    yield served
    served.store.close()


# ── a study ──────────────────────────────────────────────────────────────────────────────────────


def test_an_assessor_goes_from_the_link_to_the_completion_code(served: Served) -> None:
    link = served.link("ann")
    ann = Person(served.client(), by_htmx=False)
    first = ann.get(link)
    assert "Instructions" in first.text
    assert "Consent" in first.text
    assert ann.post(link).status == 403  # without consent nothing begins, and the link is still good
    page = ann.join(link)
    assert "Which would you rather read?" in page.text
    assert "Topic 1" in page.text
    assert ann.get(link).status == 303  # the same browser goes on where it was
    last = ann.work()
    assert last.code is not None
    with served.store.reading() as connection:
        secret, who = study_state.load(connection).secret, connection.scalar(sa.select(store.assessor.c.id))
    assert who is not None
    assert last.code == access.completion_code(secret, who)
    assert served.judgments() == 20
    assert Person(served.client()).get(link).status == 403  # another browser needs another link


def test_a_triplet_has_the_given_document_in_view(tmp_path: Path) -> None:
    served = Served(opened(tmp_path, Settings(depth=3, ask="triplets")))
    ann = served.person("ann")
    page = ann.get("/task")
    assert "You have just read this" in page.text
    assert "Which would you rather read next?" in page.text
    assert len(page.documents) == 3
    place = page.field("place")
    for where, name in zip(("given-0", "left", "right"), page.documents, strict=True):
        assert f'src="/document/{place}/{where}"' in page.text
        assert f"Text of {name.rpartition('-')[2]}." in ann.get(f"/document/{place}/{where}").text
    assert ann.get(f"/document/{place}/given-1").status == 404
    served.store.close()


def test_htmx_gets_the_next_task_without_the_frame_of_the_page(served: Served) -> None:
    ann = served.person("ann")
    page = ann.get("/task")
    fields = {name: page.field(name) for name in ("csrf", "place", "attempt")}
    answer = ann.client.post("/task", data={**fields, "answer": "tie"}, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert answer.text.lstrip().startswith('<main id="page"')
    assert Page(200, answer.text).field("place") != page.field("place")


def test_undo_over_http_shows_what_was_said(served: Served) -> None:
    ann = served.person("ann")
    page = ann.get("/task")
    assert ann.post("/undo", csrf=page.field("csrf")).status == 400
    after = ann.submit(page, "cannot", comment="unreadable <b>")
    back = ann.post("/undo", csrf=after.field("csrf"))
    assert back.field("place") == page.field("place")
    assert 'class="before" aria-description="your earlier answer"><span>Cannot judge' in back.text
    assert "unreadable &lt;b&gt;</textarea>" in back.text


def test_a_worker_id_comes_with_the_link_of_the_crowd(tmp_path: Path) -> None:
    served = Served(opened(tmp_path, Settings(depth=3, crowd=True, quota=2, completion_code="C0FFEE")))
    with served.store.writing() as connection:
        links = access.first_links(connection, crowd=True)
        assert access.first_links(connection, crowd=True) == {}  # shown once
    link = f"/crowd/{links[None]}"
    worker = Person(served.client())
    assert "W-42" in worker.get(f"{link}?worker=W-42").text
    worker.join(f"{link}?worker=W-42")
    assert worker.work().code == "C0FFEE"
    # Somebody else who knows the worker id gets nowhere; another worker does.
    assert Person(served.client()).join(f"{link}?worker=W-42").status == 403
    other = Person(served.client())
    assert other.join(f"{link}?worker=W-43").status == 200
    assert other.get("/task").is_task
    for bad in ("", "%00", "a%0Ab", "x" * 101):
        assert other.get(f"{link}?worker={bad}").status == 400
    served.store.close()


def test_grades_over_http_need_a_label_in_every_row(tmp_path: Path) -> None:
    scale = tmp_path / "scale.toml"
    scale.write_text('[aspects.relevance]\nlabels = ["no", "yes"]\n[aspects.trust]\nlabels = [0, 1, 2]\n')
    served = Served(opened(tmp_path, Settings(depth=3, ask="grades"), scale=scale))
    ann = served.person("ann")
    page = ann.get("/task")
    assert page.text.count('type="radio"') == 5
    assert ann.submit(page, "graded", **{"aspect-0": "yes"}).status == 400
    assert ann.submit(page, "graded", **{"aspect-0": "yes", "aspect-1": "7"}).status == 400
    assert served.judgments() == 0
    after = ann.submit(page, "graded", **{"aspect-0": "yes", "aspect-1": "2"})
    assert after.is_task
    back = ann.post("/undo", csrf=after.field("csrf"))
    assert re.search(r'value="2" required checked', back.text)
    served.store.close()


def test_the_organiser_sees_progress_gold_and_comments_and_exports(tmp_path: Path) -> None:
    gold, practice = tmp_path / "gold.tsv", tmp_path / "practice.tsv"
    gold.write_text("topic\tleft\tright\toutcome\n2\t2-d1\t2-d5\tleft\n")
    practice.write_text("topic\tleft\tright\toutcome\n1\t1-d1\t1-d5\tleft\n1\t1-d2\t1-d5\tleft\n")
    settings = Settings(depth=3, overlap=2, gold_every=4)
    served = Served(opened(tmp_path, settings, gold=gold, practice=practice))
    ann, ben = served.person("ann"), served.person("ben")
    ann.work()
    ben.work(lambda left, right, given: "tie", most=8)
    boss = served.organiser()
    page = boss.get("/organiser")
    assert "25 of 40 judgments" in page.text  # Ann 20, Ben 6, of which one is gold, after practice
    ann_row, ben_row = (
        re.search(rf'scope="row"><a [^>]*>{n}</a></th>(.*?)</tr>', page.text, re.S) for n in ("ann", "ben")
    )
    assert ann_row is not None
    assert ben_row is not None
    # gold, agreement with the other, and practice; there is nothing to agree with oneself about
    assert re.findall(r"<td>(\d+ of \d+)</td>", ann_row[1]) == ["1 of 1", "0 of 5", "2 of 2"]
    assert re.findall(r"<td>(\d+ of \d+)</td>", ben_row[1]) == ["0 of 1", "0 of 5", "0 of 2"]
    text = boss.get("/organiser/export?to=tsv").text
    assert len(text.splitlines()) == 1 + 25
    assert "ann" not in text
    assert "ann" in boss.get("/organiser/export?to=tsv&identities=yes").text
    assert boss.get("/organiser/export?to=pdf").status == 400
    assert boss.get("/organiser/export?to=winner").status == 400  # there are ties
    served.store.close()


def test_the_organiser_reissues_links_and_stops_and_goes_on(served: Served) -> None:
    ann, boss = served.person("ann"), served.organiser()
    page = ann.get("/task")
    ann.submit(page, "tie")
    board = boss.get("/organiser")
    csrf = board.field("csrf")
    told = boss.post("/organiser/link", csrf=csrf, name="ann")
    link = re.search(r'<code class="link">(.*?)</code>', told.text)
    assert link is not None
    assert ann.get("/task").status == 403  # the old session has ended
    again = Person(served.client())
    again.join(link[1])
    assert "Question 2 of up to" in again.get("/task").text
    assert "No more tasks" in boss.post("/organiser/stop", csrf=csrf).text
    assert "The study has ended" in again.get("/task").text or again.get("/task").is_task
    boss.post("/organiser/stop", csrf=csrf, resume="yes")
    assert again.get("/task").is_task


# ── what nobody may do ───────────────────────────────────────────────────────────────────────────


def test_pages_need_a_session_of_their_kind(served: Served) -> None:
    ann, boss, nobody = served.person("ann"), served.organiser(), Person(served.client())
    ann.get("/task")
    for path in ("/task", "/instructions", "/document/1/left", "/organiser", "/organiser/export?to=tsv"):
        assert nobody.get(path).status == 403, path
    for path in ("/organiser", "/organiser/export?to=tsv"):
        assert ann.get(path).status == 403, path
    assert ann.post("/organiser/link", name="eve").status == 403
    assert ann.post("/organiser/stop").status == 403
    for path in ("/task", "/document/1/left"):
        assert boss.get(path).status == 403, path


def test_no_assessor_sees_or_answers_what_is_another_ones(served: Served) -> None:
    ann, ben = served.person("ann"), served.person("ben")
    hers, his = ann.get("/task"), ben.get("/task")
    assert hers.field("place") != his.field("place")
    assert ben.get(f"/document/{hers.field('place')}/left").status == 404
    stolen = ben.post(
        "/task",
        csrf=his.field("csrf"),
        place=hers.field("place"),
        attempt=hers.field("attempt"),
        answer="left",
    )
    assert "Nothing was stored" in stolen.text
    assert served.judgments() == 0


def test_a_form_needs_the_token_of_its_own_session(served: Served) -> None:
    ann, ben = served.person("ann"), served.person("ben")
    page = ann.get("/task")
    for csrf in ("", "x", ben.get("/task").field("csrf")):
        fields = {"csrf": csrf, "place": page.field("place"), "attempt": page.field("attempt")}
        assert ann.post("/task", answer="left", **fields).status == 403
        assert ann.post("/undo", csrf=csrf).status == 403
    assert served.judgments() == 0


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}],
)
def test_forms_of_other_sites_are_refused(served: Served, headers: dict[str, str]) -> None:
    link = served.link("ann")
    answer = served.client().post(link, data={"consent": "yes"}, headers=headers)
    assert answer.status_code == 403
    own = {"Origin": HOST} if "Origin" in headers else {"Sec-Fetch-Site": "same-origin"}
    assert served.client().post(link, data={"consent": "yes"}, headers=own).status_code == 303


def test_other_host_names_are_refused(served: Served) -> None:
    assert served.client("evil.example").get("/").status_code == 400
    assert served.client("127.0.0.1:8000").get("/").status_code == 200
    assert served.client("[::1]:8000").get("/").status_code == 200
    assert served.client("LocalHost").get("/").status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:1/static/?",
        "127.0.0.1/static/",
        "127.0.0.1:80@evil.example",
        "localhost:80#",
        "localhost:",
        "localhost:123456",
        "localhost:8000:9000",
        "evil.example:80@localhost",
        "[::1]x:80",
        "[::1",
        "localhost\t",
        "localhost:\xb2",
        "",
    ],
)
def test_a_host_is_a_name_and_a_port_and_nothing_else(tmp_path: Path, host: str) -> None:
    served = Served(opened(tmp_path), rate=access.Rate(60, most=5))
    client = served.client(host)
    answers = [client.get(path) for path in ("/health", "/task/", "/static/style.css", "/static") * 3]
    assert {answer.status_code for answer in answers} == {400}
    assert not any("location" in answer.headers for answer in answers)
    served.store.close()


def test_no_redirect_repeats_the_host(served: Served) -> None:
    ann = served.person("ann")
    boss = served.organiser()
    for person in (ann, boss, Person(served.client())):
        for path in (
            "/",
            "/task/",
            "/organiser/",
            "/static",
            "/static/",
            "/health/",
            "//evil.example/",
            "/join/x/",
        ):
            answer = person.client.get(path)
            assert answer.headers.get("location", "/").startswith("/"), path
            assert not answer.headers.get("location", "").startswith("//"), path


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(served: Served) -> None:
    answer = served.client().post(served.link("ann"), data={"consent": "yes"})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie


def test_cookies_are_secure_behind_tls(tmp_path: Path) -> None:
    address = Address("127.0.0.1", 8000, "https://assess.example.org")
    served = Served(opened(tmp_path), secure=address.is_secure, hosts=address.hosts)
    client = served.client("assess.example.org")
    cookie = client.post(served.link("ann"), data={"consent": "yes"}).headers["set-cookie"]
    assert "Secure" in cookie
    assert cookie.startswith("__Host-rankprism-assessor=")
    assert "Path=/" in cookie
    assert client.get("/task").status_code == 200
    served.store.close()


def test_every_answer_has_the_headers_that_protect_it(served: Served) -> None:
    ann = served.person("ann")
    ann.get("/task")
    for path in ("/", "/task", "/document/1/left", "/static/style.css", "/nothing", "/document/9/left"):
        headers = ann.client.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'"), path
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        if not path.startswith("/static/"):
            assert headers["cache-control"] == "no-store"
    assert ann.client.get("/document/1/left").headers["content-security-policy"] == rendering.POLICY
    assert rendering.POLICY.endswith("; sandbox allow-same-origin")
    assert "frame-ancestors 'none'" in ann.client.get("/task").headers["content-security-policy"]


def test_too_many_requests_have_to_wait(tmp_path: Path) -> None:
    served = Served(opened(tmp_path), rate=access.Rate(60, most=5))
    client = served.client()
    found = [client.get("/").status_code for _ in range(7)]
    assert found == [200] * 5 + [429] * 2
    assert client.get("/").headers["retry-after"] == "10"
    assert served.client().get("/static/style.css").status_code == 200
    ann = served.client(rankprism_assessor="abc.def")
    assert ann.get("/").status_code == 200  # another person has a measure of their own …
    served.store.close()


def test_all_who_share_an_address_have_a_limit_too(tmp_path: Path) -> None:
    served = Served(opened(tmp_path), crowd_rate=access.Rate(60, most=5))
    found = []
    for number in range(7):  # … but made-up cookies do not help
        client = served.client(rankprism_assessor=f"{number}.x")
        found.append(client.get("/").status_code)
    assert found == [200] * 5 + [429] * 2
    served.store.close()


def test_a_form_of_any_size_does_no_harm(served: Served) -> None:
    ann = served.person("ann")
    answer = ann.client.post("/task", content=b"comment=" + b"x" * (visit.MOST_FORM + 1))
    assert answer.status_code == 413
    assert ann.client.post("/task", content=b"&".join([b"a=1"] * 1000)).status_code == 400
    assert ann.client.post("/task", content=b"\xff\xfe=\x00").status_code == 400


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 'pwn' * 3 }}{% raw %}",
    "javascript:alert(1)",
    "\u202e\u2066d1",
    "../../etc/passwd",
]


class _Inert(HTMLParser):
    """Fails where a page has something that runs."""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        names = dict(attributes)
        assert tag not in ("img", "object", "embed")
        if tag == "svg":  # the charts of the dashboard
            assert names["class"] in ("chart", "strip")
        if tag == "script":
            assert (names.get("src") or "").startswith("/static/")
        for name, value in attributes:
            assert not name.startswith("on"), (tag, name)
            is_shown = tag == "input" or name == "title"  # as text
            assert is_shown or not (value or "").strip().lower().startswith("javascript:")
        if tag == "iframe":
            assert names["sandbox"] == "allow-same-origin"


def test_hostile_names_titles_and_documents_stay_inert(tmp_path: Path) -> None:
    docs, runs, topics = tmp_path / "docs.jsonl", tmp_path / "<b>.run", tmp_path / "topics.jsonl"
    ids = ["".join(text.split()) for text in HOSTILE]
    docs.write_text(
        "".join(
            json.dumps({"id": id, "text": text, "title": text, "url": text, "type": type}) + "\n"
            for (id, text), type in zip(
                zip(ids, HOSTILE, strict=True), ["html", "markdown", "text"] * 3, strict=False
            )
        )
    )
    topics.write_text(json.dumps({"id": ids[0], "title": HOSTILE[0], "description": HOSTILE[1]}) + "\n")
    runs.write_text("".join(f"{ids[0]} Q0 {id} {n} {-n} x\n" for n, id in enumerate(ids, 1)))
    collection = Collection(tmp_path, (runs,), docs, topics)
    settings_ = Settings(name=HOSTILE[2], ask="both", instructions=HOSTILE[0], consent=HOSTILE[1], crowd=True)
    served = Served(opened(tmp_path, settings_, collection=collection, assessors=[HOSTILE[3]]))
    ann, boss = served.person(HOSTILE[1]), served.organiser()
    pages = [ann.get(served.link(HOSTILE[2])), ann.get("/instructions")]
    page = ann.get("/task")
    for _ in range(30):
        pages.append(page)
        for where in ("left", "right", "given-0"):
            shown = ann.client.get(f"/document/{page.field('place')}/{where}")
            pages.append(Page(shown.status_code, shown.text))
        page = ann.submit(page, "left", comment=HOSTILE[1])
    served.site.standings.renew(served.store, settings_)
    pages += [
        boss.get("/organiser"),
        boss.post("/organiser/link", csrf=boss.get("/organiser").field("csrf"), name=HOSTILE[0]),
        boss.get("/organiser/judgments"),
        boss.get(f"/organiser/judgments?words={quote(HOSTILE[2])}"),
        boss.get("/organiser/judgments/1"),
        boss.get("/organiser/topics"),
        boss.get("/organiser/instructions"),
    ]
    for one in pages:
        assert one.status in (200, 404)
        _Inert().feed(one.text)
        assert "pwnpwnpwn" not in one.text
    name = boss.client.get("/organiser/export?to=tsv").headers["content-disposition"]
    assert re.fullmatch(r'attachment; filename="[A-Za-z0-9-]+\.tsv"', name)
    served.store.close()


# ── whatever is sent ─────────────────────────────────────────────────────────────────────────────

_PATHS = st.sampled_from(
    [
        "/",
        "/task",
        "/undo",
        "/leave",
        "/join/x.y",
        "/crowd/x.y",
        "/document/1/left",
        "/document/99999999999/left",
        "/organiser",
        "/organise/x.y",
        "/organiser/link",
        "/organiser/stop",
        "/organiser/export",
        "/organiser/judgments",
        "/organiser/judgments/1",
        "/organiser/judgments/99999999999",
        "/organiser/topics",
        "/organiser/instructions",
        "/static/style.css",
        "/static/../app.py",
        "/health",
    ]
) | st.text(max_size=30).map(lambda text: "/" + text)
_FIELDS = st.dictionaries(
    st.sampled_from(
        [
            "csrf",
            "place",
            "attempt",
            "answer",
            "comment",
            "consent",
            "worker",
            "name",
            "kind",
            "to",
            "identities",
            "words",
            "start",
            "assigned",
            "text",
        ]
    ),
    st.text(max_size=20)
    | st.sampled_from(["1", "-1", "99999999999999999999", "left", "cannot", "\0", "\ud800"]),
    max_size=6,
)


@pytest.fixture(scope="module")
def whatever(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Person, Person]]:
    served = Served(opened(tmp_path_factory.mktemp("whatever")))
    yield served, served.person("ann"), served.organiser()
    served.store.close()


@settings(max_examples=300)
@given(data=st.data())
def test_no_request_brings_the_server_down(
    whatever: tuple[Served, Person, Person], data: st.DataObject
) -> None:
    """Any path, any fields, with and without a good token: never an error of the server's own."""
    served, ann, boss = whatever
    who = data.draw(st.sampled_from([ann, boss, Person(served.client())]))
    path, fields = data.draw(_PATHS), data.draw(_FIELDS)
    method = data.draw(st.sampled_from(["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"]))
    if path != "/leave" and data.draw(st.booleans()):  # who has left cannot ask again
        fields["csrf"] = _csrf(served, who)
    body = urlencode(fields, errors="surrogatepass").encode()
    url = quote(path, safe="/%?=&.", errors="surrogatepass")
    if method == "GET" and data.draw(st.booleans()):
        url += "?" + body.decode()
    headers = data.draw(
        st.dictionaries(
            st.sampled_from(["HX-Request", "Cookie", "Accept", "Content-Type"]),
            st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=20),
            max_size=2,
        )
    )
    answer = who.client.request(
        method, url, content=body if method in ("POST", "PUT") else None, headers=headers
    )
    assert answer.status_code < 500, (method, url, fields, answer.text)


def _csrf(served: Served, person: Person) -> str:
    cookie = next(iter(person.client.cookies.values()), "")
    with served.store.reading() as connection:
        session = access.session_of(connection, cookie)
    return "" if session is None else session.csrf


# ── the address ──────────────────────────────────────────────────────────────────────────────────


def test_an_address_says_what_it_means() -> None:
    local = Address("127.0.0.1", 8000, "http://127.0.0.1:8000")
    assert "this machine only" in local.explained()
    assert "example.org" not in local.hosts
    everywhere = Address("0.0.0.0", 8000, "http://127.0.0.1:8000")
    assert "nothing is encrypted" in everywhere.explained()
    behind = Address("127.0.0.1", 8000, "https://assess.example.org")
    assert "your proxy" in behind.explained()
    assert "assess.example.org" in behind.hosts


def test_a_study_that_is_settled_stops(tmp_path: Path) -> None:
    settings_ = Settings(depth=3, settle=0.5, overlap=3)
    found = dashboard.Standing(judgments=60, tau_low=0.6)
    assert dashboard.is_settled(found, settings_)
    assert not dashboard.is_settled(dashboard.Standing(judgments=60, tau_low=0.4), settings_)
    assert not dashboard.is_settled(dashboard.Standing(judgments=10, tau_low=1.0), settings_)
    assert not dashboard.is_settled(found, Settings())
