"""What scores were computed from is stored with them, and scores that do not belong together are refused."""

from __future__ import annotations

import json
import pickle
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from rankprism import (
    InputError,
    RankprismWarning,
    Scores,
    compare,
    evaluate,
    leaderboard,
    measures,
    read_judgments,
    read_run,
    read_scores,
    sample,
)
from rankprism.evaluation.score_folder import evaluate_into
from rankprism.formats.measure_files import load
from rankprism.measures.identity import definition_of
from rankprism.results.record import Record, differences

Cli = Callable[..., subprocess.CompletedProcess[str]]

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
OTHER = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
ASPECTS = {"q1": {"x": {"a": 1}, "y": {"b": 1}}, "q2": {"x": {"c": 1}, "y": {"d": 1}}}
RANKED = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"c": 1.0}}


def scored(run: str, judgments: Any = QRELS, names: Any = ("AP", "nDCG@10"), **settings: Any) -> Scores:
    ranked = {
        topic: docs for topic, docs in RANKED.items() if not isinstance(judgments, dict) or topic in judgments
    }
    return evaluate(judgments, {run: ranked}, names, **settings)


def in_parquet(scores: Scores, path: Path) -> Any:
    path = path.with_suffix(".parquet")
    path.write_bytes(scores.to_parquet())
    return path


def in_json(scores: Scores, path: Path) -> Any:
    path = path.with_suffix(".json")
    path.write_text(scores.to_json(), encoding="utf-8")
    return path


WAYS: list[Callable[[Scores, Path], Any]] = [in_parquet, in_json]


@pytest.fixture(params=WAYS)
def together(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Scores]:
    """Writes scores to files, and reads these together."""

    def read(*several: Scores, **how: Any) -> Scores:
        return read_scores([request.param(one, tmp_path / f"s{i}") for i, one in enumerate(several)], **how)

    return read


def test_two_names_of_one_order_are_one_setting(together: Callable[..., Scores]) -> None:
    assert together(scored("a"), scored("b", order="trec_eval")).runs == ("a", "b")


def test_scores_that_belong_together_are_read_as_they_were(together: Callable[..., Scores]) -> None:
    a, b = scored("a"), scored("b")
    read = together(a, b)
    assert read.mean() == a.mean() | b.mean()
    assert read.record is not None
    assert a.record is not None
    assert b.record is not None
    both = {"depths": {**a.record.depths, **b.record.depths}}
    assert read.record.to_dict() == a.record.to_dict() | both
    assert not read.record.mixed


@pytest.mark.parametrize(
    ("other", "what", "said"),
    [
        ({"judgments": OTHER}, "judgments", "the judgments differ on topic 'q1' between .*s0.* and .*s1"),
        ({"order": "input"}, "order", r"order is score \(.*s0.*\) and input \(.*s1.*\)"),
        ({"topics": "retrieved"}, "topics", "topics is judged .* and retrieved"),
        ({"duplicates": "first"}, "duplicates", "duplicates is error .* and first"),
        ({"run_depth": 1}, "run_depth", "run_depth is not set .* and 1"),
        ({"bounds": True}, "bounds", "bounds is not set .* and yes"),
        ({"tied": "expected"}, "tied", "tied is not set .* and expected"),
    ],
)
def test_scores_with_other_judgments_or_settings_are_refused(
    together: Callable[..., Scores], other: dict[str, Any], what: str, said: str
) -> None:
    with pytest.raises(InputError, match=f"do not belong together: {said}.*again.*--mixed"):
        together(scored("a"), scored("b", **other))
    with pytest.warns(RankprismWarning, match="mixed"):
        mixed = together(scored("a"), scored("b", **other), mixed=True).record
    assert mixed is not None
    assert mixed.mixed == (what,)


