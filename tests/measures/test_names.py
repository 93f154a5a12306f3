"""Measures are found by the names that papers use, printed by one name, and shown as papers show them."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import pydoc
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import rankprism
from rankprism import measures
from rankprism.errors import InputError, MeasureError
from rankprism.formats.measure_files import load
from rankprism.measures import CAM, Measure, alpha_nDCG, compose, lookup, mix, names, nDCG, parse
from rankprism.measures.catalogue import explain, reference
from rankprism.measures.display import canonical_name, latex_name, shown_name

SPELLINGS = [
    ("alpha-nDCG@20", "alpha_nDCG@20"),
    ("α-nDCG@20", "alpha_nDCG@20"),
    ("𝛼-nDCG@20", "alpha_nDCG@20"),  # mathematical italics, as copied from a PDF
    ("α–nDCG@20", "alpha_nDCG@20"),  # an en dash
    ("ALPHA_NDCG(α=0.25)@20", "alpha_nDCG(alpha=0.25)@20"),
    ("ndcg@10", "nDCG@10"),
    ("ndcg(judged-only=True)@10", "nDCG(judged_only=True)@10"),
    ("ERR-IA@20", "ERR_IA@20"),
    ("err-ia@20", "ERR_IA@20"),
    ("nDCG-IA@20", "nDCG_IA@20"),
    ("map-ia", "AP_IA"),
    ("D#-nDCG@20", "DSharp_nDCG@20"),
    ("d#_ndcg@20", "DSharp_nDCG@20"),
    ("P+Q#@20", "P_plusQSharp@20"),
    ("I-rec@10", "StRecall@10"),
    ("s-recall@10", "StRecall@10"),
    ("map", "AP"),
    ("mrr", "RR"),
    ("P@5", "P@5"),
    ("p@5", "P@5"),
    ("q@5", "Q@5"),
    ("cam(ndcg@10)", "CAM(nDCG@10)"),
]


@pytest.mark.parametrize(("text", "canonical"), SPELLINGS)
def test_names_as_papers_write_them_are_understood_and_printed_canonically(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert canonical_name(text) == canonical


def test_a_spelling_of_two_measures_names_both() -> None:
    compose("Ndcg")
    assert str(parse("Ndcg")) == "Ndcg"  # written exactly so, each is found
    assert str(parse("nDCG")) == "nDCG"
    with pytest.raises(MeasureError, match="'ndcg' can be Ndcg or nDCG; write one of these"):
        parse("ndcg")


@pytest.mark.parametrize(
    ("text", "suggested"),
    [("alfa-nDCG@20", "alpha_nDCG"), ("D#nDCG@5", "DSharp_nDCG"), ("I-recall", "StRecall"), ("nDGC", "nDCG")],
)
def test_what_is_close_gets_a_suggestion_by_its_right_name(text: str, suggested: str) -> None:
    with pytest.raises(MeasureError, match=rf"did you mean .*\b{suggested}\b"):
        parse(text)


def test_every_display_name_parses_back() -> None:
    for name in names():
        assert parse(lookup(name).display) == lookup(name), name
    measure = alpha_nDCG(alpha=0.25, judged_only=True) @ 20
    assert measure.display == "α-nDCG(α=0.25,judged_only=True)@20"
    assert parse(measure.display) == measure
    assert CAM(measure=nDCG @ 10).display == "CAM(nDCG@10)"


def test_names_in_latex_are_mathematics_and_escapes() -> None:
    assert latex_name("alpha_nDCG(alpha=0.25,judged_only=True)@20") == (
        r"$\alpha$-nDCG($\alpha$=0.25,judged\_only=True)@20"
    )
    assert latex_name("DSharp_nDCG@20") == r"D\#-nDCG@20"
    assert latex_name("50% of R&D") == r"50\% of R\&D"
    assert shown_name("50% of R&D") == "50% of R&D"


def test_evaluate_takes_any_spelling() -> None:
    scores = rankprism.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["α-nDCG@20", "ndcg@10", "I-rec@10"])
    assert scores.measures == ("alpha_nDCG@20", "nDCG@10", "StRecall@10")


# ── files of scores ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("written", ["D#_nDCG@20", "D#-nDCG@20", "DSharp_nDCG@20", "d#-ndcg@20"])
@pytest.mark.parametrize("wanted", ["D#_nDCG@20", "D#-nDCG@20", "DSharp_nDCG@20"])
def test_a_measure_finds_its_own_column_in_any_spelling(written: str, wanted: str) -> None:
    scores = rankprism.read_scores({"bm25": {"q1": {written: 0.5, "AP": 1.0}}})
    chosen = scores.select(measures=[wanted])
    assert chosen.measures == (written,)  # as the file has it: another program may mean something else by it
    assert chosen.values.tolist() == [[[0.5]]]
    assert scores.select(measures=[parse(wanted)]).measures == (written,)


def test_a_column_that_is_not_a_measure_is_found_by_its_own_name_only() -> None:
    scores = rankprism.read_scores({"bm25": {"q1": {"my score": 0.5}}})
    assert scores.select(measures="my score").measures == ("my score",)
    with pytest.raises(InputError, match="no measure 'My Score'; there are my score"):
        scores.select(measures=["My Score"])


def test_two_columns_of_one_measure_are_both_named() -> None:
    scores = rankprism.read_scores({"bm25": {"q1": {"ndcg@10": 0.5, "NDCG@10": 0.6}}})
    assert scores.select(measures="NDCG@10").values.tolist() == [[[0.6]]]
    with pytest.raises(InputError, match="can be ndcg@10 or NDCG@10"):
        scores.select(measures="nDCG@10")


# ── Python ───────────────────────────────────────────────────────────────────────────────────────


def test_derived_measures_import_like_the_others() -> None:
    from rankprism.measures import RBP_IA, nDCG_IA

    assert nDCG_IA @ 10 == parse("nDCG_IA@10")
    assert parse("RBP_IA") == RBP_IA
    assert set(names()) <= set(dir(measures))
    with pytest.raises(AttributeError, match="no attribute 'nDGC'"):
        _ = measures.nDGC  # type: ignore[attr-defined]


def test_help_of_a_measure_is_its_own_page() -> None:
    page = pydoc.plain(pydoc.render_doc(alpha_nDCG(alpha=0.25)))
    assert "alpha_nDCG(alpha=0.25)" in page
    assert "(1-α)^(documents on t above i)" in page
    assert "lowers its worth" in page
    assert "number ≥ 0 and ≤ 1" in page
    assert "Clarke" in page
    assert Measure.__doc__ is not None
    assert Measure.__doc__.startswith("A measure with its parameters bound")
    assert str(inspect.signature(nDCG)).startswith("(*, dcg: str = 'log2', gains: dict = None")
    assert "definition" in inspect.signature(Measure).parameters


@pytest.mark.parametrize("value", [Path("AP"), None, 3, {"AP"}, zipfile.ZipInfo("AP")])
def test_an_object_that_is_not_a_measure_is_refused_whatever_module_it_is_from(value: Any) -> None:
    with pytest.raises(MeasureError, match="is not a measure; pass a name such as"):
        parse(value)


def test_an_explanation_has_all_that_is_declared() -> None:
    page = explain(lookup("DSharp_nDCG"), width=60).splitlines()
    assert page[0] == "DSharp_nDCG"
    assert "Also called D#_nDCG" in page
    assert "Axioms: proved: Pri Deep CloseTh AspDiv AspRel; refuted:" in page
    begin, end = page.index("Parameters") + 1, page.index("Also called D#_nDCG") - 1
    first = [line for line in page[begin:end] if not line.startswith(" " * 15)]
    assert [line.split()[0] for line in first] == ["gamma", "gain", "digits", "judged_only", "cutoff"]
    assert all(line[14:15] == " " != line[15] and len(line) <= 60 for line in page[begin:end])  # one column
    assert page[page.index("Example") + 1] == "  >>> from rankprism import evaluate"
    assert "Also called" not in explain(lookup("CAM"))


@pytest.mark.parametrize("name", names())
def test_every_measure_is_copied_and_pickled(name: str) -> None:
    measure = lookup(name)
    if any(p.name == "measure" for p in measure.definition.parameters):
        measure = measure(measure=nDCG @ 10)
    for copied in (copy.copy(measure), copy.deepcopy(measure), pickle.loads(pickle.dumps(measure))):
        assert copied == measure
        assert copied.definition.name == measure.definition.name


def test_measures_of_ones_own_are_pickled_with_what_they_are_made_of(tmp_path: Path) -> None:
    own = compose("tn_own", discount="reciprocal", novelty="first")
    mixed = mix("tn_mixed", {own @ 5: 0.5, "AP": 0.5})
    (tmp_path / "measures.pickle").write_bytes(pickle.dumps([own @ 3, mixed]))
    # A process that has never heard of them.
    program = (
        "import pickle, rankprism; found = pickle.load(open('measures.pickle', 'rb'));"
        "print(rankprism.evaluate({'q': {'a': 1, 'b': 1}}, {'q': {'b': 1.0}}, found).mean())"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == "{'run': {'tn_own@3': 1.0, 'tn_mixed': 0.75}}", done.stderr


def test_a_pickled_measure_never_becomes_another_of_the_same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pickle.dumps(compose("tn_twice", discount="reciprocal"))
    home: Any = importlib.import_module("rankprism.measures.registry")
    del home._DEFINITIONS["tn_twice"]
    compose("tn_twice", discount="uniform")
    with pytest.raises(MeasureError, match="tn_twice exists already and is made of other parts"):
        pickle.loads(data)


def test_measure_objects_of_ir_measures_are_accepted() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    given = [ir_measures.alpha_nDCG(alpha=0.25) @ 20, ir_measures.nDCG(dcg="exp-log2") @ 10, ir_measures.AP]
    scores = rankprism.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, given)
    assert scores.measures == ("alpha_nDCG(alpha=0.25)@20", "nDCG(dcg='exp-log2')@10", "AP")
    with pytest.raises(
        MeasureError, match="NumRet of ir_measures is not a measure here: it counts retrieved documents"
    ):
        parse(ir_measures.NumRet)
    with pytest.raises(MeasureError, match="3 is not a measure; pass a name such as"):
        parse(3)


# ── files of measures ────────────────────────────────────────────────────────────────────────────

FILE = '''
from rankprism.meta.axioms import NOT_LESS, Scope, constraint
from rankprism.measures import measure


@measure()
def tn_Found(hits):
    """Found: how many relevant documents the ranking has.

    Found = Σ_i [some g(i,t) > 0]
    """
    return (hits.grade > 0).any(1).sum(-1).astype(float)


@constraint(relation=NOT_LESS, scope=Scope(most=3))
def tn_Longer(base):
    "A document more never hurts."
    yield base.documents, base.documents[:-1]
'''


def rankprism_command(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", "from rankprism.cli import main; main()"]
    return subprocess.run([*program, *arguments], cwd=folder, capture_output=True, text=True)


def test_a_python_file_of_measures_and_constraints_works_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FILE, encoding="utf-8")
    (tmp_path / "q.txt").write_text("q 0 a 1\nq 0 b 1\n", encoding="utf-8")
    (tmp_path / "r.run").write_text("q Q0 a 1 2 r\nq Q0 b 2 1 r\n", encoding="utf-8")
    done = rankprism_command(
        *("evaluate", "q.txt", "r.run", "--measures", "mine.py", "-m", "tn_found"), folder=tmp_path
    )
    assert done.stdout.split() == ["run", "tn_Found", "─" * 13, "r", "2.0000"], done.stderr
    done = rankprism_command(
        *("axioms", "tn_Found", "--constraint", "tn_Longer", "--measures", "mine.py"), folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "tn_Longer" in done.stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\ndef broken(:\n", "mine.py:2: cannot be read as Python"),
        ("\n\nimport no_such_module_anywhere\n", "mine.py:3: ModuleNotFoundError"),
        (
            "from rankprism.measures import compose\ncompose('nDCG')\n",
            "mine.py:2: a measure named nDCG",
        ),
    ],
)
def test_an_error_in_a_python_file_names_file_and_line(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    done = rankprism_command("measures", "AP", "--measures", "mine.py", folder=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_file_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("from rankprism.measures import compose\ncompose('tn_half')\n1 / 0\n", encoding="utf-8")
    with pytest.raises(MeasureError, match=r"mine\.py:3: ZeroDivisionError"):
        load(path)
    assert "tn_half" not in names()


# ── the catalogue ────────────────────────────────────────────────────────────────────────────────


def test_a_measure_of_its_own_whose_name_ends_in_ia_is_in_the_documentation() -> None:
    @measures.measure()
    def Trial_IA(hits: Any) -> Any:
        """Trial: an intent-aware measure that is derived from no other.

        Trial_IA = 1
        """
        return hits.length * 0.0

    page = reference()
    assert "## Trial_IA" in page
    assert "## nDCG_IA" not in page
    assert "Trial_IA" in dir(measures)


# --- modules that are loaded when a name is looked for


def _fresh(code: str) -> str:
    """What a new process prints, in which no measure has been looked for."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout.strip()


