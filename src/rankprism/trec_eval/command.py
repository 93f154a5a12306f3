"""The command of trec_eval 10: ``python -m rankprism.trec_eval [options] judgments run``."""

from __future__ import annotations

import getopt
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from rankprism.errors import closest
from rankprism.text import message
from rankprism.trec_eval.measures import MEASURES, NICKNAMES, Asked, Definition, asked, number, whole_number

_USAGE = "Usage: python -m rankprism.trec_eval [-h] [-q] {-m measure}* judgments run"
_HELP = f"""{_USAGE}

Score a run as trec_eval 10 does, and print the same lines. A run called '-' is read from standard input.

  -q              print the scores of each topic as well
  -m measure      a measure, with parameters after a point: P.5,10 ndcg.1=3,2=7 rbp.p=0.8;
                  or a set of measures: {" ".join(NICKNAMES)}
                  (default: official; may be given several times)
  -c              average over all judged topics; the scores of topics that the run lacks are 0
  -l level        the lowest grade of a relevant document (default: 1)
  -n              do not print the lines of all topics together
  -J              leave unjudged documents out of rankings
  -M number       documents of a topic that count
  -N number       documents in the collection, for utility
  -R format       of the judgments: qrels (default), qrels_jg, prefs or qrels_prefs
  -T format       of the run: trec_results
  -Z file         print deviations from the means in a file, in standard deviations; its lines hold
                  topic, measure, mean and standard deviation
  -D 0.topic      look at one topic only
  -v              print the version
  -h              print this help

Measures:
"""
_FLAGS = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure": "m:",
    "complete_rel_info_wanted": "c",
    "level_for_rel": "l:",
    "nosummary": "n",
    "Debug_level": "D:",
    "Judged_docs_only": "J",
    "Number_docs_in_coll": "N:",
    "Max_retrieved_per_topic": "M:",
    "Rel_info_format": "R:",
    "Results_format": "T:",
    "Output_old_results_format": "o",
    "Zscore": "Z:",
}
#: The fields of `Options` that flags set: to true, to a whole number, or to a text.
_OPTIONS = {
    **{"h": "help", "q": "topics", "c": "complete", "J": "judged_only"},
    **{"l": "level", "N": "collection", "M": "longest"},
    **{"R": "judgment_format", "T": "run_format", "Z": "z_file"},
}
_MISSING_Z = -1000000.0
_LONGEST = 2147483647
#: The formats of judgments, and what measures they serve.
_FORMATS = {"qrels": "qrels", "qrels_jg": "qrels_jg", "prefs": "preferences", "qrels_prefs": "preferences"}


