"""`rankprism preferences`: which of two documents people would rather read."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankprism.cli.derived import options_of
from rankprism.cli.door import INPUT, OUTPUT, Argument, Group, Option, Words, flag, takes
from rankprism.cli.frame import Call, analysis, write_text
from rankprism.cli.reading import (
    Measured,
    Read,
    read_judged_subtopics,
    read_measured,
    read_subtopics,
    read_weighted_subtopics,
)
from rankprism.cli.shared import (
    COLLECTION,
    MEASURE,
    OUTPUT_FILE,
    PREFERENCES,
    PROFILES,
    SEED,
    files,
    measures,
    run_options,
    some_run_options,
    written,
)
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.data import Judgments, Preferences
    from rankprism.judging.preferences import Profiles, Task

preferences = Group("preferences", "Read what people prefer: pairs and triplets of documents.")
experiment = Group("preferences experiment", "Repeat the experiments of Chandar and Carterette (2013).")


# ── what people said ─────────────────────────────────────────────────────────────────────────────


@takes(
    Argument("preferences", "PREFS", "A file of preferences; - is standard input.", "complete_file"),
    Option(
        "--from",
        "source_format",
        metavar="FORMAT",
        type=Words(of="formats.known:PREFERENCE_FORMATS"),
        help="The format of PREFS, e.g. qrels-prefs. Default: recognised, if the file can be nothing but "
        "preferences.",
        group=INPUT,
    ),
)
def read_preferred(preferences: str, source_format: str | None = None) -> Preferences:
    """The preferences that are named."""
    from rankprism.formats import read_preferences

    return read_preferences(preferences, format=source_format)


@takes(
    read_preferred,
    files("[RUN]...", "Runs, to see how much of their first documents was judged.").but(name="runs"),
    some_run_options,
)
def read_described(
    preferences: str, source_format: str | None, runs: list[str] | None, **reading: Any
) -> tuple[Preferences, dict[str, Any]]:
    """The preferences, and runs with how to read them."""
    found: Preferences = read_preferred(preferences, source_format=source_format)
    return found, {"runs": runs, **reading}


@analysis("judging.preferences:describe", reads=read_described, of=preferences)
def describe(read: tuple[Preferences, dict[str, Any]], call: Call) -> Any:
    """Count preferences, and show whether assessors agree and where preferences go in circles.

    Pairs and triplets of every topic; contradictions, triads and cycles; Krippendorff's α and Cohen's κ
    with 95 % intervals; and of each RUN, how much of its first documents was judged.

    \b
    rankprism preferences describe prefs.tsv runs/*.run
    """
    found, runs = read
    return call(found, **runs)


@analysis(
    "judging.preferences:strengths",
    flag("--contrasts", "Compare any two documents of a topic instead, with p-values.", group=OUTPUT),
    reads=read_preferred,
    of=preferences,
)
def strengths(read: Preferences, call: Call, contrasts: bool) -> Any:
    """Show how strong each document is by Bradley and Terry's model, with intervals.

    A strength is relative to the mean of the documents that were compared with each other, directly or
    through others.

    \b
    rankprism preferences strengths prefs.tsv -o strengths.csv
    rankprism preferences strengths prefs.tsv --contrasts
    """
    found = call(read)
    return found.contrasts() if contrasts else found


@analysis("judging.preferences:intervals", what="resampling", reads=read_measured, of=preferences)
def intervals(read: Measured, call: Call) -> Any:
    """Show how far scores would move with other assessors or other topics.

    Prints an interval of the mean of each run and of the difference of any two runs: how far they would move
    in studies with as many other assessors, topics or both. Name preferences in the place of QRELS.

    \b
    rankprism preferences intervals prefs.tsv runs/*.run -m nPrf@20 \\
        --over assessors
    """
    collection, measures = read
    return call(collection.collection, measures=measures)


@analysis("judging.preferences:order", reads=read_preferred, writes=write_text, of=preferences)
def order(read: Preferences, call: Call) -> str:
    """Write the order of preference as qrels for Compat.

    The last document of a topic has grade 1, the one before it 2, and so on; equal ones have the same grade.

    \b
    rankprism preferences order prefs.tsv -o order.qrels
    """
    from rankprism.formats import judgments_text

    return judgments_text(call(read), "adhoc")


# ── what to ask next ─────────────────────────────────────────────────────────────────────────────


@takes(
    files("RUN...", "The runs whose order is to be settled.").but(name="runs"),
    PREFERENCES.but(help="What was judged so far. Default: nothing."),
    lambda: options_of(COLLECTION, "preferences_format", group=INPUT),
    run_options,
)
def read_runs(
    runs: list[str] | None = None,
    preferences: str | None = None,
    preferences_format: str | None = None,
    **reading: Any,
) -> dict[str, Any]:
    """The runs to choose questions for, what was judged so far, and how to read the runs."""
    from rankprism.formats import read_preferences

    if not runs:
        raise InputError("name the runs, e.g. runs/*.run")
    if preferences is None and preferences_format is not None:
        raise InputError("--preferences-format needs preferences; name them with --preferences")
    judged = None if preferences is None else read_preferences(preferences, format=preferences_format)
    return {"runs": runs, "preferences": judged, **reading}


@analysis(
    "judging.preferences:select",
    Option("--budget", type=click.IntRange(1), default=100, help="Number of questions."),
    measures("Prf or nPrf with a cutoff: the order of the runs by it is settled. Default: nPrf@20."),
    reads=read_runs,
    writes=write_text,
    of=preferences,
)
def select(read: dict[str, Any], call: Call, budget: int, measure: list[str] | None) -> str:
    """Choose the questions that best settle the order of the runs.

    Writes JSON, one question on each line and the most useful first: topic, given, left and right. With an
    outcome added, a line is a preference.

    \b
    rankprism preferences select runs/*.run --budget 500 -o tasks.jsonl
    rankprism preferences select runs/*.run --budget 500 \\
      --preferences so-far.tsv --batch 100 -o tasks.jsonl
    """
    tasks: list[Task] = call(budget=budget, measures=measure or "nPrf@20", **read)
    return "".join(json.dumps(task.record(), ensure_ascii=False) + "\n" for task in tasks)


@analysis(
    "judging.preferences:plan",
    measures("Prf or nPrf with a cutoff. Default: nPrf(estimate='pooled')@20."),
    Option(
        "--choice",
        multiple=True,
        type=Words(of="types:Choice"),
        help="How questions are chosen, see `rankprism preferences select --help`. Repeatable. Default: in "
        "all three ways.",
    ),
    PROFILES,
    what="simulating",
    reads=read_subtopics,
    of=preferences,
)
def plan(
    read: Read, call: Call, measure: list[str] | None, choice: list[str] | None, profiles: str | None
) -> Any:
    """Simulate how many judgments a study of these runs needs.

    Users with profiles are made from subtopic judgments. Each question is answered by one of them. The
    simulation ends when the order of the runs agrees with the order by all preferences. Without --profiles,
    one user cares about all subtopics, and others are drawn.

    \b
    rankprism preferences plan qrels.txt runs/*.run --plot plan.svg
    rankprism preferences plan qrels.txt runs/*.run --choice targeted \\
      -m "nPrf(estimate='pooled')@10" --target 0.95
    """
    given = {"measures": measure, "choices": choice, "profiles": profiles}
    chosen = {name: value for name, value in given.items() if value}
    return call(read.collection, **chosen)


# ── profiles and simulations ─────────────────────────────────────────────────────────────────────


@takes(OUTPUT_FILE)
def write_judged(found: Any, output: Path | None = None) -> None:
    """Write judgments or preferences, and say what was written where they do not go."""
    from rankprism.data import Judgments
    from rankprism.formats import convert, replaces_file

    out, kind = output or "-", "diversity" if isinstance(found, Judgments) else None
    print(convert(found, out, to=kind), file=sys.stdout if replaces_file(out) else sys.stderr)


@analysis(
    "judging.preferences:draw_profiles",
    Option("--draw", type=click.IntRange(1), default=3, help="Number of profiles to draw for each topic."),
    SEED,
    reads=read_judged_subtopics,
    writes=write_text,
    of=preferences,
)
def draw_profiles(judged: Judgments, call: Call, draw: int, seed: int) -> str:
    """Draw profiles of users at random.

    A profile says of each topic which subtopics a kind of user cares about.

    \b
    rankprism preferences draw-profiles qrels.txt --draw 3 -o profiles.txt
    """
    drawn: Profiles = call(judged, draw, seed)
    return drawn.lines()


@analysis(
    "judging.preferences:restrict",
    PROFILES,
    Option("--profile", metavar="NAME", help="The profile whose subtopics are kept."),
    reads=read_judged_subtopics,
    writes=write_judged,
    of=preferences,
)
def restrict(judged: Judgments, call: Call, profiles: str | None, profile: str | None) -> Any:
    """Write the judgments that matter to a profile.

    These are the judgments of its subtopics, with its weights. Weights that differ go to FILE.weights.

    \b
    rankprism preferences restrict qrels.txt --profiles profiles.txt \\
      --profile p1 -o p1.qrels
    """
    from rankprism.judging.preferences import read_profiles

    if profiles is None or profile is None:
        raise InputError("name a file with --profiles and one of its profiles with --profile")
    return call(judged, read_profiles(profiles), profile)


@analysis(
    "judging.preferences:simulate",
    PROFILES,
    Option("--draw", type=click.IntRange(1), help="Draw this many profiles for each topic by the seed."),
    flag("--complete", "Ask one user of each profile every pair and triplet. The default."),
    reads=read_subtopics,
    writes=write_judged,
    of=preferences,
)
def simulate(read: Read, call: Call, profiles: str | None, draw: int | None, complete: bool) -> Any:
    """Simulate preferences from subtopic judgments.

    Of two documents a user prefers the one that has more of the subtopics that the user cares about, without
    those of the document just read. Default: one user who cares about all subtopics, the TREC profile.

    \b
    rankprism preferences simulate qrels.txt runs/*.run --shown 20 -o p.tsv
    rankprism preferences simulate qrels.txt runs/*.run --draw 3 \\
      --triplets 1000 --seed 1 -o p.tsv
    """
    from rankprism.judging.preferences import draw_profiles

    if complete and call.keywords["triplets"] is not None:
        raise InputError("--complete asks about everything and --triplets about a sample; choose one of them")
    if profiles is not None and draw is not None:
        raise InputError("--profiles names profiles and --draw draws others; choose one of them")
    chosen = profiles if draw is None else draw_profiles(read.absolute, draw, call.keywords["seed"])
    return call(read.collection, profiles=chosen)


# ── experiments ──────────────────────────────────────────────────────────────────────────────────

preferences.add_command(experiment)


@takes(
    written(
        "--save-scores",
        "scores",
        help="Also write the scores of every run and topic, as CSV that `rankprism meta` and `plot` read.",
    )
)
def save_scores(result: Any, scores: Path | None = None) -> None:
    """Write the scores of an experiment that has scores of runs."""
    if scores is not None:
        from rankprism.formats import write_texts

        write_texts({scores: result.scores.to_csv()})


@analysis(
    "judging.preferences.experiments:measure_correlation",
    what="simulating",
    reads=read_weighted_subtopics,
    finish=save_scores,
    of=experiment,
)
def correlation(read: Read, call: Call) -> Any:
    """Compare nPrf with the measures of subtopics.

    Kendall's tau of all browsing models and combinations with alpha-nDCG, ERR-IA and subtopic recall, from
    complete preferences of the TREC profile (Figures 2 and 3, Table 3).

    \b
    rankprism preferences experiment correlation qrels.txt runs/*.run
    """
    return call(read.collection)


@analysis(
    "judging.preferences.experiments:profile_correlation",
    PROFILES,
    MEASURE.but(
        multiple=False,
        default="nPrf@20",
        show_default=True,
        help="The measure of preferences: nPrf or Prf with any parameters.",
    ),
    Option(
        "--other",
        metavar="MEASURE",
        default="alpha_nDCG@20",
        help="The measure of subtopics that it is compared with.",
        completes="complete_measure",
    ),
    what="simulating",
    reads=read_weighted_subtopics,
    finish=save_scores,
    of=experiment,
    name="profiles",
)
def of_profiles(read: Read, call: Call, profiles: str | None, measure: str, other: str) -> Any:
    """Compare nPrf with alpha-nDCG for each profile.

    Kendall's tau for each profile, and for the preferences of all profiles together (Figures 4 and 5).

    \b
    rankprism preferences experiment profiles qrels.txt runs/*.run --draw 3
    """
    return call(read.collection, profiles=profiles, measure=measure, other=other)


@analysis(
    "judging.preferences.experiments:incomplete_correlation",
    PROFILES,
    measures(
        "A measure of preferences: nPrf or Prf with any parameters. Default: "
        "nPrf(browsing='rr',combine='min')@20."
    ),
    what="simulating",
    reads=read_weighted_subtopics,
    leaves=("measures",),
    of=experiment,
)
def incomplete(read: Read, call: Call, profiles: str | None, measure: list[str] | None) -> Any:
    """Compare few judgments with all of them.

    Kendall's tau between the ranking from all preferences and the ranking from a sample (Figure 6).

    \b
    rankprism preferences experiment incomplete qrels.txt runs/*.run \\
      --triplets 100,1000 -m nPrf@20 -m "nPrf(unseen='skip')@20"
    """
    chosen = {"measures": measure} if measure else {}
    return call(read.collection, profiles=profiles, **chosen)