@pytest.mark.parametrize(
    "weights",
    [{"q1": {"x": 0.75, "y": 0.25}, "q2": {"x": 0.4, "y": 0.6}}, {"x": 0.7, "y": 0.3}],
)
def test_other_weights_are_refused(together: Callable[..., Scores], weights: Any) -> None:
    plain = scored("a", ASPECTS, "ERR_IA@20")
    weighted = scored("b", ASPECTS, "ERR_IA@20", weights=weights)
    again = scored("c", ASPECTS, "ERR_IA@20", weights=weights)
    with pytest.raises(InputError, match=r"weights is not set .* and given"):
        together(plain, weighted)
    others = {"x": 0.3, "y": 0.7}
    with pytest.raises(InputError, match="the weights of aspects differ on"):
        together(weighted, scored("d", ASPECTS, "ERR_IA@20", weights=others))
    assert together(weighted, again).runs == ("b", "c")


def test_aspects_that_count_and_those_that_do_not_are_refused(together: Callable[..., Scores]) -> None:
    judged = {"q1": {"x": {"a": 1}, "y": {"b": 0}}}
    with pytest.raises(InputError, match=r"aspects is not set .* and all"):
        together(scored("a", judged, "StRecall@5"), scored("b", judged, "StRecall@5", aspects="all"))


def test_parts_of_a_collection_with_judgments_of_their_own_stand_together(
    together: Callable[..., Scores],
) -> None:
    first, second = ({topic: QRELS[topic]} for topic in QRELS)
    read = together(scored("a", first), scored("a", second), scored("b"))
    assert read.topics == ("q1", "q2")
    assert read.record is not None
    assert set(read.record.data["judgments"]) == {"q1", "q2"}


def test_the_same_judgments_have_the_same_digest_however_they_are_given(tmp_path: Path) -> None:
    rows = [("q2", "c", 1), ("q1", "b", 0), ("q1", "a", 1)]
    path = tmp_path / "qrels"
    path.write_text("".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in rows), encoding="utf-8")
    import pandas as pd

    frame = pd.DataFrame(rows, columns=["topic", "doc", "grade"])
    records = [scored("a", source).record for source in (QRELS, path, rows, frame, read_judgments(path))]
    digests = [dict(record.data) for record in records if record is not None]
    assert len(digests) == 5
    assert all(one == digests[0] for one in digests)


def test_preferences_are_recorded_in_any_order(together: Callable[..., Scores]) -> None:
    rows = [("q1", "a", "b", "left", "x"), ("q1", "b", "c", "tie", "y")]
    columns = ["topic", "left", "right", "outcome", "assessor"]
    one, again, other = (
        [dict(zip(columns, row, strict=True)) for row in some] for some in (rows, rows[::-1], rows[:1])
    )
    a, b, c = (
        evaluate(p, {run: {"q1": RANKED["q1"]}}, "Prf(fallback='none')@5")
        for run, p in (("a", one), ("b", again), ("c", other))
    )
    assert together(a, b).runs == ("a", "b")
    with pytest.raises(InputError, match="the preferences differ on topic 'q1'"):
        together(a, c)


