"""Judgments and documents of ir_datasets. All datasets are made here, and nothing is downloaded."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankprism
from rankprism import evaluate, read_judgments, read_scores, sample
from rankprism.errors import InputError, RankprismWarning, install
from rankprism.formats.documents import read_documents

ir_datasets = pytest.importorskip("ir_datasets")

RUN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}


class Named:
    """The handler of a component, as `Dataset` looks for it."""

    def qrels_handler(self) -> Any:
        return self


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Makes a dataset from the text of its files, and makes it known by an id."""
    from ir_datasets.util import LocalDownload

    made: list[str] = []

    def make(kind: Callable[..., Any] | None, *texts: str, docs: str | None = None) -> Any:
        folder = tmp_path_factory.mktemp("dataset")
        sources = []
        for number, text in enumerate(texts):
            (folder / f"{number}.qrels").write_text(text)
            sources.append(LocalDownload(folder / f"{number}.qrels"))
        parts = [] if kind is None else [kind(*sources)]
        if docs is not None:
            (folder / "docs.tsv").write_text(docs)
            parts.append(ir_datasets.formats.TsvDocs(LocalDownload(folder / "docs.tsv")))
        name = f"rankprism-test/{len(made)}"
        made.append(name)
        ir_datasets.registry.register(name, ir_datasets.Dataset(*parts))
        return ir_datasets.load(name)

    return make


def subtopics(source: Any) -> Any:
    return ir_datasets.formats.TrecSubQrels(source, {})


def test_subtopics_of_a_dataset_are_aspects(dataset: Callable[..., Any]) -> None:
    made = dataset(subtopics, sample.QRELS.read_text())
    measures = ["alpha_nDCG@20", "RBU@20", "nDCG@10"]
    wanted = evaluate(sample.QRELS, list(sample.RUNS), measures)
    for source in (made, f"irds:{made.dataset_id()}", made.qrels_iter(), list(made.qrels_iter())):
        found = evaluate(source, list(sample.RUNS), measures)
        assert found.mean() == wanted.mean()
        assert (found.values == wanted.values).all()
    assert read_judgments(made).source == f"irds:{made.dataset_id()}"


def test_the_second_column_of_ad_hoc_judgments_is_not_a_subtopic(dataset: Callable[..., Any]) -> None:
    # TREC-COVID writes the round of assessment there.
    made = dataset(lambda source: ir_datasets.formats.TrecQrels(source, {}), "1 0.5 a 2\n1 1 b 1\n")
    assert read_judgments(made).aspects == {"1": ("0",)}
    assert read_judgments(made.qrels_iter()).aspects == {"1": ("0",)}


def columns(source: Any) -> dict[str, dict[str, float]]:
    """{aspect: {document: grade}}"""
    found: dict[str, dict[str, float]] = {}
    for topic, aspect, doc, grade in zip(*read_judgments(source).table.columns(), strict=True):
        assert topic == "1"
        found.setdefault(aspect, {})[doc] = float(grade)
    return found


def test_ehealth_judgments_have_three_aspects(dataset: Callable[..., Any]) -> None:
    from ir_datasets.datasets.clueweb12 import EhealthQrels

    files = ("1 0 a 2\n1 0 b 0\n", "1 0 a 9\n1 0 b 4\n", "1 0 a 1\n1 0 b 3\n")
    made = dataset(lambda *sources: EhealthQrels(*([source] for source in sources), {}), *files)
    assert columns(made) == {
        "relevance": {"a": 2, "b": 0},
        "trustworthiness": {"a": 9, "b": 4},
        "understandability": {"a": 1, "b": 3},
    }
    scores = evaluate(made, RUN, ["CAM(nDCG@10)", "Aspect(nDCG@10,aspect='trustworthiness')"])
    # Of trustworthiness a, b is the best order, of understandability b, a would be: (1/1 + 3/log2(3)) over
    # (3/1 + 1/log2(3)), and the mean of the three.
    from math import log2

    third = (1 + 3 / log2(3)) / (3 + 1 / log2(3))
    assert scores.mean()["run"]["CAM(nDCG@10)"] == pytest.approx((1 + 1 + third) / 3, abs=1e-12)
    assert scores.values[0, 0, 1] == 1


