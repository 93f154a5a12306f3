"""Every format reads to the same judgments and runs, is recognised, and converts without loss."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankprism import Judgments, RankprismWarning, Run, evaluate, read_judgments, read_run, sample
from rankprism.formats.conversion import convert
from rankprism.types import Order
from tests.support import strategies
from tests.support.compressing import zstd
from tests.support.files import write
from tests.support.machine import posix

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # random runs and judgments

NTCIR = "1 1 d1 L3\n1 2 d1 L1\n1 0 d2 L0\n2 1 d1 L9\n"
NTCIR_ADHOC = "1 d1 L3\n2 d2 L0\n"
EVALL = '"1"\t"d1"\t"2"\t"a"\t"0.7"\r\n"1"\t"d2"\t"0"\t"b"\t"0.3"\r\n"2"\t"d1"\t"1.5"\t"a"\t"1.0"\r\n'
EVALL_RUN = '"2"\t"d9"\n1\td1\n1\td2\n2\t"d1"\n'
PASSAGES = "1\t1.1\td1\t25\t3\n1\t1.1\td1\t26\t0\n1\t1.2\td2\t7\t0\n2\t2.1\td1\t9\t4\n"


def rows(table: Judgments | Run) -> list[tuple[Any, ...]]:
    return list(zip(*(list(column) for column in table.table.columns()), strict=True))


def by_aspect(judgments: Judgments, values: Iterable[Any] | None) -> dict[tuple[str, str], Any]:
    """Weights or types, by topic and aspect."""
    assert values is not None
    names = [(topic, aspect) for topic, aspects in judgments.aspects.items() for aspect in aspects]
    return dict(zip(names, values, strict=True))


# Reading


@pytest.mark.parametrize(
    ("text", "format", "expected"),
    [
        (
            NTCIR,
            "ntcir",
            [("1", "0", "d2", 0), ("1", "1", "d1", 3), ("1", "2", "d1", 1), ("2", "1", "d1", 9)],
        ),
        (NTCIR_ADHOC, "ntcir", [("1", "0", "d1", 3), ("2", "0", "d2", 0)]),
        (EVALL, "evall", [("1", "a", "d1", 2), ("1", "b", "d2", 0), ("2", "a", "d1", 1.5)]),
        ("1\td1\t-1\tcar\t1\n", "evall", [("1", "car", "d1", -1)]),
        ('"a b"\t"d ""1"""\t1\t"x, y"\t1\n', "evall", [("a b", "x, y", 'd "1"', 1)]),
        # 3 + 1, because a rating of 0 counts as 1; and the higher of 3 and 0
        (PASSAGES, "trec-dd", [("1", "1.1", "d1", 4), ("1", "1.2", "d2", 1), ("2", "2.1", "d1", 4)]),
        (PASSAGES, "trec-dd-max", [("1", "1.1", "d1", 3), ("1", "1.2", "d2", 0), ("2", "2.1", "d1", 4)]),
    ],
)
def test_formats_are_read_and_recognised(
    text: str, format: str, expected: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    path = write(tmp_path / "q", text)
    assert sorted(rows(read_judgments(path, format=format))) == expected
    if format != "trec-dd-max":  # the sum is what the track's scorer does
        assert sorted(rows(read_judgments(path))) == expected


@pytest.mark.parametrize(
    ("line", "format"),
    [
        ("1 0 d1 2", "diversity"),
        ("1 L2 d1 2", "diversity"),
        ("1 L2 d1 L2", "ntcir"),
        ("1 L2 L2", "ntcir"),
        ("1 d1 2 1 0.5", "prels"),
        ("1 d1 2 stratum 0.5", "prels"),
        ("1\td1\t2\tstratum\t0.5", "evall"),
        ('"1"\t"d1"\t"2"\t"1"\t"0.5"', "evall"),
        ("1 1.1 d1 25268 3", "trec-dd"),
        ("1\t1.1\td1\t25268\t3", "trec-dd"),
    ],
)
def test_a_line_is_recognised_as_one_format(line: str, format: str, tmp_path: Path) -> None:
    path = write(tmp_path / "q", f"\ufeff# a comment\n\n{line}\n")
    assert rows(read_judgments(path)) == rows(read_judgments(path, format=format))


@pytest.mark.parametrize(
    "text", [NTCIR, NTCIR_ADHOC, EVALL, PASSAGES], ids=["Dqrels", "ad hoc", "evall", "dd"]
)
@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst"])
def test_compressed_files_are_read_and_recognised(text: str, ending: str, tmp_path: Path) -> None:
    pack: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
        ".zst": zstd.compress,
    }
    packed = read_judgments(write(tmp_path / f"q{ending}", pack[ending](text.encode())))
    assert rows(packed) == rows(read_judgments(write(tmp_path / "q", text)))