class Stop(Exception):
    """A mistake of the user, with the exit code that trec_eval has for it."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(message(text))
        self.code = code


@dataclass
class Options:
    """What the user asked for."""

    topics: bool = False
    complete: bool = False
    summary: bool = True
    level: int = 1
    judged_only: bool = False
    longest: int = _LONGEST
    collection: int = 0
    judgment_format: str = "qrels"
    run_format: str = "trec_results"
    z_file: str | None = None
    topic: str | None = None
    measures: list[str] = field(default_factory=list)
    parameters: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    help: bool = False


class Topic(NamedTuple):
    """The scores of a topic, in the order of the labels."""

    name: str
    scores: list[float]
    grades: str  # of the first documents
    missing: bool  # from the run


def main() -> NoReturn:
    """Run the command."""
    try:
        run(sys.argv[1:])
        sys.stdout.flush()
    except Stop as stop:
        print(f"trec_eval: {stop}", file=sys.stderr)
        sys.exit(stop.code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    sys.exit(0)


def run(arguments: Sequence[str]) -> None:
    """Read files, score, and print."""
    options = _options(arguments)
    if options.help:
        print(_HELP + "  " + "\n  ".join(" ".join(row) for row in _rows(list(MEASURES), 4)))
        return
    if len(options.files) != 2:
        raise Stop(1, f"expected two files; got {len(options.files)}. {_USAGE}")
    if options.judgment_format not in _FORMATS:
        raise Stop(
            2, f"Illegal rel_format '{options.judgment_format}'; known formats are {', '.join(_FORMATS)}"
        )
    if options.run_format != "trec_results":
        raise Stop(
            2, f"Illegal retrieval results format '{options.run_format}'; the known format is trec_results"
        )
    chosen = _chosen(options)
    judgments = _read(options.files[0], 2)
    run_data = _read(options.files[1], 2)
    deviations = _deviations(options.z_file) if options.z_file is not None else None
    if _FORMATS[options.judgment_format] == "preferences":
        evaluation = _preferences(options, judgments, run_data)
    else:
        evaluation = _qrels(options, chosen, judgments, run_data)
    _print(options, chosen, evaluation, deviations)


def _rows(words: Sequence[str], width: int) -> Iterator[Sequence[str]]:
    return (words[i : i + width] for i in range(0, len(words), width))


def _options(arguments: Sequence[str]) -> Options:
    long = [name + ("=" if flag.endswith(":") else "") for name, flag in _FLAGS.items()]
    try:
        given, files = getopt.gnu_getopt(list(arguments), "".join(_FLAGS.values()), long)
    except getopt.GetoptError as error:
        raise Stop(1, f"{error}. {_USAGE}") from None
    options = Options(files=files)
    for name, value in given:
        flag = _FLAGS[name[2:]][0] if name.startswith("--") else name[1]
        match flag:
            case "v":
                print("trec_eval version 10.0, in rankprism", file=sys.stderr)
                sys.exit(0)
            case "h" | "q" | "c" | "J":
                setattr(options, _OPTIONS[flag], True)
            case "n":
                options.summary = False
            case "l" | "N" | "M":
                setattr(options, _OPTIONS[flag], whole_number(value))
            case "R" | "T" | "Z":
                setattr(options, _OPTIONS[flag], value)
            case "D":
                level, _, topic = value.partition(".")
                if whole_number(level) > 0:
                    raise Stop(
                        1, f"-D {value}: this program has no debug output; -D 0.topic looks at one topic"
                    )
                options.topic = topic or None
            case "m":
                _add_measure(options, value)
    return options


def _add_measure(options: Options, given: str) -> None:
    name, point, parameters = given.partition(".")
    if point and not parameters:
        raise Stop(1, f"illegal measure '{given}': there are no parameters after the point")
    if name not in MEASURES and name not in NICKNAMES:
        close = closest(name, [*MEASURES, *NICKNAMES])
        raise Stop(1, f"illegal measure '{given}'" + (f"; did you mean '{close[0]}'?" if close else ""))
    options.measures.extend(NICKNAMES.get(name, [name]))
    if point:
        options.parameters.setdefault(name, parameters)  # the first ones count


def _chosen(options: Options) -> list[Asked]:
    """List the measures in the order in which trec_eval prints them."""
    names = set(options.measures or NICKNAMES["official"])
    served = _FORMATS[options.judgment_format]
    chosen = []
    for name, definition in MEASURES.items():
        if name not in names:
            continue
        try:
            one = asked(definition, options.parameters.get(name))
        except ValueError as error:
            raise Stop(
                4 if name == "utility" else 2, f"Cannot initialize measure '{name}': {error}"
            ) from None
        if definition.needs not in ("anything", served):
            formats = " or ".join(f"-R {word}" for word, kind in _FORMATS.items() if kind == definition.needs)
            raise Stop(
                4, f"Can't calculate measure '{name}' from {options.judgment_format}; it needs {formats}"
            )
        chosen.append(one)
    return chosen


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


# Files


def _read(path: str, code: int) -> bytes:
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Stop(code, f"Cannot read '{path}': {error.strerror}") from None


def _lines(data: bytes, name: str, columns: int, more: bool, code: int) -> Iterator[list[str]]:
    """Yield the columns of each line of a file that is small, or that trec_eval is slow with, too."""
    for i, line in enumerate(data.decode("utf-8", "surrogateescape").split("\n"), 1):
        words = line.split()
        if not words and (more or not line):
            continue
        if words and words[0].startswith("#"):
            continue
        if len(words) < columns or (len(words) > columns and not more):
            raise Stop(
                code, f"Malformed line: {name}, line {i}: expected {columns} columns; got {len(words)}"
            )
        yield words


def _deviations(path: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Read the mean and the standard deviation of each topic and measure."""
    rows = _lines(_read(path, 255), path, 4, False, 255)
    return {(topic, label): (number(mean), number(deviation)) for topic, label, mean, deviation in rows}