def test_the_misspelt_aspect_of_misinformation_is_credibility(dataset: Callable[..., Any]) -> None:
    from ir_datasets.datasets.clueweb12 import MsinfoQrels

    made = dataset(lambda source: MsinfoQrels(source, {}), "1 0 a 2 3 1\n1 0 b 1 -1 0\n")
    assert made.qrels_cls()._fields[-1] == "redibility", "ir_datasets has corrected its spelling"
    with pytest.warns(RankprismWarning, match="lowest-labels"):
        evaluate(made, RUN, "CAM(nDCG)")
    assert columns(made) == {
        "relevance": {"a": 2, "b": 1},
        "effectiveness": {"a": 3, "b": 0},
        "credibility": {"a": 1, "b": 0},
    }


def test_touche_has_quality_and_coherence(dataset: Callable[..., Any]) -> None:
    from ir_datasets.formats.touche import ToucheQualityCoherenceQrels, ToucheQualityQrels

    made = dataset(lambda a, b: ToucheQualityQrels(a, b, {}), "1 0 a 2\n", "1 0 a 1\n")
    assert columns(made) == {"relevance": {"a": 2}, "quality": {"a": 1}}
    made = dataset(
        lambda a, b, c: ToucheQualityCoherenceQrels(a, b, c, {}), "1 0 a 2\n", "1 0 a 1\n", "1 0 a 3\n"
    )
    assert columns(made) == {"relevance": {"a": 2}, "quality": {"a": 1}, "coherence": {"a": 3}}


class Stances(Named):
    """Judgments with a stance, whose labels are words. (The reader of ir_datasets needs an archive.)"""

    def qrels_iter(self) -> Any:
        from ir_datasets.formats import touche

        kind, stance = touche.ToucheQualityComparativeStanceQrel, touche.ToucheComparativeStance
        yield kind("1", "a", 2, 1, stance.FIRST, "0")
        yield kind("1", "b", 1, 0, stance.NO, "0")

    def qrels_cls(self) -> Any:
        from ir_datasets.formats import touche

        return touche.ToucheQualityComparativeStanceQrel


def test_labels_without_an_order_are_left_out_unless_one_is_given(dataset: Callable[..., Any]) -> None:
    made = dataset(Stances)
    with pytest.warns(RankprismWarning, match="the labels of stance are words that have no order"):
        assert columns(made) == {"relevance": {"a": 2, "b": 1}, "quality": {"a": 1, "b": 0}}
    labels = ["NO", "NEUTRAL", "FIRST", "SECOND"]
    found = read_judgments(made, aspects={"relevance": {}, "stance": {"labels": labels}})
    assert found.source == f"irds:{made.dataset_id()}"
    _, aspects, docs, grades = found.table.columns()
    assert sorted(zip(aspects, docs, grades, strict=True)) == [
        ("relevance", "a", 2.0),
        ("relevance", "b", 1.0),
        ("stance", "a", 2.0),
        ("stance", "b", 0.0),
    ]


def test_options_describe_the_aspects_of_a_dataset(dataset: Callable[..., Any]) -> None:
    """--labels alone orders the stance, and the aspects that it does not name stay as they are."""
    from rankprism.cli.reading import read_judged

    name = f"irds:{dataset(Stances).dataset_id()}"
    found = read_judged(files=[name], labels=["stance=NO,NEUTRAL,FIRST,SECOND"])
    assert found.scales is not None
    assert [scale.aspect for scale in found.scales] == ["relevance", "quality", "stance"]
    assert found.notes == ()
    two = read_judged(files=[name], aspects="quality,relevance")
    assert two.aspects == {"1": ("quality", "relevance")}
    with pytest.raises(InputError, match="there is no column 'colour' among relevance, quality"):
        read_judged(files=[name], labels=["colour=red,green"])


def test_a_dataset_may_be_one_aspect_and_be_named_in_a_description(
    dataset: Callable[..., Any], tmp_path: Path
) -> None:
    first, second = (dataset(subtopics, f"1 0 a {grade}\n").dataset_id() for grade in (1, 2))
    source = {"relevance": f"irds:{first}", "quality": f"irds:{second}"}
    assert columns(source) == {"relevance": {"a": 1}, "quality": {"a": 2}}
    file = tmp_path / "both.toml"
    file.write_text(
        f'judgments = "irds:{first}"\n[aspects.relevance]\n[aspects.quality]\nfile = "irds:{second}"\n'
    )
    assert columns(file) == {"relevance": {"a": 1}, "quality": {"a": 2}}