@pytest.mark.parametrize("text", [NTCIR, EVALL, PASSAGES], ids=["ntcir", "evall", "dd"])
def test_standard_input_is_read_and_recognised(text: str, cli: Callable[..., Any], tmp_path: Path) -> None:
    run = write(tmp_path / "r.run", "1 Q0 d1 1 2.5 t\n")
    result = cli("evaluate", "-", run, "-m", "P@1", "--format", "csv", input=text)
    assert result.stdout.splitlines()[1] == "r,all,P@1,0.5", result.stderr


def test_blanks_that_are_not_ascii_belong_to_ids(tmp_path: Path) -> None:
    # As in the formats that the core reads.
    assert rows(read_judgments(write(tmp_path / "q", "1 1 d\u00a01\u2003 L1\n"))) == [
        ("1", "1", "d\u00a01\u2003", 1)
    ]


def test_a_document_judged_alike_twice_is_judged_once(tmp_path: Path) -> None:
    assert len(read_judgments(write(tmp_path / "q", "1 1 d1 L1\n1 1 d1 L1\n"))) == 1


def test_evall_judgments_carry_their_weights(tmp_path: Path) -> None:
    path = write(tmp_path / "q", EVALL)
    judgments = read_judgments(path)
    assert by_aspect(judgments, judgments.weights) == {("1", "a"): 0.7, ("1", "b"): 0.3, ("2", "a"): 1}
    other = read_judgments(path, weights={"1": {"a": 1, "b": 3}, "2": {"a": 1}})
    assert by_aspect(other, other.weights) == {("1", "a"): 1, ("1", "b"): 3, ("2", "a"): 1}


def test_an_evall_run_is_ranked_as_its_lines_stand(tmp_path: Path) -> None:
    path = write(tmp_path / "bm25.tsv", EVALL_RUN)
    for format in (None, "evall"):
        run = read_run(path, format=format)
        assert (run.name, run.topics) == ("bm25", ("2", "1"))
        assert rows(run) == [("2", "d9", 2, 1), ("1", "d1", 2, 1), ("1", "d2", 1, 2), ("2", "d1", 1, 2)]
    for order in ("score", "trec_eval-9", "rank", "input"):
        scores = evaluate({"1": {"d2": 1}, "2": {"d1": 1}}, path, "RR", order=order)
        assert scores.mean() == {"bm25": {"RR": 0.5}}


def test_a_document_twice_in_an_evall_run_keeps_its_first_place_on_request(tmp_path: Path) -> None:
    path = write(tmp_path / "r.tsv", "1\td1\n1\td1\n1\td2\n")
    assert evaluate({"1": {"d2": 1}}, path, "RR", duplicates="first").mean() == {"r": {"RR": 0.5}}
    conversion = convert(path, tmp_path / "r.run", run=True, duplicates="first")
    assert conversion.notes == ("dropped: 1 repeated documents",)
    assert [row[:2] for row in rows(read_run(tmp_path / "r.run"))] == [("1", "d1"), ("1", "d2")]