def test_sources_that_record_nothing_give_a_note(tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text(scored("b").to_csv(), encoding="utf-8")
    with pytest.warns(RankprismWarning, match=r"b\.csv does not record which .*unrecorded"):
        read_scores([in_parquet(scored("a"), tmp_path / "a"), path])
    assert read_scores([path]).record is None  # nothing is mixed, so there is nothing to say


def test_another_version_is_a_note(tmp_path: Path) -> None:
    a, b = in_json(scored("a"), tmp_path / "a"), in_json(scored("b"), tmp_path / "b")
    content = json.loads(b.read_text(encoding="utf-8"))
    content["record"]["rankprism"] = "0.0.9"
    b.write_text(json.dumps(content), encoding="utf-8")
    with pytest.warns(RankprismWarning, match=r"different versions of rankprism: .*, 0\.0\.9 \(.*b\.json\)"):
        assert read_scores([a, b]).runs == ("a", "b")


@pytest.mark.parametrize("damage", [{}, {"version": 1}, [], {"version": 1, "data": {"judgments": {"q": 1}}}])
def test_a_damaged_record_is_refused(tmp_path: Path, damage: Any) -> None:
    path = in_json(scored("a"), tmp_path / "a")
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(content | {"record": damage}), encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.json: the record .* is damaged; score again"):
        read_scores(path)


def test_a_record_survives_pickling() -> None:
    scores = scored("a")
    copy = pickle.loads(pickle.dumps(scores))
    assert scores.record is not None
    assert copy.record.to_dict() == scores.record.to_dict()


def test_selected_scores_keep_their_record() -> None:
    scores = scored("a")
    for other in (scores.select(topics=["q1"]), scores.sorted("run"), scores.complete(), scores.risk("a")):
        assert other.record is scores.record


def test_the_record_has_room_for_further_settings() -> None:
    record = scored("a").record
    assert record is not None
    tall, taller = record.setting(height="100"), record.setting(height="1000")
    assert [one.what for one in differences({"a": record, "b": tall})] == ["height"]
    assert [one.message for one in differences({"a": tall, "b": taller})] == [
        "height is 100 (a) and 1000 (b)"
    ]
    assert differences({"a": tall, "b": tall, "c": None}) == []


def user_measure(folder: Path, name: str, factor: str, helper: str = "1.0") -> measures.Measure:
    folder.mkdir()
    path = folder / "own.py"
    path.write_text(
        "from rankprism.measures.declare import single\n"
        f"FACTOR = {factor}\n"
        f"def helped(grade):\n    return grade * {helper}\n"
        f"@single()\ndef {name}(hits):\n    '''Mine.'''\n"
        "    return FACTOR * helped(hits.grade).sum(-1)\n",
        encoding="utf-8",
    )
    return load(path)[0]


def test_the_definition_of_a_users_measure_has_all_that_it_computes(tmp_path: Path) -> None:
    """Its source, the functions and constants of its module that it uses, and those of what is made of it."""
    from rankprism.measures.registry import all_or_none

    found = []
    for number, parts in enumerate((("1", "1.0"), ("1", "1.0"), ("2", "1.0"), ("1", "3.0"))):
        with suppress(ZeroDivisionError), all_or_none():  # which forgets the measure
            mine = user_measure(tmp_path / str(number), "mine_of_records", *parts)
            mixed = measures.mix("mixed_of_records", {mine: 0.5, "AP": 0.5})
            found.append([definition_of(one) for one in (mine, measures.lookup("mine_of_records_IA"), mixed)])
            raise ZeroDivisionError
    same, again, *others = found
    assert same == again
    for other in others:
        assert not set(same) & set(other)


def test_all_parameters_are_in_the_definition() -> None:
    assert definition_of(measures.parse("nDCG@10")) == definition_of(measures.parse("nDCG(fold='max')@10"))
    assert definition_of(measures.parse("nDCG@10")) != definition_of(measures.parse("nDCG@5"))


def test_measures_with_other_definitions_are_refused() -> None:
    one, two = (Record(measures={"mine": f"mine() sha256:{digest}"}) for digest in ("ab", "cd"))
    assert [found.what for found in differences({"a": one, "b": two})] == ["definition of mine"]


# What the commands and the analyses do


@pytest.fixture
def mixed_files(tmp_path: Path) -> list[str]:
    """Scores of two runs on the sample, whose judgments differ."""
    judged = {t: dict(a) for t, a in read_dict().items()}
    topic = next(iter(judged))
    other = judged | {
        topic: {aspect: dict.fromkeys(docs, 0) | {"new": 1} for aspect, docs in judged[topic].items()}
    }
    paths = []
    for name, judgments in (("noisy", judged), ("diversified", other)):
        run = next(path for path in sample.RUNS if Path(path).stem == name)
        scores = evaluate(judgments, {name: run}, ["P@5", "P@10"])
        paths.append(str(in_parquet(scores, tmp_path / name)))
    return paths


def read_dict() -> dict[str, dict[str, dict[str, float]]]:
    found: dict[str, dict[str, dict[str, float]]] = {}
    for topic, aspect, doc, grade in zip(*read_judgments(sample.QRELS).table.columns(), strict=True):
        found.setdefault(topic, {}).setdefault(aspect, {})[doc] = grade
    return found


COMMANDS = [
    "compare {}",
    "leaderboard {}",
    "meta power {}",
    "meta agreement {}",
    "meta correlation {}",
    "topic-set-size {} --difference 0.1",
]
DIFFER = "Mixed scores, which differ in judgments."


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_mixed_scores_and_names_them_in_its_caption(
    command: str, mixed_files: list[str], cli: Cli
) -> None:
    words = command.format(" ".join(mixed_files)).split()
    refused = cli(*words)
    assert refused.returncode == 2, refused.stderr
    assert "the judgments differ on topic 'apple' between" in refused.stderr
    done = cli(*words, "--mixed", "--format", "markdown")
    assert done.returncode == 0, done.stderr
    assert DIFFER in done.stdout
    assert "[mixed]" in done.stderr


@pytest.mark.parametrize(("kind", "title"), [("intervals", []), ("heatmap", ["--title", ""])])
def test_charts_of_mixed_scores_say_so(
    kind: str, title: list[str], mixed_files: list[str], tmp_path: Path, cli: Cli
) -> None:
    chart = tmp_path / "chart.html"
    words = ["plot", kind, *mixed_files, "-m", "P@10", "-o", str(chart), *title]
    assert cli(*words).returncode == 2
    assert cli(*words, "--mixed").returncode == 0
    assert DIFFER.split(",")[0] in chart.read_text(encoding="utf-8")


def test_a_report_of_mixed_scores_says_so(mixed_files: list[str], tmp_path: Path, cli: Cli) -> None:
    page = tmp_path / "report.html"
    words = ["report", *mixed_files, "-o", str(page)]
    assert cli(*words).returncode == 2
    assert cli(*words, "--mixed").returncode == 0
    assert "do not belong together are mixed: the judgments differ" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["to_text", "to_markdown", "to_latex", "to_html"])
