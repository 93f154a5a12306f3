"""The record of what scores were computed from, which is stored with them and read again.

It has a digest of the judgments of each topic, the settings that differ from the defaults, the definition of
each measure and the version of the program. `differences` says why scores with several records should not
be analysed together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rankprism.data import Note
from rankprism.errors import InputError, enumerated
from rankprism.text import quoted

if TYPE_CHECKING:
    from rankprism.data import Judgments, Preferences
    from rankprism.measures import Measure

Value = TypeVar("Value")

#: The names of conventions and record in the metadata of a Parquet file, and that of the record in JSON.
ABOUT, PARQUET, JSON = b"rankprism", b"rankprism.record", "record"
#: The default of each setting. A setting of another name has no default: it is recorded if it was given.
DEFAULTS = {"order": "score", "topics": "judged", "duplicates": "error"}
_NOTHING: Mapping[str, Any] = MappingProxyType({})
#: What `Record.mixed` calls runs whose rankings differ in depth.
DEPTH = "depth"
_VERSION = 1  #: of the form in which records are stored


class Later(Mapping[str, Value]):
    """A mapping that is computed when somebody looks into it, because most scores are never stored."""

    def __init__(self, make: Callable[[], Mapping[str, Value]]) -> None:
        self._make: Callable[[], Mapping[str, Value]] | None = make
        self._made: Mapping[str, Value] = {}

    def _all(self) -> Mapping[str, Value]:
        if self._make is not None:
            self._made = self._make()
            self._make = None  # with the judgments that it holds
        return self._made

    def __getitem__(self, name: str) -> Value:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self._all()),)


class Record(NamedTuple):
    """What scores were computed from. Scores with equal records may be analysed together."""

    #: digests by topic, for each kind of data: "judgments", "aspects" (if they have weights or other settings
    #: of their own) and "preferences"
    data: Mapping[str, Mapping[str, str]] = _NOTHING
    #: the settings that differ from the defaults, see `DEFAULTS`
    settings: Mapping[str, str] = _NOTHING
    #: the definition of each measure
    measures: Mapping[str, str] = _NOTHING
    version: str = ""  #: of rankprism; empty means this one, whose number takes long to look up
    #: what differs between scores that were put together nevertheless, such as "judgments" and "order"
    mixed: tuple[str, ...] = ()
    #: the median number of documents for a topic of each run
    depths: Mapping[str, float] = _NOTHING

    @classmethod
    def of(
        cls,
        sources: Iterable[Judgments | Preferences],
        measures: Mapping[str, Measure],
        settings: Mapping[str, str],
        depths: Mapping[str, float] = _NOTHING,
    ) -> Record:
        """The record of scores that were computed now. The digests are computed when they are needed.

        measures : the measure of each column of the scores.
        """
        data = Later(partial(_digests, tuple(sources)))
        return cls(data, dict(settings), Later(partial(_definitions, dict(measures))), depths=dict(depths))

    @property
    def written_by(self) -> str:
        """The version of rankprism."""
        if self.version:
            return self.version
        from rankprism import __version__

        return str(__version__)

    def setting(self, **more: str) -> Record:
        """The same record with more settings."""
        return self._replace(settings={**self.settings, **more})

    def mixing(self, what: str) -> Record:
        """The same record of scores that differ in one more respect."""
        return self._replace(mixed=tuple(dict.fromkeys((*self.mixed, what))))

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values, for JSON."""
        return {
            "version": _VERSION,
            "data": {kind: dict(topics) for kind, topics in self.data.items()},
            "settings": dict(self.settings),
            "measures": dict(self.measures),
            "rankprism": self.written_by,
            # Other runs may be read with these, so whether depths differ is decided then.
            **({"mixed": mixed} if (mixed := [what for what in self.mixed if what != DEPTH]) else {}),
            **({"depths": dict(self.depths)} if self.depths else {}),
        }

    @classmethod
    def from_dict(cls, found: Any, source: str) -> Record:
        """The record that a file holds. `source` is its name in messages."""
        try:
            if found["version"] != _VERSION:
                raise InputError(
                    f"{source}: a newer rankprism has recorded what the scores were computed from; read the "
                    f"file with that version, or score again"
                )
            data = {str(kind): _texts(topics) for kind, topics in found["data"].items()}
            settings, measures = _texts(found["settings"]), _texts(found["measures"])
            mixed = tuple(map(str, found.get("mixed", ())))
            depths = {str(run): float(depth) for run, depth in found.get("depths", {}).items()}
            return cls(data, settings, measures, str(found["rankprism"]), mixed, depths)
        except (KeyError, TypeError, AttributeError, ValueError):
            raise InputError(
                f"{source}: the record of what the scores were computed from is damaged; score again"
            ) from None