def test_formats_can_be_said_in_python_and_on_the_command_line(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    # Numeric aspects without quotes may be prels as well.
    qrels = write(tmp_path / "q", "1\td1\t1\t1\t0.5\n1\td2\t1\t2\t0.5\n")
    run = write(tmp_path / "r", "1\td1\n")
    scores = evaluate(qrels, run, "StRecall", qrels_format="evall", run_format="evall")
    assert scores.mean() == {"r": {"StRecall": 0.5}}
    options = ["--qrels-format", "evall", "--run-format", "evall", "--format", "csv"]
    result = cli("evaluate", qrels, run, "-m", "StRecall", *options)
    assert result.stdout.splitlines()[1] == "r,all,StRecall,0.5", result.stderr


# Weights


TYPED = {("1", "a"): True, ("1", "b"): False}


@pytest.mark.parametrize(
    "weights",
    [
        {"1": {"a": (0.7, "nav"), "b": (0.3, "inf")}},
        [("1", "a", 0.7, "nav"), ("1", "b", 0.3, "inf")],
        [
            {"topic": 1, "aspect": a, "prob": p, "intent_type": t}
            for a, p, t in (("a", 0.7, "nav"), ("b", 0.3, "inf"))
        ],
        "1 a 0.7 nav\n1 b 0.3 inf\n1 b 0.30 inf\n",
    ],
    ids=["dict", "rows", "rows by name", "file"],
)
def test_weights_may_say_which_intents_are_navigational(weights: Any, tmp_path: Path) -> None:
    given = write(tmp_path / "w", weights) if isinstance(weights, str) else weights
    judgments = read_judgments({"1": {"a": {"d1": 1}, "b": {"d2": 1}}}, weights=given)
    assert by_aspect(judgments, judgments.weights) == {("1", "a"): 0.7, ("1", "b"): 0.3}
    assert by_aspect(judgments, judgments.navigational) == TYPED
    # Other weights without types leave the types as they are.
    again = read_judgments(judgments, weights={"1": {"a": 1, "b": 1}})
    assert by_aspect(again, again.navigational) == TYPED


def test_weights_without_types_say_nothing_of_them() -> None:
    assert read_judgments({"1": {"d1": 1}}, weights={"1": {"0": 1}}).navigational is None


def test_sakai_halves_the_weight_from_intent_to_intent() -> None:
    # Sakai and Song (2011): 8/15, 4/15, 2/15, 1/15 for four intents; one without a relevant document is none.
    judged = {
        "1": {"1": {"d": 1}, "2": {"d": 0}, "3": {"d": 1}, "9": {"d": 1}, "10": {"d": 1}},
        "2": {"1": {"d": 0}},
    }
    judgments = read_judgments(judged, weights="sakai")
    weights = by_aspect(judgments, judgments.weights)
    assert weights == {
        ("1", "1"): 8 / 15,
        ("1", "2"): 0,
        ("1", "3"): 4 / 15,
        ("1", "9"): 2 / 15,
        ("1", "10"): 1 / 15,
        ("2", "1"): 0,
    }


def test_a_weights_file_called_sakai_needs_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "sakai", "1 a 3\n")
    judged = {"1": {"a": {"d": 1}}}
    for weights, expected in (("sakai", 1), ("./sakai", 3), (Path("sakai"), 3)):
        judgments = read_judgments(judged, weights=weights)
        assert by_aspect(judgments, judgments.weights) == {("1", "a"): expected}


# The official files


def test_the_ntcir_form_of_www_equals_its_trec_form(collections: Path) -> None:
    folder = collections / "ntcir-13-www"
    ntcir, trec = (read_judgments(folder / f"wwwE.{form}qrels.gz") for form in ("", "trec."))
    assert len(ntcir) == 22912
    assert rows(ntcir) == rows(trec)