def test_captions_name_what_is_mixed(mixed_files: list[str], form: str) -> None:
    with pytest.warns(RankprismWarning, match="mixed"):
        scores = read_scores(mixed_files, mixed=True)
    for result in (compare(scores), leaderboard(scores), scores):
        assert DIFFER in " ".join(getattr(result, form)().split())


def test_mixed_is_for_files_of_scores(cli: Cli) -> None:
    done = cli("compare", sample.QRELS, *sample.RUNS, "-m", "P@10", "--mixed")
    assert done.returncode == 2
    assert "--mixed goes with files of scores" in done.stderr


def test_mixed_scores_stay_mixed(mixed_files: list[str], tmp_path: Path) -> None:
    with pytest.warns(RankprismWarning, match="mixed"):
        scores = read_scores(mixed_files, mixed=True)
    with pytest.warns(RankprismWarning, match="mixed"):
        again = read_scores(in_parquet(scores, tmp_path / "again"))
    assert DIFFER in str(compare(again))


# Several collections


def of_sample(judgments: Any = sample.QRELS, **settings: Any) -> Scores:
    return evaluate(judgments, list(sample.RUNS), ["nDCG@10"], **settings)


@pytest.mark.parametrize("known", [True, False])
def test_a_collection_given_twice_is_refused(known: bool) -> None:
    scores = of_sample()
    again = (
        scores if known else read_scores({run: dict(topics) for run, topics in scores.per_topic().items()})
    )
    part = scores.select(topics=scores.topics[:9])
    for other in (again, part) if known else (again,):
        with pytest.raises(InputError, match=r"the collections 'one' and 'two' are the same, .* twice"):
            leaderboard({"one": scores, "two": other})