def test_every_module_that_has_measures_is_found() -> None:
    code = (
        "import importlib, pkgutil, rankprism.measures as home\n"
        "for module in pkgutil.walk_packages(home.__path__, 'rankprism.measures.'):\n"
        "    importlib.import_module(module.name)\n"
        "from rankprism.measures.registry import modules\n"
        "print({d.module for d in home.definitions()} ^ set(modules()))"
    )
    assert _fresh(code) == "set()"


@pytest.mark.parametrize("first", ["known.toma", "known.single", "known.prf", "grammar"])
def test_the_order_of_measures_does_not_depend_on_what_is_loaded_first(first: str) -> None:
    code = f"import rankprism.measures.{first}, rankprism.measures as home; print(*home.names())"
    expected = "import rankprism.measures as home; print(*home.names())"
    assert _fresh(code) == _fresh(expected)


@pytest.mark.parametrize("name", ["TOMA", "NDCG", "nDCG_IA"])
def test_a_new_measure_cannot_take_a_name_that_is_not_loaded_yet(name: str) -> None:
    code = (
        "from rankprism.measures import compose\n"
        f"try:\n    compose({name!r})\n"
        "except Exception as error:\n    print(error)"
    )
    assert _fresh(code) == f"a measure named {name} exists already; choose another name"


def test_all_measures_can_be_imported_at_once() -> None:
    code = "from rankprism.measures import *; print(TOMA, nDCG_IA, parse('nDCG@5'))"
    assert _fresh(code) == "TOMA nDCG_IA nDCG@5"