def test_ntcireval_sample_reads_with_its_intent_probabilities(collections: Path) -> None:
    sample_of = (collections / "ntcireval-diversity-sample" / "Dtest").with_suffix
    # Intents 1 and 2 of topic 0002 have a probability, but no document of the sample is relevant to them.
    for kind in (".Iprob", ".DINprob"):
        with pytest.warns(
            RankprismWarning, match="2 intents have a weight but no document .*: '0002 1', '0002 2'"
        ):
            judgments = read_judgments(sample_of(".Dqrels"), weights=sample_of(kind))
        assert len(judgments) == 1498
        assert by_aspect(judgments, judgments.weights)["0002", "3"] == 0.1333
        with pytest.warns(RankprismWarning, match="'0002 1', '0002 2'"):  # read first and weighed later
            again = read_judgments(read_judgments(sample_of(".Dqrels")), weights=sample_of(kind))
        assert by_aspect(again, again.weights) == by_aspect(judgments, judgments.weights)
    types = by_aspect(judgments, judgments.navigational)
    assert {intent for intent, navigational in types.items() if not navigational and intent[1] != "0"} == {
        ("0001", "3")
    }
    # The file's own probabilities are Sakai and Song's, to four decimals, where every intent is judged.
    by_rule = read_judgments(sample_of(".Dqrels"), weights="sakai")
    ruled, given = by_aspect(by_rule, by_rule.weights), by_aspect(judgments, judgments.weights)
    for intent, weight in given.items():
        if intent[0] != "0002":
            assert round(ruled[intent], 4) == weight


def test_fairweb_judgments_read(collections: Path) -> None:
    judgments = read_judgments(collections / "ntcir-17-fairweb1-pilot" / "fairweb1pilot.qrels")
    assert (len(judgments), len(judgments.topics)) == (393, 4)


def test_the_rbu_authors_file_is_what_we_make_of_the_official_judgments(
    collections: Path, tmp_path: Path
) -> None:
    folder = collections / "trec-web-2014"
    theirs = read_judgments(folder / "qrels.all_EvALL_FORMAT.txt.gz")
    convert(folder / "qrels.ndeval.txt.gz", tmp_path / "ours.tsv", to="evall")
    ours = read_judgments(tmp_path / "ours.tsv")
    assert (len(theirs), len(theirs.topics), len(theirs.table.aspects)) == (43840, 50, 156)
    assert rows(ours) == rows(theirs)
    assert by_aspect(ours, ours.weights) == by_aspect(theirs, theirs.weights)


