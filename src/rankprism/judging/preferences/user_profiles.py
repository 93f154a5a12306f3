"""Profiles: which subtopics of a topic a kind of user cares about, and how much.

One visitor to India looks for visas and for hotels, a student looks for history. Both type the same query. A
file of profiles has a line for each subtopic that a profile cares about::

    10 visitor 1 1
    10 visitor 3 0.5
    10 student 2 1

The columns are topic, profile, subtopic and weight; without the last one the weight is 1.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankprism._core import JudgmentTable, parse_number
from rankprism.data import LARGEST, Judgments, Note, issue, some
from rankprism.errors import InputError, listed
from rankprism.formats import files, joined, number_text
from rankprism.formats import weights as weighting
from rankprism.formats.judged import check_ids

#: The profile that cares about all subtopics alike (Chandar and Carterette 2013, Section 4.2).
TREC = "trec"
COLUMNS = ("topic", "profile", "subtopic", "weight")


@dataclass(frozen=True, eq=False)
class Profiles:
    """What the profiles of each topic care about.

    Made by `read_profiles`, `draw_profiles` and `trec_profile`.
    """

    #: topic, profile, subtopic: the weight, which is above 0. Profiles are in the order of their names.
    weights: Mapping[str, Mapping[str, Mapping[str, float]]] = field(repr=False)
    source: str = "profiles"
    #: where each topic, profile and subtopic was read, for messages
    places: Mapping[tuple[str, str, str], str] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all profiles. A topic need not have all of them."""
        return tuple(sorted({name for profiles in self.weights.values() for name in profiles}))

    def __repr__(self) -> str:
        return f"<Profiles {self.source}: {listed(self.names)} of {len(self.weights)} topics>"

    def lines(self) -> str:
        """The profiles as the text of a file that `read_profiles` reads."""
        check_ids(self.source, "topic", self.weights, "profiles")
        check_ids(self.source, "profile", self.names, "profiles")
        return joined(
            f"{topic} {profile} {subtopic} {number_text(weight)}"
            for topic, profiles in self.weights.items()
            for profile, subtopics in profiles.items()
            for subtopic, weight in subtopics.items()
        )


def read_profiles(source: Any) -> Profiles:
    """Profiles from a file, from rows, or from a mapping.

    Parameters
    ----------
    source
        A path to lines of ``topic profile subtopic weight`` ("-" is standard input; .gz, .bz2, .xz and .zst
        are unpacked); an iterable of such rows; or ``{topic: {profile: {subtopic: weight}}}``. A weight may
        be missing in lines and rows. It is then 1.

    Examples
    --------
    >>> read_profiles([("10", "visitor", "1"), ("10", "visitor", "3", 0.5), ("10", "student", "2")])
    <Profiles profiles: student, visitor of 1 topics>
    """
    if isinstance(source, Profiles):
        return source
    if isinstance(source, str | os.PathLike):
        name = files.source_name(source)
        lines = files.opened(source).lines()
        rows = ((f"{name}, line {number}", files.columns(line)) for number, line in lines)
        return _made(name, ((where, row) for where, row in rows if tuple(row) != COLUMNS))
    if isinstance(source, Mapping):
        source = [
            (topic, profile, subtopic, weight)
            for topic, profiles in source.items()
            for profile, subtopics in profiles.items()
            for subtopic, weight in subtopics.items()
        ]
    if not isinstance(source, Iterable):
        raise InputError(
            f"profiles cannot be read from {type(source).__name__} objects; pass a path, rows or a mapping"
        )
    return _made("profiles", ((f"profiles, row {number}", list(row)) for number, row in enumerate(source, 1)))


def _made(source: str, rows: Iterable[tuple[str, list[Any]]]) -> Profiles:
    places: dict[tuple[str, str, str], str] = {}
    weights: dict[str, dict[str, dict[str, float]]] = {}
    for where, row in rows:
        if len(row) not in (3, 4):
            raise InputError(
                f"{where}: expected 3 or 4 columns, topic profile subtopic weight; found {len(row)}"
            )
        topic, profile, subtopic = (str(cell) for cell in row[:3])
        weight = _weight(where, row[3] if len(row) == 4 else 1)
        first = places.setdefault((topic, profile, subtopic), where)
        if first != where:
            raise InputError(
                f"{where}: subtopic {subtopic!r} of topic {topic!r} is in profile {profile!r} already, at "
                f"{first}; keep one of them"
            )
        weights.setdefault(topic, {}).setdefault(profile, {})[subtopic] = weight
    if not weights:
        raise InputError(f"{source}: there are no profiles in it; expected lines of {' '.join(COLUMNS)}")
    # By name, so that the order of the lines does not matter to anybody who draws random numbers.
    return Profiles(
        {
            topic: {name: dict(sorted(profiles[name].items())) for name in sorted(profiles)}
            for topic, profiles in sorted(weights.items())
        },
        source,
        places,
    )


def _weight(where: str, given: Any) -> float:
    weight = parse_number(given) if isinstance(given, str) else given
    is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
    if weight is None or not is_number or not 0 < weight <= LARGEST:
        raise InputError(
            f"{where}: the weight must be a number above 0 and up to {LARGEST:,}; got "
            f"{given!r}; leave out subtopics that the profile does not care about"
        )
    return float(weight)