# Scores


class Evaluation(NamedTuple):
    """The scores of a run."""

    run: str
    labels: list[str]
    topics: Iterable[Topic]
    judged_topics: int
    relevant: int  # documents above grade 0


def _qrels(options: Options, chosen: list[Asked], judgments: bytes, run_data: bytes) -> Evaluation:
    from rankprism._core import TrecEvaluator

    computed = [one for one in chosen if one.definition.name != "runid"]
    evaluator = TrecEvaluator(
        [one.for_core() for one in computed],
        "10",
        options.level,
        options.judged_only,
        options.longest,
        options.collection,
    )
    qrels, run_file = options.files
    lengths = [one.numbers[0] for one in chosen if one.definition.name == "relstring"]
    try:
        cut, line = evaluator.judge_text(judgments, qrels, options.judgment_format == "qrels_jg")
        _note_cut(cut, qrels, line, "grade", "whole number")
        name, topics, cut, line = evaluator.evaluate_text(
            run_data, run_file, options.complete, int(lengths[0]) if lengths else 0
        )
        _note_cut(cut, run_file, line, "score", "number")
    except KeyError as error:  # a document that is judged or ranked twice
        raise Stop(4, error.args[0]) from None
    except ValueError as error:
        raise Stop(2, str(error)) from None
    labels = [label for one in computed for label in one.labels]
    found = (Topic(*topic) for topic in topics)
    return Evaluation(name, labels, found, len(evaluator), evaluator.above_zero())


def _note_cut(lines: int, path: str, first: int, what: str, kind: str) -> None:
    if lines:
        more = f" and {lines - 1:,} more" if lines > 1 else ""
        problem = f"the {what} is not a {kind}; like trec_eval, this program reads what comes before"
        print(f"trec_eval: {message(f'{path}, line {first}{more}: {problem}')}", file=sys.stderr)


def _preferences(options: Options, judgments: bytes, run_data: bytes) -> Evaluation:
    from rankprism.trec_eval.preferences import Line, scores

    judged: dict[str, list[Line]] = {}
    with_subgroups = options.judgment_format == "prefs"
    for words in _lines(judgments, options.files[0], 5 if with_subgroups else 4, False, 2):
        topic, group, *rest, document, level = words
        judged.setdefault(topic, []).append(Line(group, rest[0] if rest else "0", document, number(level)))
    ranked: dict[str, list[tuple[float, str]]] = {}
    run = ""
    for words in _lines(run_data, options.files[1], 6, True, 2):
        topic, _, document, _, score, run, *_ = words
        if topic in judged:
            ranked.setdefault(topic, []).append((-number(score), document))
    labels = [name for name, one in MEASURES.items() if one.needs == "preferences"]

    def topics() -> Iterator[Topic]:
        for topic in sorted(judged, key=_bytes):
            if topic not in ranked and not options.complete:
                continue
            # Here, trec_eval breaks ties by ascending ids.
            order = sorted(ranked.get(topic, []), key=lambda one: (one[0], _bytes(one[1])))
            ranking = [document for _, document in order][: max(options.longest, 0)]
            if len(set(ranking)) < len(ranking):
                raise Stop(4, f"{options.files[1]}: a document of topic '{topic}' is ranked twice")
            try:
                found = scores(judged[topic], ranking)
            except ValueError as error:
                raise Stop(4, f"{options.files[0]}, topic '{topic}': {error}") from None
            yield Topic(topic, [1.0, *found.values()], "", topic not in ranked)

    if not judged or not run:
        raise Stop(2, f"Cannot read '{options.files[0 if not judged else 1]}': there are no lines in it")
    return Evaluation(run, ["num_q", *labels], topics(), len(judged), 0)