def test_dynamic_domain_passages_become_documents(collections: Path) -> None:
    path = collections / "trec-dd-2016" / "qrels.txt.gz"
    added: dict[tuple[str, ...], int] = {}
    highest: dict[tuple[str, ...], int] = {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        *document, _, rating = line.split("\t")
        added[tuple(document)] = added.get(tuple(document), 0) + (int(rating) or 1)
        highest[tuple(document)] = max(highest.get(tuple(document), 0), int(rating))
    assert len(added) == 18910
    for format, expected in ((None, added), ("trec-dd", added), ("trec-dd-max", highest)):
        assert {row[:3]: row[3] for row in rows(read_judgments(path, format=format))} == expected


def test_an_official_run_scores_alike_as_an_evall_run(collections: Path, tmp_path: Path) -> None:
    folder = collections / "trec-web-2014"
    run = folder / "runs" / "lemur-cwindri.run.gz"  # many ties, and ranks that run backwards
    judgments = read_judgments(folder / "qrels.ndeval.txt.gz")
    measures = ["alpha_nDCG@20", "ERR_IA", "nDCG", "AP_IA", "P"]
    for order in ("score", "trec_eval-9", "rank", "input"):
        convert(run, tmp_path / "r.tsv", run=True, order=order)
        ours = evaluate(judgments, tmp_path / "r.tsv", measures)
        assert ours.values.tobytes() == evaluate(judgments, run, measures, order=order).values.tobytes()


# Converting


MEASURES = ["alpha_nDCG@5", "ERR_IA", "nDCG_IA(dcg='exp-log2')", "AP", "P@3"]
LEVELS = (None, 0, 1, 2, 3, 9, 0, 1)


def same(first: Judgments, second: Judgments, run: strategies.Run) -> None:
    """The same judgments, and the same scores to the last bit."""
    assert rows(first) == rows(second)
    for a, b in ((first.weights, second.weights), (first.navigational, second.navigational)):
        assert (a is None) == (b is None)
        if a is not None and b is not None:
            assert a.tobytes() == b.tobytes()
    assert evaluate(first, run, MEASURES).values.tobytes() == evaluate(second, run, MEASURES).values.tobytes()


def converted(source: Any, path: Path, to: str, weights: Any = None) -> tuple[Path, Path | None]:
    """A converted file, and the weights beside it."""
    written = list(convert(source, path, to=to, weights=weights).files)
    assert written[0] == str(path)
    return path, Path(written[1]) if len(written) == 2 else None


PAIRS = [(a, b, False) for a in ("diversity", "ntcir", "evall") for b in ("diversity", "ntcir", "evall")]
TYPED_PAIRS = [(a, b, True) for a in ("diversity", "ntcir") for b in ("diversity", "ntcir")]


@pytest.mark.parametrize(("first", "second", "typed"), PAIRS + TYPED_PAIRS)
@settings(max_examples=40)
@given(data=st.data())
def test_weighted_judgments_survive_every_pair_of_formats(
    data: st.DataObject, first: str, second: str, typed: bool, tmp_path: Path
) -> None:
    grades = LEVELS if "ntcir" in (first, second) else strategies.GRADES
    judged = data.draw(strategies.judgments(grades))
    weights: dict[str, dict[str, Any]] = dict(data.draw(strategies.weights(judged)))
    if typed:
        kind = st.sampled_from(["inf", "nav"])
        weights = {t: {a: (w, data.draw(kind)) for a, w in ws.items()} for t, ws in weights.items()}
    original = read_judgments(judged, weights=weights)
    run = data.draw(strategies.runs(judged))
    middle, middle_weights = converted(original, tmp_path / "middle", first)
    end, end_weights = converted(middle, tmp_path / "end.gz", second, weights=middle_weights)
    same(read_judgments(end, weights=end_weights), original, run)


@pytest.mark.parametrize("second", ["diversity", "adhoc", "ntcir"])
@pytest.mark.parametrize("first", ["diversity", "adhoc", "ntcir"])
@settings(max_examples=40)
@given(data=st.data())
def test_ad_hoc_judgments_survive_every_pair_of_formats_without_weights(
    data: st.DataObject, first: str, second: str, tmp_path: Path
) -> None:
    grades = LEVELS if "ntcir" in (first, second) else strategies.GRADES
    judged = data.draw(strategies.judgments(grades, max_aspects=1))
    original = read_judgments({topic: aspects["1"] for topic, aspects in judged.items()})
    middle, _ = converted(original, tmp_path / "middle", first)
    end, _ = converted(middle, tmp_path / "end", second)
    same(read_judgments(end), original, data.draw(strategies.runs(judged)))


@pytest.mark.parametrize("second", ["trec", "evall"])
@pytest.mark.parametrize("first", ["trec", "evall"])
@settings(max_examples=40)
@given(data=st.data(), order=st.sampled_from(["score", "trec_eval-9", "input"]))
def test_runs_survive_every_pair_of_formats(
    data: st.DataObject, first: str, second: str, order: Order, tmp_path: Path
) -> None:
    judged = data.draw(strategies.judgments(min_topics=2))
    drawn = data.draw(strategies.runs(judged, strategies.CLOSE_SCORES))
    run = {topic: ranking for topic, ranking in drawn.items() if ranking}
    if not set(run) & set(judged):
        return
    convert(run, tmp_path / "middle", to=first, run=True, order=order)
    convert(tmp_path / "middle", tmp_path / "end", to=second, run=True)
    ours = evaluate(judged, tmp_path / "end", MEASURES)
    assert ours.values.tobytes() == evaluate(judged, run, MEASURES, order=order).values.tobytes()


def test_ids_with_blanks_and_quotes_survive_in_evall(tmp_path: Path) -> None:
    judged = {'a "b"': {"x y": {'"d"': 1, "# e": 2}}, "#": {"#": {"#": 1}}}
    weights = {'a "b"': {"x y": 1}, "#": {"#": 1}}
    original = read_judgments(judged, weights=weights)
    convert(original, tmp_path / "q.tsv")
    same(read_judgments(tmp_path / "q.tsv"), original, {"#": {"#": 1.0}})
    convert({"#": {"# e": 2.0, '"': 1.0}}, tmp_path / "r.tsv", run=True)
    assert rows(read_run(tmp_path / "r.tsv")) == [("#", "# e", 2, 1), ("#", '"', 1, 2)]


def test_weights_are_uniform_where_evall_needs_them_and_none_are_given(tmp_path: Path) -> None:
    conversion = convert({"1": {"a": {"d": 1}, "b": {"d": 0}}}, tmp_path / "q.tsv")
    assert conversion.notes == ("added: weights, the same for all aspects of a topic",)
    judgments = read_judgments(tmp_path / "q.tsv")
    assert by_aspect(judgments, judgments.weights) == {("1", "a"): 0.5, ("1", "b"): 0.5}


def test_weights_are_written_only_for_intents_that_need_them(tmp_path: Path) -> None:
    # NTCIREVAL takes every intent of an Iprob file for one to be found.
    judged = {"1": {"0": {"d2": 0}, "1": {"d1": 1}, "2": {"d1": 1}}}
    weights = {"1": {"1": (1.0, "inf"), "2": (0.0, "nav")}}
    convert(judged, tmp_path / "q.Dqrels", weights=weights)
    assert (tmp_path / "q.Dqrels.DINprob").read_text() == "1 1 1.0 inf\n1 2 0.0 nav\n"
    assert (tmp_path / "q.Dqrels").read_text() == "1 0 d2 L0\n1 1 d1 L1\n1 2 d1 L1\n"


def test_types_without_weights_bring_uniform_weights_with_them(tmp_path: Path) -> None:
    table = read_judgments({"1": {"a": {"d": 1}, "b": {"d": 1}}}).table
    conversion = convert(Judgments(table, navigational=np.array([True, False])), tmp_path / "q")
    assert (tmp_path / "q.weights").read_text() == "1 a 0.5 nav\n1 b 0.5 inf\n"
    assert conversion.notes[0].startswith("added: weights")


@pytest.mark.parametrize(
    ("source", "options", "notes"),
    [
        ({"1": {"d": 1}}, {"to": "adhoc"}, ()),
        ({"1": {"a": {"d": 1}}}, {"to": "adhoc"}, ("dropped: the names of aspects",)),
        (
            {"1": {"d": 1}},
            {"to": "adhoc", "weights": {"1": {"0": (1, "nav")}}},
            (
                "dropped: weights, which change nothing where there is one aspect",
                "dropped: which intents are navigational",
            ),
        ),
        (
            {"1": {"d": -2}},
            {"to": "evall", "weights": {"1": {"0": (1, "nav")}}},
            (
                "dropped: which intents are navigational",
                "1 grades are below 0, which EvALL's own program does not read",
            ),
        ),
        (
            {"1": {"a": {"d": 1}, "b": {"d": 1}}},
            {"to": "ntcir", "weights": {"1": {"a": 2, "b": 1}}},
            ("the weights of topic '1' sum to 3; NTCIREVAL expects probabilities",),
        ),
        ("1 d 1 2 0.5\n", {}, ("dropped: the method and probability of each document",)),
        (
            PASSAGES,
            {},
            ("dropped: passages; a document's grade is the sum of their ratings, 0 counting as 1",),
        ),
        (
            PASSAGES,
            {"format": "trec-dd-max"},
            ("dropped: passages; a document's grade is the highest of their ratings",),
        ),
        ({"1": {"d": 2.0, "e": 1.0}}, {"run": True, "to": "evall"}, ()),
        (
            {"1": {"d": 2.5, "e": 1.0}},
            {"run": True, "to": "evall"},
            ("dropped: scores; the order of the lines replaces them",),
        ),
        ({"1": {"d": 2.5}, "2": {}}, {"run": True}, ("dropped: 1 topics without a document",)),
        (
            [("1", "d", 2.5, 1), ("1", "d", 1.5, 2), ("1", "e", 1.0, 0)],
            {"run": True, "duplicates": "first"},
            ("dropped: 1 repeated documents", "dropped: ranks, which contradict the order"),
        ),
        (
            [("1", "d", 2.5, 2), ("1", "e", 1.0, 1)],
            {"run": True, "order": "rank"},
            ("dropped: scores; the order of the lines replaces them",),
        ),
    ],
)
def test_what_does_not_fit_is_said(
    source: Any, options: dict[str, Any], notes: tuple[str, ...], tmp_path: Path
) -> None:
    given = write(tmp_path / "in", source) if isinstance(source, str) else source
    assert convert(given, tmp_path / "out", **options).notes == notes


@pytest.mark.parametrize(
    ("name", "run", "first"),
    [
        ("q.Dqrels", False, "1 d1 L1\n"),
        ("q.Dqrels.gz", False, "1 d1 L1\n"),
        ("q.tsv.xz", False, '"1"\t"d1"\t"1"\t"0"\t"1"\n'),
        ("q.txt.bz2", False, "1 0 d1 1\n"),
        ("r.tsv.zst", True, '"1"\t"d1"\n'),
        ("r.run", True, "1 Q0 d1 1 1 run\n"),
    ],
)
def test_the_ending_says_format_and_packing(name: str, run: bool, first: str, tmp_path: Path) -> None:
    convert({"1": {"d1": 1}}, tmp_path / name, run=run)
    unpack: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.decompress,
        ".bz2": bz2.decompress,
        ".xz": lzma.decompress,
        ".zst": zstd.decompress,
    }
    data = (tmp_path / name).read_bytes()
    assert unpack.get(Path(name).suffix, bytes)(data).decode() == first