class Difference(NamedTuple):
    """Why the scores of several sources should not be analysed together."""

    what: str  #: "judgments", "preferences", "aspects", the name of a setting, or "definition of …"
    message: str  #: what differs, and in which sources


def differences(records: Mapping[str, Record | None]) -> list[Difference]:
    """What differs between scores, given the record of each of their sources; None if it has none.

    Judgments are compared topic by topic, so that parts of a collection with judgments of their own may stand
    together. Another version of the program is not a difference.

    >>> one, two = Record({"judgments": {"q1": "ab"}}), Record({"judgments": {"q1": "cd", "q2": "ef"}})
    >>> [found.message for found in differences({"one.parquet": one, "two.parquet": two})]
    ["the judgments differ on topic 'q1' between one.parquet and two.parquet"]
    """
    known = {source: record for source, record in records.items() if record is not None}
    found = []
    for kind in dict.fromkeys(kind for record in known.values() for kind in record.data):
        first: dict[str, tuple[str, str]] = {}  # digest and source
        differing: dict[str, tuple[str, str]] = {}
        for source, record in known.items():
            for topic, digest in record.data.get(kind, _NOTHING).items():
                before, where = first.setdefault(topic, (digest, source))
                if before != digest:
                    differing.setdefault(topic, (where, source))
        if differing:
            example, pair = next(iter(differing.items()))
            words = "the weights of aspects" if kind == "aspects" else f"the {kind}"
            of = (
                f"on topic {quoted(example)}"
                if len(differing) == 1
                else f"on {len(differing)} topics, such as {quoted(example)},"
            )
            found.append(Difference(kind, f"{words} differ {of} between {' and '.join(pair)}"))
    return found + differences_of_settings(records, of_collection=True)


#: The settings that are options of `rankprism evaluate`.
OPTIONS = ("order", "topics", "duplicates", "run_depth", "tied", "bounds", "weights", "aspects", "labels")
#: The settings that belong to a collection, as its judgments do.
OF_COLLECTION = ("weights", "aspects", "labels")


def differences_of_settings(
    records: Mapping[str, Record | None], *, of_collection: bool = False
) -> list[Difference]:
    """What differs between the settings of scores and the definitions of their measures.

    of_collection : whether the settings that every collection has of its own count, too.
    """
    known = {source: record for source, record in records.items() if record is not None}
    found: list[Difference] = []
    for name in dict.fromkeys(name for record in known.values() for name in record.settings):
        if name in OF_COLLECTION and not of_collection:
            continue
        values = {source: _setting(record, name) for source, record in known.items()}
        found += _unequal(name, f"{name} is", values)
    for name in dict.fromkeys(name for record in known.values() for name in record.measures):
        values = {s: record.measures[name] for s, record in known.items() if name in record.measures}
        found += _unequal(f"definition of {name}", "a measure is", values)
    return found


def _setting(record: Record, name: str) -> str:
    return record.settings.get(name, DEFAULTS.get(name, "not set"))


def _unequal(what: str, words: str, values: Mapping[str, str]) -> list[Difference]:
    """The difference between the values of one setting, if there is one."""
    sources: dict[str, str] = {}
    for source, value in values.items():
        sources.setdefault(value, source)
    if len(sources) < 2:
        return []
    said = " and ".join(f"{value} ({source})" for value, source in list(sources.items())[:2])
    return [Difference(what, f"{words} {said}")]


class Together(NamedTuple):
    """The record of scores from several sources, and what a reader should know."""

    record: Record | None
    notes: tuple[Note, ...] = ()


