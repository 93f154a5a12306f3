"""The report in a browser: it works, sends nothing, runs nothing from the data, and is for everybody."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rankprism import compare, evaluate, leaderboard, report, sample

pytest.importorskip("playwright")
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

VIEWS = ("systems", "measures", "topics", "rankings")
MEASURES = ["alpha_nDCG@10", "RBU@10", "P@10"]
#: Ids that try to be markup, script, a formula, a command to the terminal or a property of every object.
HOSTILE = [
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror='window.hacked=1'>",
    '"onmouseover="window.hacked=1',
    "javascript:window.hacked=1",
    "\u2028\u202egnp",
    "=cmd()",
    "__proto__",
    "constructor",
    "{{7*7}}${7*7}",
    "#&=%",
    "x" * 500,
    "naïve 中文",
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    report.make(sample.QRELS, list(sample.RUNS), MEASURES, weights=sample.WEIGHTS, depth=5).save(path)
    return path


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page. Whatever it says to the console, and every request but that for the file, is a failure."""
    wrong: list[str] = []
    pages = []

    def open_page(path: Path, fragment: str = "", width: int = 1024, scheme: Any = "light") -> Page:
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page.set_default_timeout(10_000)
        pages.append(page)
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.on("request", lambda r: None if r.url.startswith("file:///") else wrong.append(r.url))
        page.goto(f"{path.as_uri()}{fragment}")
        return page

    yield open_page
    for page in pages:
        page.close()
    assert not wrong


def rows(page: Page, name: str) -> list[list[str]]:
    """The cells of the table in a region."""
    table = page.get_by_role("region", name=name, exact=True).locator("tbody tr")
    return [row.locator("th, td").all_inner_texts() for row in table.all()]


def control(page: Page, label: str) -> Locator:
    """A choice that is shown; other views have choices of the same name."""
    return page.get_by_label(label, exact=True).locator("visible=true")


def test_the_systems_can_be_sorted_and_filtered(made: Path, opened: Callable[..., Page]) -> None:
    page = opened(made)
    means = evaluate(sample.QRELS, list(sample.RUNS), MEASURES, weights=sample.WEIGHTS).mean()

    def order() -> list[str]:
        return [row[0] for row in rows(page, "Means over topics")]

    for measure, label in zip(MEASURES, ("α-nDCG@10", "RBU@10", "P@10"), strict=True):
        head = page.get_by_role("columnheader", name=label, exact=True)
        head.get_by_role("button").click()
        best_first = sorted(means, key=lambda run: -means[run][measure])
        if head.get_attribute("aria-sort") == "ascending":
            head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        assert order() == best_first
        head.get_by_role("button").click()
        assert order() == best_first[::-1]
    page.get_by_label("Show runs whose name contains").fill("RE")
    assert order() == ["relevance-only", "redundant"][:: 1 if order()[0] == "relevance-only" else -1]
    assert "2 runs of 6" in page.get_by_role("status").inner_text()


def test_the_best_and_worst_run_of_a_topic_count_those_that_tie(
    tmp_path: Path, opened: Callable[..., Page]
) -> None:
    """One of many tied runs was named as if it were the only one."""
    qrels = {f"q{t}": {"d1": 1, "d2": 0} for t in range(3)}
    ranked = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
    runs = {f"r{r}": dict.fromkeys(qrels, ranked[r > 2]) for r in range(5)}
    report.make(qrels, runs, ["P@1"]).save(tmp_path / "report.html")
    page = opened(tmp_path / "report.html", "#view=topics")
    (first, *_) = (row for row in page.locator("tbody tr").all_inner_texts() if row.startswith("q0"))
    assert "r0 and 2 more (1.000)" in first
    assert "r3 and 1 more (0.000)" in first