def test_what_a_dataset_prints_does_not_reach_standard_output(
    dataset: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    from ir_datasets.formats.touche import ToucheQrels

    read_judgments(dataset(lambda source: ToucheQrels(source, {}), "1 0 a 2\n"))  # prints a path in 0.6.3
    assert capsys.readouterr().out == ""


# ── errors ───────────────────────────────────────────────────────────────────────────────────────


def test_an_unknown_dataset_is_refused(dataset: Callable[..., Any]) -> None:
    name = dataset(subtopics, "1 1 a 1\n").dataset_id()
    with pytest.raises(InputError, match=f"irds:{name}x: ir_datasets has no dataset .* did you mean"):
        read_judgments(f"irds:{name}x")
    with pytest.raises(InputError, match=r"https://ir-datasets\.com lists"):
        evaluate("irds:%", RUN, "AP")


def test_a_dataset_without_judgments_is_refused(dataset: Callable[..., Any]) -> None:
    made = dataset(None, docs="a\ttext\n")
    with pytest.raises(
        InputError, match=f"irds:{made.dataset_id()}: this dataset has no judgments; name a file"
    ):
        read_judgments(made)
    name = f"{made.dataset_id()}/judged"
    ir_datasets.registry.register(name, dataset(subtopics, "1 1 a 1\n"))
    with pytest.raises(InputError, match=f"use one of its parts, e.g. irds:{name}"):
        read_judgments(made)
    with pytest.raises(InputError, match="only an empty list"):
        read_judgments(dataset(subtopics, ""))


def test_a_download_that_fails_is_one_line(dataset: Callable[..., Any]) -> None:
    class Unreachable:
        def stream(self) -> Any:
            raise RuntimeError("All download sources failed\nat once")

    made = dataset(lambda: subtopics(Unreachable()))
    with pytest.raises(InputError) as caught:
        read_judgments(made)
    assert str(caught.value) == (
        f"irds:{made.dataset_id()}: ir_datasets cannot read its judgments (All download sources failed at "
        "once); check the connection, or see https://ir-datasets.com for how to get this dataset, and name a "
        "file instead"
    )


def test_without_the_package_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(
        InputError, match=r"irds:vaswani: needs one more package: " + re.escape(install("ir-datasets"))
    ):
        read_judgments("irds:vaswani")
    with pytest.raises(InputError, match="needs one more package"):
        read_documents("irds:vaswani")


def test_a_dataset_has_no_preferences(dataset: Callable[..., Any]) -> None:
    made = dataset(subtopics, "1 1 a 1\n")
    with pytest.raises(rankprism.MeasureError, match="nPrf needs preferences"):
        evaluate(made, RUN, "nPrf")


# ── documents, and the command line ──────────────────────────────────────────────────────────────


def test_documents_of_a_dataset(dataset: Callable[..., Any]) -> None:
    made = dataset(subtopics, "1 1 a 1\n", docs="a\tJaguars swim.\nb\tno\n")
    source = f"irds:{made.dataset_id()}"
    assert [d.text for d in read_documents(source, {"a"}).values()] == ["Jaguars swim."]
    assert list(read_documents(source)) == ["a", "b"]
    without = dataset(subtopics, "1 1 a 1\n")
    with pytest.raises(InputError, match="this dataset has no documents"):
        read_documents(f"irds:{without.dataset_id()}")


REGISTER = """
import sys
from pathlib import Path
import ir_datasets
from ir_datasets.util import LocalDownload
ir_datasets.registry.register(
    "small", ir_datasets.Dataset(ir_datasets.formats.TrecSubQrels(LocalDownload(Path(sys.argv.pop(1))), {}))
)
from rankprism.cli import main
sys.exit(main())
"""


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    """`rankprism`, where ir_datasets knows the sample as "small"."""
    line = [sys.executable, "-c", REGISTER, str(sample.QRELS), *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True)


def test_commands_take_a_dataset_for_judgments(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    done = command("evaluate", "irds:small", *sample.RUNS, "-m", "alpha_nDCG@20", "--per-topic", "-o", file)
    assert done.returncode == 0, done.stderr
    wanted = evaluate(sample.QRELS, list(sample.RUNS), "alpha_nDCG@20").mean()
    assert read_scores(file).mean() == wanted

    done = command("compare", "irds:small", *sample.RUNS[:2], "-m", "alpha_nDCG@20", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)

    done = command("convert", "irds:small", tmp_path / "small.qrels")
    assert done.returncode == 0, done.stderr
    again = evaluate(tmp_path / "small.qrels", list(sample.RUNS), "alpha_nDCG@20")
    assert again.mean() == wanted


def test_a_wrong_id_is_one_line_and_exit_code_2() -> None:
    done = command("evaluate", "irds:smal", sample.RUNS[0], "-m", "AP")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "rankprism: irds:smal: ir_datasets has no dataset 'smal'; did you mean small"
    )
    assert done.stderr.count("\n") == 1