def test_weights_are_written_beside_a_packed_file_unpacked(tmp_path: Path) -> None:
    conversion = convert(sample.QRELS, tmp_path / "q.Dqrels.gz", weights=sample.WEIGHTS)
    assert list(conversion.files) == [str(tmp_path / "q.Dqrels.gz"), str(tmp_path / "q.Dqrels.Iprob")]
    lines = [path.read_text().splitlines() for path in (tmp_path / "q.Dqrels.Iprob", sample.WEIGHTS)]
    assert sorted(lines[0]) == sorted(lines[1])


def test_the_same_data_is_packed_to_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        convert({"1": {"d": 1}}, tmp_path / name)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_the_command_line_converts_there_and_back(cli: Callable[..., Any], tmp_path: Path) -> None:
    out, back = tmp_path / "q.tsv.gz", tmp_path / "q.txt"
    result = cli("convert", sample.QRELS, out, "--weights", sample.WEIGHTS)
    assert (result.returncode, result.stdout) == (0, f"{out}: 4341 lines, evall\n")
    result = cli(
        "convert",
        "-",
        back,
        "--from",
        "evall",
        "--to",
        "diversity",
        input=gzip.decompress(out.read_bytes()).decode(),
    )
    assert result.stdout == f"{back}: 4341 lines, diversity\n{back}.weights: 68 lines\n"
    original = read_judgments(sample.QRELS, weights=sample.WEIGHTS)
    same(read_judgments(back, weights=f"{back}.weights"), original, {"apple": {"apple-02": 1.0}})
    result = cli("convert", sample.RUNS[0], tmp_path / "r.tsv", "--run")
    assert result.stdout.startswith(f"{tmp_path / 'r.tsv'}: ")
    scores = [evaluate(sample.QRELS, run, MEASURES) for run in (sample.RUNS[0], tmp_path / "r.tsv")]
    assert scores[0].values.tobytes() == scores[1].values.tobytes()


@posix
def test_devices_are_written_to_not_replaced(cli: Callable[..., Any]) -> None:
    assert cli("convert", sample.QRELS, "/dev/null").returncode == 0
    assert not Path("/dev/null").is_file()