def test_the_filter_filters_everything(made: Path, opened: Callable[..., Page]) -> None:
    """Two runs are left in every list, table and choice, and what is counted is counted for them."""
    page = opened(made, "#view=systems&by=RBU%4010")
    page.get_by_label("Show runs whose name contains").fill("RE")
    kept = {"relevance-only", "redundant"}
    assert {row[0] for row in rows(page, "Means over topics")} == kept
    assert {row[0] for row in rows(page, "Ranks")} == kept
    assert {row[0].split(" ")[1] for row in rows(page, "Who beats whom")} == kept
    groups = page.locator(".groups li").all_inner_texts()
    assert groups
    assert {name for group in groups for name in group.split(", ")} == kept
    scores = evaluate(sample.QRELS, list(sample.RUNS), MEASURES, weights=sample.WEIGHTS).per_topic()
    page.get_by_role("link", name="Topics", exact=True).click()
    control(page, "Measure").select_option("P@10")
    for topic, mean, spread, best, worst in rows(page, "Topics"):
        a, b = (scores[run][topic]["P@10"] for run in ("redundant", "relevance-only"))
        assert float(mean) == pytest.approx((a + b) / 2, abs=5.1e-5)
        assert float(spread) == pytest.approx(abs(a - b) / 2**0.5, abs=5.1e-5)
        # Of equal runs, the first one is named, and the others are counted.
        tied = "relevance-only and 1 more" if a == b else ""
        assert best == f"{tied or ('redundant' if a > b else 'relevance-only')} ({max(a, b):.3f})"
        assert worst == f"{tied or ('redundant' if a < b else 'relevance-only')} ({min(a, b):.3f})"
    page.get_by_role("link", name="Rankings", exact=True).click()
    for name in ("A", "B"):
        chosen = control(page, name).input_value()
        assert set(control(page, name).locator("option").all_inner_texts()) == kept | {chosen}
    control(page, "A").select_option("redundant")
    assert "a=redundant" in page.url
    page.get_by_role("link", name="Measures", exact=True).click()
    control(page, "and").select_option("RBU@10")
    assert "(out of 1) in opposite order" in page.locator("main").inner_text()