def trec_profile(judgments: Judgments) -> Profiles:
    """The user who cares about every subtopic alike, of every topic with a relevant document."""
    wanted = _relevant_subtopics(judgments)
    return Profiles(
        {topic: {TREC: dict.fromkeys(subtopics, 1.0)} for topic, subtopics in wanted.items() if subtopics},
        "the TREC profile",
    )


def draw_profiles(judgments: Judgments, number: int = 3, seed: int = 0) -> Profiles:
    """Draw `number` random profiles for each topic, named p1, p2, ….

    A profile is a subset of the topic's subtopics that have a relevant document, each subset but the empty
    one with the same chance. Two profiles of a topic differ as long as there are enough subsets: a topic with
    one subtopic has the same profile each time. What is drawn for a topic depends only on its name, its
    subtopics and the seed.
    """
    if number < 1:
        raise InputError(f"the number of profiles to draw must be at least 1; got {number}")
    drawn: dict[str, dict[str, dict[str, float]]] = {}
    for topic, subtopics in _relevant_subtopics(judgments).items():
        if not subtopics:
            continue
        ordered, rng = sorted(subtopics), topic_generator(seed, topic)
        sets: list[frozenset[str]] = []
        while len(sets) < number:
            one = frozenset(
                s for s, is_in in zip(ordered, rng.random(len(ordered)) < 0.5, strict=True) if is_in
            )
            if one and (one not in sets or len(set(sets)) == 2 ** len(ordered) - 1):
                sets.append(one)
        drawn[topic] = {f"p{i}": dict.fromkeys(sorted(one), 1.0) for i, one in enumerate(sets, 1)}
    return Profiles(drawn, f"{number} profiles per topic drawn with seed {seed}")


def topic_generator(seed: int, topic: str, *what: int) -> np.random.Generator:
    """The random numbers of one topic, which do not depend on the other topics or their order."""
    return np.random.default_rng([seed, *what, *topic.encode()])


def _relevant_subtopics(judgments: Judgments) -> dict[str, tuple[str, ...]]:
    has_relevant = iter(weighting.relevant_aspects(judgments).tolist())
    return {
        topic: tuple(aspect for aspect in aspects if next(has_relevant))
        for topic, aspects in judgments.aspects.items()
    }


def fitted(profiles: Profiles, judgments: Judgments) -> Profiles:
    """The profiles in the order of the judged topics. What they name has to be judged."""
    known = judgments.aspects
    for topic, by_name in profiles.weights.items():
        for profile, subtopics in by_name.items():
            for subtopic in subtopics:
                if subtopic not in known.get(topic, ()):
                    where = profiles.places.get((topic, profile, subtopic), profiles.source)
                    has = f"which has {listed(known[topic])}" if topic in known else "which is not judged"
                    raise InputError(
                        f"{where}: profile {profile!r} names subtopic {subtopic!r} of topic {topic!r}, {has} "
                        f"in {judgments.source}; correct the line or remove it"
                    )
    return replace(
        profiles, weights={topic: profiles.weights[topic] for topic in known if topic in profiles.weights}
    )


def note_topics_without(profiles: Profiles, judgments: Judgments) -> None:
    """Say which judged topics have no profile, and are therefore left out."""
    missing = [topic for topic in judgments.topics if topic not in profiles.weights]
    if missing:
        message = (
            f"{profiles.source}: {len(missing)} judged topics have no profile and are left out: "
            f"{some(missing)}"
        )
        issue([Note("topics-without-profile", message, len(missing), missing[0])])


def restrict(judgments: Judgments, profiles: Profiles, profile: str) -> Judgments:
    """What is left of judgments for somebody with a profile: its subtopics, with its weights.

    Topics that do not have the profile are left out. If all of its subtopics weigh alike, the judgments have
    no weights, like any others.
    """
    if profile not in profiles.names:
        raise InputError(
            f"{profiles.source}: no profile is named {profile!r}; there are {listed(profiles.names)}"
        )
    note_topics_without(profiles, judgments)
    wanted = {
        topic: by_name[profile]
        for topic, by_name in fitted(profiles, judgments).weights.items()
        if profile in by_name
    }
    topics, aspects, docs, grades = judgments.table.columns()
    kept = [i for i, topic in enumerate(topics) if topic in wanted and aspects[i] in wanted[topic]]
    table = JudgmentTable.from_columns(
        judgments.source,
        [topics[i] for i in kept],
        [aspects[i] for i in kept],
        [docs[i] for i in kept],
        grades[kept],
    )
    found = Judgments(table, f"{judgments.source}, profile {profile}")
    subtopics = [(topic, aspect) for topic, names in found.aspects.items() for aspect in names]
    if judgments.navigational is not None:
        every = [(topic, aspect) for topic, names in judgments.aspects.items() for aspect in names]
        kind = dict(zip(every, judgments.navigational.tolist(), strict=True))
        found = replace(found, navigational=np.array([kind[one] for one in subtopics]))
    if all(len(set(weights.values())) == 1 for weights in wanted.values()):
        return found
    return replace(found, weights=np.array([wanted[topic][aspect] for topic, aspect in subtopics]))