# Output


def _print(
    options: Options,
    chosen: list[Asked],
    evaluation: Evaluation,
    deviations: dict[tuple[str, str], tuple[float, float]] | None,
) -> None:
    place = {label: i for i, label in enumerate(evaluation.labels)}
    sums = [0.0] * len(evaluation.labels)
    topics = 0
    out = sys.stdout.buffer
    prefix = "" if deviations is None else "Z"

    def line(definition: Definition, label: str, topic: str, score: float) -> str:
        if definition.summary in ("sum", "topics") and not prefix:
            return f"{label:<22}\t{topic}\t{int(score)}\n"
        return f"{prefix}{label:<22}\t{topic}\t{_four_digits(score)}\n"

    for name, scores, grades, missing in evaluation.topics:
        if options.topic is not None and name != options.topic:
            continue
        topics += 1
        if missing:
            scores, grades = _without_ranking(evaluation.labels, scores, grades)
        if deviations is not None:
            named = zip(evaluation.labels, scores, strict=True)
            scores = [_deviation(score, deviations.get((name, label))) for label, score in named]
        sums = [total + score for total, score in zip(sums, scores, strict=True)]
        if options.topics:
            text = []
            for one in chosen:
                if not one.definition.by_topic:
                    continue
                if one.definition.name == "relstring":
                    text.append(f"{one.labels[0]:<22}\t{name}\t'{grades}'\n")
                else:
                    text.extend(
                        line(one.definition, label, name, scores[place[label]]) for label in one.labels
                    )
            out.write(_bytes("".join(text)))
    if topics == 0:
        raise Stop(7, "No queries with both results and relevance info")
    if not options.summary:
        return
    averaged = evaluation.judged_topics if options.complete else topics
    text = []
    for definition, labels, *_ in chosen:
        for label in labels:
            if definition.summary == "run":
                text.append(f"{label:<22}\tall\t{evaluation.run}\n")
                continue
            if definition.summary == "none":
                continue
            score = sums[place[label]]
            if definition.summary == "mean":
                score /= averaged
            elif definition.summary == "topics":
                score = averaged
            elif definition.summary == "geometric":
                score = math.exp((score + (averaged - topics) * math.log(0.00001)) / averaged)
            elif definition.name == "num_rel" and options.complete:
                score = evaluation.relevant
            text.append(line(definition, label, "all", score))
    out.write(_bytes("".join(text)))
    out.flush()


def _four_digits(score: float) -> str:
    if math.isnan(score):
        return "  -nan" if math.copysign(1, score) < 0 else "   nan"
    return f"{score:6.4f}"


def _deviation(score: float, known: tuple[float, float] | None) -> float:
    if known is None:
        return _MISSING_Z
    mean, deviation = known
    if deviation:
        return (score - mean) / deviation
    return 0.0 if score == mean else _MISSING_Z


def _without_ranking(labels: list[str], scores: list[float], grades: str) -> tuple[list[float], str]:
    """Correct the scores of a topic that the run lacks.

    They were computed for the ranking of an unknown document. trec_eval looks for these labels, so it
    does not correct measures that have parameters of their own.
    """
    corrected = [
        0.0 if label in ("num_ret", "utility", "rbp_resid") or label.startswith("unj") else score
        for label, score in zip(labels, scores, strict=True)
    ]
    return corrected, "" if "relstring" in labels else grades