def test_names_and_heads_of_a_table_stay_in_view_on_a_phone(
    tmp_path: Path, opened: Callable[..., Page]
) -> None:
    runs = {f"run-{k}": {f"q{i}": {"a": 1.0} for i in range(8)} for k in range(60)}
    path = tmp_path / "many.html"
    report.make({f"q{i}": {"a": 1} for i in range(8)}, runs, ["P@5", "RR", "AP", "nDCG@5"], depth=1).save(
        path
    )
    page = opened(path, "", 360)
    region = page.get_by_role("region", name="Means over topics", exact=True)
    region.scroll_into_view_if_needed()
    region.evaluate("box => box.scrollTo(box.scrollWidth, box.scrollHeight)")
    box = region.bounding_box()
    head = region.locator("thead th").last.bounding_box()
    name = region.locator("tbody th").last.bounding_box()
    assert box is not None
    assert head is not None
    assert name is not None
    assert head["y"] == pytest.approx(box["y"], abs=1)
    assert name["x"] == pytest.approx(box["x"], abs=1)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_topics_have_titles_and_documents_are_read_in_the_page(
    tmp_path: Path, opened: Callable[..., Page]
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    topics = tmp_path / "topics.xml"
    topics.write_text(
        '<t><topic number="7"><query>jaguars swimming</query><description>Do they?</description>'
        '<subtopic number="1">In Brazil, <b>where</b>?</subtopic></topic></t>'
    )
    words = "<h1>The jaguar</h1><p>It likes swimming.<script>window.hacked=1</script></p><ul><li>one</ul>"
    hostile = "<img src=x onerror='window.hacked=1'><a href='javascript:hacked=1'>click</a><svg onload=x()>"
    documents = {
        "d": {"text": words + hostile + "<p>" + "more words " * 50, "type": "html", "title": "Jaguars!"},
        "e": {"text": "line one\n\tline two " + "long " * 100},
    }
    qrels = {"7": {"1": {"d": 1}, "2": {"e": 1}}}
    path = tmp_path / "read.html"
    runs = {"x": {"7": {"d": 2.0, "e": 1.0}}, "y": {"7": {"e": 2.0, "d": 1.0}}}
    report.make(qrels, runs, "P@5", topic_texts=topics, documents=documents).save(path)
    page = opened(path, "#view=rankings&a=x&b=y", 360)
    assert page.locator(".query").inner_text() == "7: jaguars swimming"
    assert "Do they?" in page.locator("main").inner_text()
    assert rows(page, "Aspects")[0][0].split("\n")[-1] == "In Brazil, where?"
    item = page.locator(".list.a li").first
    assert item.locator("b mark").inner_text() == "Jaguars"
    assert item.locator(".snippet mark").all_inner_texts() == ["jaguar", "swimming"]
    assert "<" not in item.locator(".snippet").inner_text()
    assert item.locator(".mark .aspect").inner_text() == "1 In Brazil, where?"
    item.get_by_text("Read the document").click()
    document = item.get_by_role("group", name="Document")
    assert document.locator("p strong").inner_text() == "The jaguar"
    assert document.locator("li").inner_text() == "one"
    assert document.locator("mark").all_inner_texts() == ["jaguar", "swimming"]
    assert document.locator("img, a, svg, script, [onclick]").count() == 0
    assert page.evaluate("window.hacked") is None
    second = page.locator(".list.a li").last
    second.get_by_text("Read the document").click()
    assert second.locator(".plain").inner_text().startswith("line one\n  line two long")
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_the_first_screen_says_who_may_be_best(made: Path, opened: Callable[..., Page]) -> None:
    page = opened(made)
    scores = evaluate(sample.QRELS, list(sample.RUNS), MEASURES, weights=sample.WEIGHTS)
    board = leaderboard(scores)
    box = page.locator(".summary").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 600
    assert "may be the best" in page.locator(".summary li").first.inner_text()
    each = {label: row for label, *row in rows(page, "By each measure")}
    for m, label in enumerate(("α-nDCG@10", "RBU@10", "P@10")):
        first = int(scores.means[:, m].argmax())
        pairs = int(compare(scores).significant[m].sum())
        name = f"{scores.means[first, m]:.4f} {board.runs[first]}"
        assert each[label] == [name, str(len(board.first(m))), str(pairs)]
    page.get_by_role("button", name="RBU@10", exact=True).first.click()
    assert "by=RBU" in page.url
    for m, label in enumerate(("α-nDCG@10", "RBU@10", "P@10")):
        control(page, "Measure for ranks, intervals, groups and pairs").select_option(label)
        found = rows(page, "Ranks")
        order = board.order(m)
        assert [row[0] for row in found] == [board.runs[r] for r in order]
        spans = [board.ranks(m)[r] or (0, 0) for r in order]
        assert [row[2] for row in found] == [str(a) if a == b else f"{a}–{b}" for a, b in spans]
        assert [row[4] for row in found] == [str(board.tiers(m)[r]) for r in order]
    page.get_by_label("Show runs whose name contains").fill("RE")
    assert {row[0] for row in rows(page, "Ranks")} == {"relevance-only", "redundant"}


def test_many_runs_have_tiers_and_a_picture_of_pairs(tmp_path: Path, opened: Callable[..., Page]) -> None:
    """Run r00 ranks the relevant document first on every topic, r01 second, and so on in groups of ten."""
    topics = [f"q{i}" for i in range(10)]
    qrels = {t: {"yes": 1, "no": 0} for t in topics}
    runs = {
        f"r{k:02}": {
            t: {f"x{i}": -float(i) for i in range(k // 10 + (i + k) % 2)} | {"yes": -99.0}
            for i, t in enumerate(topics)
        }
        for k in range(50)
    }
    path = tmp_path / "many.html"
    report.make(qrels, runs, "RR", depth=2).save(path)
    page = opened(path, "", 1200)
    assert page.locator(".tiers li").count() > 1
    picture = page.get_by_role("img", name="Who beats whom by RR, as a picture")
    picture.scroll_into_view_if_needed()
    picture.hover(position={"x": 630, "y": 300})
    assert re.search(r"r[12]\d against r4\d: better, \+0\.\d+", page.get_by_role("status").last.inner_text())
    picture.click(position={"x": 630, "y": 300})
    expect(page.get_by_role("heading", name="Topics", level=2)).to_be_visible()
    page = opened(path, "#view=systems&filter=r0")  # ten runs are few enough for a table
    assert len(rows(page, "Who beats whom")) == 10


def test_a_large_report_is_compressed_and_shows_the_same(
    made: Path, opened: Callable[..., Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankprism.showing.report.page.PACKED", 1000)
    path = tmp_path / "packed.html"
    report.make(sample.QRELS, list(sample.RUNS), MEASURES, weights=sample.WEIGHTS, depth=5).save(path)
    assert path.stat().st_size < 0.8 * made.stat().st_size
    for view in VIEWS:
        packed, plain = (opened(one, f"#view={view}").locator("main") for one in (path, made))
        expect(packed.get_by_role("heading", level=2)).to_be_visible()
        assert packed.inner_text() == plain.inner_text()


def test_the_table_can_be_downloaded_as_it_is_shown(made: Path, opened: Callable[..., Page]) -> None:
    page = opened(made, "#view=systems&sort=name&filter=re")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    assert download.value.suggested_filename == "means.csv"
    found = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    means = evaluate(sample.QRELS, list(sample.RUNS), MEASURES, weights=sample.WEIGHTS).mean()
    assert [row["run"] for row in found] == ["redundant", "relevance-only"]
    for row in found:
        for measure in MEASURES:
            assert float(row[measure]) == means[row["run"]][measure]
            assert float(row[f"{measure} low"]) < float(row[measure]) < float(row[f"{measure} high"])
    with page.expect_download() as download:
        page.get_by_role("button", name="Download LaTeX").click()
    latex = Path(download.value.path()).read_text(encoding="utf-8")
    assert re.findall(r"^. & (\S+) &", latex, re.M) == ["redundant", "relevance-only"]
    assert latex.rstrip().endswith(r"\end{table}")


def test_two_rankings_are_compared_and_the_link_shows_the_same(
    made: Path, opened: Callable[..., Page]
) -> None:
    page = opened(made, "#view=rankings")
    control(page, "Topic").select_option("jordan")
    control(page, "A").select_option("shallow")
    control(page, "B").select_option("noisy")
    control(page, "Measure").select_option("RBU@10")
    scores = evaluate(sample.QRELS, list(sample.RUNS), MEASURES, weights=sample.WEIGHTS).per_topic()
    shallow, noisy = scores["shallow"]["jordan"], scores["noisy"]["jordan"]
    assert [row[1:3] for row in rows(page, "Scores of the lists")] == [
        [f"{shallow[measure]:.4f}", f"{noisy[measure]:.4f}"] for measure in MEASURES
    ]
    told = page.locator(".conclusion:visible").inner_text()
    assert f"RBU@10 prefers shallow: {shallow['RBU@10']:.4f} against {noisy['RBU@10']:.4f} for noisy." in told
    assert "Down to rank 5, only A reaches player." in told
    assert "P@10 sees it the other way round." in told
    prefers = [row[4] for row in rows(page, "Scores of the lists")]
    assert prefers == ["A ◀", "A ◀", "B ▶"]
    assert page.locator(".list.a li").first.inner_text().startswith("jordan-69")
    why = page.locator(".list.a li .why").first.inner_text()
    # The gain is 0.39025, and what it is worth here is 0.07805.
    assert why == "gain 0.390 × new 100.0 % × discount 1.000 × scale 0.200 = 0.0781, effort −0.0060"
    link = page.url
    assert "t=jordan" in link
    other = opened(made, link[link.index("#") :])
    assert other.locator("main").inner_text() == page.locator("main").inner_text()
    page.get_by_role("button", name="Next topic").click()
    assert "t=jordan" not in page.url


def test_a_disagreement_leads_to_its_rankings(made: Path, opened: Callable[..., Page]) -> None:
    page = opened(made, "#view=measures")
    first = page.get_by_role("link", name=re.compile("^Compare the rankings of"))
    label = first.first.get_attribute("aria-label") or ""
    first.first.click()
    expect(page.get_by_role("heading", name="Rankings", level=2)).to_be_visible()
    a, b, topic = re.fullmatch(r"Compare the rankings of (.*) and (.*) for topic (.*)", label).groups()  # type: ignore[union-attr]
    assert [control(page, name).input_value() for name in ("A", "B", "Topic")] == [a, b, topic]


def test_the_evidence_of_a_sentence_is_a_counterexample(made: Path, opened: Callable[..., Page]) -> None:
    page = opened(made, "#view=measures")
    page.locator("dd").filter(has_text="It is refuted that").get_by_role("link", name="Conf").first.click()
    expect(page.locator("#story")).to_contain_text("and Conf: refuted")
    assert "The smallest counterexample found" in page.locator("pre").inner_text()
    page.go_back()
    expect(page.locator("#story")).to_have_count(0)


def test_two_systems_differ_by_topic(made: Path, opened: Callable[..., Page]) -> None:
    page = opened(made, "#view=topics&m=P%4010&a=redundant&b=noisy")
    scores = evaluate(sample.QRELS, list(sample.RUNS), MEASURES).per_topic()
    found = rows(page, "Differences")
    assert len(found) == 20
    for topic, a, b, difference, _ in found:
        expected = scores["redundant"][topic]["P@10"] - scores["noisy"][topic]["P@10"]
        assert float(a) - float(b) == pytest.approx(expected, abs=1e-4)
        assert float(difference.replace("−", "-")) == pytest.approx(expected, abs=1e-4)
    hardest = [float(row[1]) for row in rows(page, "Topics")]
    assert hardest == sorted(hardest)


def test_everything_can_be_reached_with_the_keyboard(made: Path, opened: Callable[..., Page]) -> None:
    page = opened(made)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    for _ in range(5):  # the filter and the names of four views
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Rankings", level=2)).to_be_visible()
    page.keyboard.press("Tab")
    before = control(page, "Topic").input_value()
    page.keyboard.press("ArrowDown")
    assert control(page, "Topic").input_value() != before
    assert page.evaluate("document.activeElement.id") == "topic"
    page.goto(f"{made.as_uri()}#view=systems")
    page.locator("#sort-0").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "sort-0"  # though the table is a new one


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1024, "light")])
def test_axe_finds_nothing_and_the_page_is_not_wider_than_the_screen(
    made: Path, opened: Callable[..., Page], width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(made, "", width, scheme)
    for view in VIEWS:
        page.goto(f"{made.as_uri()}#view={view}&axiom=RBU%4010+Sat")
        found = Axe().run(page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_all_parts_are_printed(made: Path, opened: Callable[..., Page]) -> None:
    page = opened(made)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for title in ("Systems", "Measures", "Topics", "Rankings"):
        expect(page.get_by_role("heading", name=title, level=2)).to_be_visible()
    assert page.locator(".list.a li").first.is_visible()
    assert not page.locator("nav").is_visible()
    assert not page.locator("#filter").is_visible()
    page.set_viewport_size({"width": 680, "height": 900})  # A4 without its margins
    wide = (
        "[...document.querySelectorAll('table, svg, pre')].filter(x => x.getBoundingClientRect().right > 680)"
    )
    assert page.evaluate(f"{wide}.map(x => x.textContent)") == []


def test_title_and_summary_are_on_the_first_printed_page(made: Path, browser: Browser) -> None:
    program = shutil.which("pdftotext")
    if program is None:
        pytest.skip("pdftotext is not there: apt-get install poppler-utils")
    page = browser.new_page()
    page.goto(made.as_uri())
    printed = page.pdf(format="A4")
    page.close()
    done = subprocess.run([program, "-l", "1", "-", "-"], input=printed, capture_output=True, check=True)
    first = " ".join(done.stdout.decode().split())
    assert "Ranking evaluation report" in first
    assert "may be the best" in first
    assert "pairs of runs differ significantly" in first
    assert "Show runs whose name" not in first


def test_preferences_have_marks_of_their_own(tmp_path: Path, opened: Callable[..., Page]) -> None:
    """People prefer b to a two times of three; c was never compared. The topic r has grades only."""
    from axe_playwright_python.sync_playwright import Axe

    people = [("q", "", "a", "b", outcome) for outcome in ("right", "right", "left")]
    grades = {"q": {"x": {"a": 1}, "y": {"b": 1}}, "r": {"x": {"a": 1}, "y": {"b": 1}}}
    runs = {
        "wrong": {t: {"a": 3.0, "c": 2.0, "b": 1.0} for t in "qr"},
        "right": {t: {"b": 3.0, "c": 2.0, "a": 1.0} for t in "qr"},
    }
    path = tmp_path / "both.html"
    report.make(grades, runs, ["P@2", "nPrf(theta=0.5)@3", "ppref@3"], preferences=people).save(path)
    page = opened(path, "#view=rankings&t=q&a=wrong&b=right&m=nPrf(theta%3D0.5)@3", 360)
    marks = [item.locator(".mark").all_inner_texts() for item in page.locator(".list.a li").all()]
    assert marks == [
        ["x 1 1st", "preferred in 1 of 3"],
        ["never compared"],
        ["y 1 1st", "preferred in 2 of 3", "▲ preferred to rank 1 (2 : 1)"],
    ]
    assert (
        page.locator(".list.b li").last.locator(".under").inner_text() == "▽ not preferred to rank 1 (1 : 2)"
    )
    told = page.locator(".conclusion:visible").inner_text()
    assert "A has 0 in the order that they prefer and 1 the other way round; for B it is 1 and 0." in told
    # U(b) = 2/3, and a user gets to the first rank with ½ + ¼ + ⅛; the ideal begins with b, too.
    assert page.locator(".list.b .why").first.inner_text().startswith("utility 0.667 × reach 0.875 × scale")
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    control(page, "Topic").select_option("r")
    assert "This topic has no preferences" in page.locator("main").inner_text()
    for view in VIEWS:
        text = opened(path, f"#view={view}&t=r").locator("main").inner_text()
        assert not re.search("undefined|NaN|null|false", text)


def test_a_report_of_preferences_alone(tmp_path: Path, opened: Callable[..., Page]) -> None:
    path = tmp_path / "preferences.html"
    report.make(sample.PREFERENCES, list(sample.RUNS), depth=5).save(path)
    for view in VIEWS:
        text = opened(path, f"#view={view}").locator("main").inner_text()
        assert not re.search("undefined|NaN|null|false", text)
    assert "not judged" not in text
    assert "Aspects" not in text


def test_nothing_in_the_data_becomes_markup(tmp_path: Path, opened: Callable[..., Page]) -> None:
    qrels = {t: {a: dict.fromkeys(HOSTILE[:8], 1) for a in HOSTILE[1:4]} for t in HOSTILE}
    runs = {
        run: {t: {doc: float((i * k + 3) % 13) for i, doc in enumerate(HOSTILE)} for t in HOSTILE}
        for k, run in enumerate(HOSTILE[:6], 2)
    }
    documents = {doc: {"title": doc, "text": doc, "url": doc, "type": "html"} for doc in HOSTILE[::2]}
    path = tmp_path / "hostile.html"
    report.make(qrels, runs, ["RBU@5", "P@5"], documents=documents, title=HOSTILE[0]).save(path)
    for view in VIEWS:
        page = opened(
            path, f"#view={view}&t=%3Cimg%3E&filter=%3Cb%3E&a=__proto__&sort=constructor&axiom=%3Cb%3E"
        )
        page = opened(path, f"#view={view}")
        assert page.evaluate("window.hacked") is None
        assert page.locator("script").count() == 2
        assert page.locator("img, [onerror], [onmouseover]").count() == 0
        assert page.locator("a[href^='javascript']").count() == 0
    assert page.title() == HOSTILE[0]
    shown = page.locator("main").inner_text()
    assert "</script><script>window.hacked=1</script>" in shown
    assert "\\u2028\\u202egnp" in shown
    assert "{{7*7}}" in shown
    assert "x" * 241 not in shown  # what is longest is the beginning of a text


def test_with_one_run_or_one_topic_the_reason_is_given(tmp_path: Path, opened: Callable[..., Page]) -> None:
    path = tmp_path / "one.html"
    report.make({"q": {"x": {"a": 1}}}, {"q": {"a": 2.0, "b": 1.0}}, "P@5").save(path)
    reasons = {
        "systems": ["it needs 8 topics, and there is 1", "only one run"],
        # All relevant documents have one grade, and the page says how axioms are read then.
        "measures": [
            *("only one run", "one aspect only", "rankprism axioms --reading grades=binary gives the same"),
            *("Pri.grades=binary", "one grade above 0", "● proved, ◐ not refuted, ○ refuted"),
        ],
        "topics": ["only one topic", "only one run"],
    }
    for view in VIEWS:
        text = opened(path, f"#view={view}").locator("main").inner_text()
        for reason in reasons.get(view, []):
            assert reason in text
        assert "undefined" not in text
        assert "NaN" not in text
    assert "not judged" in text


def test_forty_aspects_have_names_and_marks_of_their_own(tmp_path: Path, opened: Callable[..., Page]) -> None:
    qrels = {"q": {f"aspect {i}": {f"d{i % 5}": 1 + i % 3} for i in range(40)}}
    path = tmp_path / "forty.html"
    report.make(qrels, {"u": {"q": {f"d{i}": float(i) for i in range(6)}}}, "alpha_nDCG@5").save(path)
    page = opened(path, "#view=rankings", 360)
    assert page.locator(".list.a .mark").count() == 40
    looks = page.locator(".list.a .mark i").evaluate_all("marks => marks.map((mark) => mark.className)")
    assert len(set(looks)) == 21  # seven colours by three shapes, and always the name
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_report_of_scores_has_three_views_and_no_links_to_rankings(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    path = tmp_path / "scores.html"
    report.of_scores(evaluate(sample.QRELS, list(sample.RUNS), MEASURES)).save(path)
    page = opened(path)
    expect(page.locator("nav a")).to_have_text(["Systems", "Measures", "Topics"])
    for view in ("systems", "measures", "topics", "rankings"):
        page = opened(path, f"#view={view}")
        assert not page.locator("a[href*=rankings]").count()
        expect(page.locator("section.view:not([hidden])")).to_have_count(1)