def together(records: Mapping[str, Record | None], mixed: bool = False) -> Together:
    """The record of the scores of several sources, after a check that they may be analysed together.

    mixed : go on if they may not. The record then says what is mixed.
    """
    known = {source: record for source, record in records.items() if record is not None}
    if len(records) == 1 or not known:
        return Together(next(iter(records.values()), None))
    found = differences(records)
    refuse_unless(mixed, found)
    what = dict.fromkeys(what for record in known.values() for what in record.mixed)
    what |= dict.fromkeys(one.what for one in found)
    data: dict[str, dict[str, str]] = {}
    settings: dict[str, str] = {}
    measures: dict[str, str] = {}
    names = {name for record in known.values() for name in record.settings}
    for record in known.values():
        for kind, topics in record.data.items():
            _join(data.setdefault(kind, {}), topics)
        _join(measures, record.measures)
        _join(settings, {name: _setting(record, name) for name in names})
    version = ", ".join(sorted({record.written_by for record in known.values()}))
    depths = {run: depth for record in known.values() for run, depth in record.depths.items()}
    record = Record(data, settings, measures, version, tuple(what), depths)
    return Together(record, tuple(_notes(records, known, found)))


def refuse_unless(mixed: bool, found: Sequence[Difference]) -> None:
    """Refuse scores that differ, unless the user wants to mix them."""
    if found and not mixed:
        raise InputError(
            f"these scores do not belong together: {'; '.join(one.message for one in found)}. Score all runs "
            f"again with {_remedy(found)}, or add --mixed to go on (in Python: mixed=True)"
        )


def _remedy(found: Sequence[Difference]) -> str:
    """What has to be the same when scores are computed again.

    >>> _remedy([Difference("judgments", "…"), Difference("run_depth", "…")])
    'the same judgments and the same --run-depth'
    """
    same = []
    for what in dict.fromkeys(one.what.partition(" ")[0] for one in found):
        if what in OPTIONS:
            same.append(f"the same --{what.replace('_', '-')}")
        else:
            same.append("the same " + {"definition": "measures", "files": "judgments"}.get(what, what))
    return enumerated(same)


def mixed_sentence(about: Mapping[str, Any]) -> str:
    """What a caption says of scores that were mixed, given what a result was computed from; mostly nothing.

    >>> mixed_sentence({"scores": {"mixed": ["judgments", "order"]}})
    'Mixed scores, which differ in judgments and order.'
    """
    scores = about.get("scores", about)
    several = scores.get("collections", {}) if isinstance(scores, Mapping) else {}
    found = [one.get("mixed", ()) for one in (about, scores, *several.values()) if isinstance(one, Mapping)]
    what = list(dict.fromkeys(what for some in found for what in some))
    return f"Mixed scores, which differ in {enumerated(what)}." if what else ""


def _join(into: dict[str, str], more: Mapping[str, str]) -> None:
    """Add values. Two that differ become one, which equals neither."""
    for name, value in more.items():
        before = into.setdefault(name, value)
        if value not in before.split(" | "):
            into[name] = f"{before} | {value}"


def mixed_note(found: Sequence[Difference]) -> Note:
    """The note on scores that differ and were mixed nevertheless."""
    message = f"scores that do not belong together are mixed: {'; '.join(one.message for one in found)}"
    return Note("mixed", message, len(found), found[0].what)


def _notes(
    records: Mapping[str, Record | None], known: Mapping[str, Record], found: Sequence[Difference]
) -> Iterator[Note]:
    if found:
        yield mixed_note(found)
    yield from unrecorded(records)
    versions = {record.written_by: source for source, record in known.items()}
    if len(versions) > 1:
        said = ", ".join(f"{version} ({source})" for version, source in versions.items())
        yield Note(
            "versions", f"the scores are from different versions of rankprism: {said}", len(versions), said
        )


def unrecorded(records: Mapping[str, Record | None]) -> Iterator[Note]:
    """A note on sources that record nothing, beside others that do."""
    unknown = [source for source, record in records.items() if record is None]
    if unknown and len(unknown) < len(records):
        number = f"{len(unknown)} of {len(records)} sources of scores do"
        yield Note(
            "unrecorded",
            f"{number if len(unknown) > 1 else f'{unknown[0]} does'} not record which judgments and settings "
            f"the scores were computed from, so it is not known whether they belong with the others",
            len(unknown),
            unknown[0],
        )


def _texts(found: Mapping[Any, Any]) -> dict[str, str]:
    if not all(isinstance(x, str) for pair in found.items() for x in pair):
        raise ValueError
    return dict(found)


def _digests(sources: tuple[Judgments | Preferences, ...]) -> dict[str, Mapping[str, str]]:
    from rankprism.results.digests import digests

    return digests(sources)


def _definitions(measures: Mapping[str, Measure]) -> dict[str, str]:
    from rankprism.measures import definition_of

    return {column: definition_of(measure) for column, measure in measures.items()}