def test_a_small_file_given_twice_is_refused(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("run,topic,measure,score\na,1,M,0.5\nb,1,M,0.25\n", encoding="utf-8")
    done = cli("leaderboard", f"one={path}", f"two={path}")
    assert done.returncode == 2
    assert "is named for the collections 'one' and 'two'" in done.stderr
    with pytest.raises(InputError, match="'one' and 'two' are the same"):
        leaderboard({"one": path, "two": path})


def test_collections_whose_topics_have_the_same_names_are_several() -> None:
    scores = of_sample()
    judged = {t: {a: dict.fromkeys(docs, 1.0) for a, docs in by.items()} for t, by in read_dict().items()}
    other = of_sample(judged)
    assert leaderboard({"one": scores, "two": other}).topics == {"one": 20, "two": 20}


def test_collections_with_other_settings_are_refused() -> None:
    judged = {f"other {topic}": aspects for topic, aspects in read_dict().items()}
    runs = {
        Path(path).stem: {f"other {topic}": docs for topic, docs in as_dict(path).items()}
        for path in sample.RUNS
    }
    other = evaluate(judged, runs, ["nDCG@10"], run_depth=5)
    with pytest.raises(InputError, match=r"run_depth is not set \(one\) and 5 \(two\)"):
        leaderboard({"one": of_sample(), "two": other})
    with pytest.warns(RankprismWarning, match="mixed"):
        board = leaderboard({"one": of_sample(), "two": other}, mixed=True)
    assert "Mixed scores, which differ in run_depth." in str(board)


def as_dict(path: Any) -> dict[str, dict[str, float]]:
    topics, docs, scores, _ = read_run(path).table.columns()
    found: dict[str, dict[str, float]] = {}
    for topic, doc, score in zip(topics, docs, scores, strict=True):
        found.setdefault(topic, {})[doc] = score
    return found


# What is written is read as what it was


ODD = ("all", "mean", "t1", "avg", "Average", "amean")


def with_odd_topics() -> Scores:
    judged = {topic: {"d1": 1} for topic in ODD}
    runs = {
        run: {t: {f"d{(i * j) % 3}": 2.0, "d1": 1.0} for i, t in enumerate(ODD)} for j, run in enumerate("ab")
    }
    return evaluate(judged, runs, ["RR", "P@1"])


def in_csv(scores: Any, path: Path) -> Any:
    path = path.with_suffix(".csv")
    path.write_text(scores.to_csv(), encoding="utf-8")
    return path


def in_tsv(scores: Any, path: Path) -> Any:
    path = path.with_suffix(".tsv")
    path.write_text(scores.to_tsv(), encoding="utf-8")
    return path


def in_trec(scores: Any, path: Path) -> Any:
    path.write_text(scores.to_trec(), encoding="utf-8")
    return path


def in_frame(scores: Any, path: Path) -> Any:
    return scores.to_frame("pandas")


def in_dictionary(scores: Any, path: Path) -> Any:
    return scores.per_topic()


FORMS: list[Callable[[Any, Path], Any]] = [in_csv, in_tsv, in_json, in_parquet, in_frame]


@pytest.mark.parametrize("write", [*FORMS, in_trec, in_dictionary])
def test_topics_that_are_called_like_means_survive(write: Callable[..., Any], tmp_path: Path) -> None:
    scores = with_odd_topics()
    read = read_scores(write(scores, tmp_path / "scores"))
    assert read.per_topic() == scores.per_topic()
    assert read.mean() == scores.mean()


@pytest.mark.parametrize("write", FORMS)
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("means", [False, True])
def test_means_are_told_from_topics(
    write: Callable[..., Any], wide: bool, means: bool, tmp_path: Path
) -> None:
    for scores in (with_odd_topics(), scored("a")):
        table = scores.table(per_topic=True, means=means, wide=wide)
        read = read_scores(write(table, tmp_path / "scores"))
        assert read.per_topic() == scores.per_topic()


def test_means_in_files_of_other_programs_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "ndeval.csv"
    path.write_text("runid,topic,ERR-IA@5\na,1,0.25\na,2,0.75\na,amean,0.5\n", encoding="utf-8")
    assert read_scores(path).topics == ("1", "2")
    assert read_scores({"a": {"1": {"M": 0.25}, "2": {"M": 0.75}, "all": {"M": 0.5}}}).topics == ("1", "2")


def test_a_folder_of_scores_keeps_topics_that_are_called_like_means(tmp_path: Path) -> None:
    judged = {topic: {"d1": 1} for topic in ODD}
    runs = {"a": {topic: {"d1": 1.0} for topic in ODD}}
    evaluate_into(tmp_path / "m", judged, runs, "RR")
    (path,) = (tmp_path / "m").glob("*.parquet")
    assert set(read_scores(path).topics) == set(ODD)


@pytest.mark.parametrize("write", FORMS)
@pytest.mark.parametrize("wide", [False, True])
def test_bounds_are_read_as_bounds(write: Callable[..., Any], wide: bool, tmp_path: Path) -> None:
    scores = evaluate(sample.QRELS, [sample.RUNS[4]], ["nDCG@10", "P@10"], bounds=True)
    read = read_scores(write(scores.table(per_topic=True, wide=wide), tmp_path / "scores"))
    assert read.measures == scores.measures
    for found, expected in ((read.low, scores.low), (read.high, scores.high)):
        assert found is not None
        assert expected is not None
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("write", FORMS)
def test_intervals_of_means_are_not_read_as_measures(write: Callable[..., Any], tmp_path: Path) -> None:
    scores = evaluate(sample.QRELS, [sample.RUNS[4]], ["nDCG@10", "P@10"])
    table = scores.table(per_topic=True, wide=True, intervals=True)
    assert read_scores(write(table, tmp_path / "scores")).per_topic() == scores.per_topic()


def test_columns_that_are_not_bounds_are_measures(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("run,topic,M,M low,M high\na,1,0.5,0.7,0.9\na,2,0.5,0.1,0.9\n", encoding="utf-8")
    assert read_scores(path).measures == ("M", "M low", "M high")


@pytest.mark.parametrize("tied", ["expected", "lowest", "highest"])
@pytest.mark.parametrize("write", FORMS)
def test_scores_over_tied_documents_say_so(write: Callable[..., Any], tied: Any, tmp_path: Path) -> None:
    scores = scored("a", names="nDCG@10", tied=tied)
    read = read_scores(write(scores, tmp_path / "scores"))
    assert read.measures == (f"{tied.capitalize()}(nDCG@10)",)
    assert read.select(measures=["ndcg@10"]).measures == read.measures
    assert read.sorted("nDCG@10").runs == ("a",)


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "parquet"])
def test_rounded_scores_say_so(form: str, cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / f"one.{form}"
    words = ["evaluate", sample.QRELS, *sample.RUNS[:2], "-m", "nDCG@10", "--per-topic", "-o", path]
    assert cli(*words, "--digits", "1").returncode == 0
    done = cli("compare", path)
    assert done.returncode == 0, done.stderr
    assert f"the scores in {path} were written with 1 digit after the decimal point" in done.stderr
    assert cli(*words).returncode == 0
    assert "digit" not in cli("compare", path).stderr


def test_a_folder_that_another_program_has_put_into_one_table_is_checked(tmp_path: Path) -> None:
    import pandas as pd

    for judged, run in ((QRELS, "a"), (OTHER, "b"), (QRELS, "c")):
        evaluate_into(tmp_path / run, judged, {run: RANKED}, "AP")
    frames = {path.stem[0]: pd.read_parquet(path) for path in tmp_path.glob("*/*.parquet")}
    together = pd.concat([frames["a"], frames["c"]])
    assert set(read_scores(together).runs) == {"a", "c"}
    with pytest.raises(InputError, match="the files of judgments differ on 2 topics, such as 'q1'"):
        read_scores(pd.concat(list(frames.values())))


def test_files_of_older_layouts_are_compared_with_new_ones(tmp_path: Path) -> None:
    """Their columns have a digest of all judgments together, and their metadata have no record."""
    import pyarrow.parquet

    for judged, run in ((QRELS, "a"), (OTHER, "b"), (QRELS, "c")):
        evaluate_into(tmp_path / run, judged, {run: RANKED}, "AP")
    new, old, other = (next((tmp_path / run).glob("*.parquet")) for run in "acb")
    for path in (old, other):
        pyarrow.parquet.write_table(pyarrow.parquet.read_table(path).replace_schema_metadata(None), path)
    assert read_scores([new, old]).runs == ("a", "c")
    with pytest.raises(InputError, match="the files of judgments differ on 2 topics"):
        read_scores([new, other])
