"""The names of the columns of tables: which name means what, wherever a table comes from.

A name is matched without case, blanks, underscores, hyphens and `#`, without what stands in brackets or says
a type (`user_id:token`), and without what stands before a full stop (`Input.query_id`, `query.qid`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from rankprism.errors import InputError, listed

#: What TREC writes if a topic has no subtopics.
ONLY_ASPECT = "0"


def _sides(first: str, second: str) -> tuple[str, ...]:
    things = ("model", "doc", "document", "item", "option", "system", "candidate")
    return (first, *(f"{thing}_{end}" for end in (first, second) for thing in things))


#: The names of each role of a column, in groups. A name of a later group means the role only if there is no
#: name of an earlier one: the text of a query beside its id is not the topic. Two names of one group are
#: refused.
NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
    "run": (
        ("run", "run_id", "run_name", "run_tag", "system", "system_id", "system_name"),
        ("model", "model_name", "algorithm", "method", "recommender", "experiment"),
        ("tag", "name"),
    ),
    "topic": (
        ("topic", "topic_id", "qid", "query_id", "q_id", "topic_no", "question_id"),
        ("query",),
        ("query_text", "question", "prompt", "user_input"),
        ("user", "user_id", "uid", "customer_id"),
        ("_id",),
    ),
    "aspect": (
        tuple(
            f"{thing}{end}"
            for thing in ("aspect", "subtopic", "intent", "facet", "nugget")
            for end in ("", "_id", "_name")
        ),
        ("category", "genre", "cluster"),
        ("iteration", "iter"),
    ),
    "document": (
        ("docno", "doc", "document_id", "did", "corpus_id"),
        ("doc_id",),
        ("document",),
        ("passage_id", "pid", "chunk_id"),
        ("item", "item_id", "iid", "product_id", "movie_id", "article_id"),
        ("url",),
        ("_id",),
    ),
    "grade": (
        (
            *("grade", "rel", "relevance", "label", "rating", "judgment", "judgement", "qrel", "gain"),
            *("relevancy", "relevant", "is_relevant", "relevance_label", "relevance_grade"),
        ),
        ("event_value", "weight"),
    ),
    "score": (("score", "sim", "similarity", "rsv", "relevance_score"), ("prediction", "est")),
    "rank": (("rank", "position", "doc_position"),),
    "weight": (("weight", "probability", "prob", "aspect_weight", "importance"),),
    "kind": (("intent_type", "kind"),),
    "given": (("given",),),
    "left": (("left",), _sides("a", "1")),
    "right": (("right",), _sides("b", "2")),
    "outcome": (("outcome",), ("winner", "choice", "preferred", "preference"), ("label",)),
    "winner": (("winner", "chosen", "preferred"),),
    "loser": (("loser", "rejected"),),
    "assessor": (
        ("assessor", "assessor_id"),
        ("annotator", "annotator_id", "judge", "rater", "worker", "worker_id", "participant_id", "rated_by"),
    ),
    "time": (("time",), ("timestamp", "tstamp", "date", "datetime")),
    "comment": (("comment", "comments"),),
}

#: The roles of one kind of table only. A column that is named for one of them has to be there.
OWN_ROLES = ("grade", "score", "rank", "weight", "left", "right", "outcome", "winner", "loser")

#: All names of each role, the most certain ones first.
SPELLINGS: dict[str, tuple[str, ...]] = {
    role: tuple(name for group in groups for name in group) for role, groups in NAMES.items()
}

#: The users of a recommender are its topics.
USER = NAMES["topic"][3]
#: The key of a row in a database.
_KEY = "_id"
#: A score is a grade only in the judgments of BEIR and MTEB, whose documents are called so.
GRADED_BY_SCORE = "corpus_id"
#: What an aspect of quality may be called. Two or more of these columns are the aspects of a table.
QUALITIES = (
    *("relevance", "usefulness", "useful", "credibility", "correctness", "understandability", "readability"),
    *("supportiveness", "efficacy", "trustworthiness", "trust", "quality", "misinformation", "harmfulness"),
    *("helpfulness", "completeness", "accuracy", "novelty", "freshness", "authority"),
)
#: Names that mean something else than a grade where a table of judgments has a grade.
_OTHER = (
    *("rank", "position", "doc_position", "score", "prediction", "confidence", "probability", "prob"),
    *("weight", "query", "text", "title", "url", "length", "doc_length", "index", "id", "split", "lang"),
    *("source", "lead_time", "model", "name", "run", "system", "status", "comment", "turn", "price"),
)
#: The end of a name that says what a number means: the id of something, or a time.
_OTHER_ENDS = ("id", "at", "time", "timestamp", "date", "seconds", "number")

_PREFIX = re.compile(r"^(.*\.(?=[^.]+$)|(input|output):)", re.IGNORECASE)
_TYPE = re.compile(r":(token|float|token_seq|float_seq)$|\s*\([^()]*\)$", re.IGNORECASE)

#: The columns of a table of judgments and of a table of runs, and which of them may be missing.
JUDGMENT_COLUMNS = ("topic", "aspect", "document", "grade"), ("aspect",)

RUN_COLUMNS = ("run", "topic", "document", "score", "rank"), ("run", "rank")


@cache
def plain(name: str) -> str:
    """The name by which a column is looked up.

    >>> [plain(name) for name in ("Query ID", "user_id:token", "Input.doc_id", "Rating (0-3)", "_id")]
    ['queryid', 'userid', 'docid', 'rating', '_id']
    """
    short = _TYPE.sub("", _PREFIX.sub("", name.strip()))
    return short.casefold() if short.casefold() == _KEY else re.sub(r"[\s_#-]", "", short).casefold()


@cache
def plain_names(role: str) -> frozenset[str]:
    """The names of a role as `plain` gives them."""
    return frozenset(map(plain, SPELLINGS[role]))


@cache
def _is_other(name: str) -> bool:
    return (
        name in set(map(plain, _OTHER))
        or any(name in plain_names(role) for role in ("assessor", "time", "comment", "aspect"))
        or name.endswith(_OTHER_ENDS)
    )


def means_something_else(name: str) -> bool:
    """Whether a column beside a grade is known to be no grade. `0` and `Q0` stand in TREC's second column.

    >>> means_something_else("worker"), means_something_else("clicks")
    (True, False)
    """
    return plain(name) in ("", "0", "q0") or _is_other(plain(name))


def is_quality(name: str) -> bool:
    """Whether this is the name of an aspect of which documents have grades."""
    return plain(name) in _qualities()


@cache
def _qualities() -> frozenset[str]:
    return frozenset(map(plain, QUALITIES))


def has(names: Iterable[str], *roles: str) -> bool:
    """Whether some columns can play all of these roles.

    >>> has(["Query ID", "docno", "rel"], "topic", "document"), has(["qid", "rel"], "document")
    (True, False)
    """
    found = set(map(plain, names))
    return all(not found.isdisjoint(plain_names(role)) for role in roles)


def spelled(
    columns: Sequence[str],
    expected: tuple[str, ...],
    optional: tuple[str, ...],
    where: str,
    given: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Find the columns of a table by their common spellings.

    given : the columns that the user has named, by role; "-" says that there is none.
    """
    columns = [str(column) for column in columns]
    named = {role: name for role, name in (given or {}).items() if role in expected}
    for role, name in named.items():
        if (
            role in OWN_ROLES
            and name not in columns
            and name != "-"
            and name.removeprefix("-") not in columns
        ):
            raise InputError(f"{where}: there is no column {name!r}; there are {listed(columns, 12)}")
    chosen = {role: name for role, name in named.items() if name in columns}
    for role in expected:
        if role in chosen or named.get(role) == "-":
            continue
        taken = set(chosen.values())
        free = [column for column in columns if column not in taken]
        groups = NAMES[role]
        if role == "grade" and plain(GRADED_BY_SCORE) in map(plain, columns):
            groups = (*groups, ("score",))
        found = _first_group(role, groups, free, where)
        if found is not None:
            chosen[role] = found
        elif role not in optional:
            raise InputError(missing(columns, role, chosen, where))
    return {role: chosen[role] for role in expected if role in chosen}


def _first_group(
    role: str, groups: Sequence[Sequence[str]], columns: Sequence[str], where: str
) -> str | None:
    """The column that has the best name for a role."""
    spellings = {plain(column): column for column in reversed(columns)}
    alike = [plain(column) for column in columns]
    for group in groups:
        meant = list(dict.fromkeys(plain(name) for name in group if plain(name) in spellings))
        if len(meant) > 1:
            both = " and ".join(repr(spellings[name]) for name in meant[:2])
            raise InputError(
                f"{where}: the columns {both} can both be the {role}; say which one it is with "
                f"{option({role: spellings[meant[0]]})}"
            )
        if meant and alike.count(meant[0]) > 1:
            raise InputError(
                f"{where}: {alike.count(meant[0])} columns are called {spellings[meant[0]]!r} (upper and "
                f"lower case do not matter); keep one of them, or rename the others"
            )
        if meant:
            return spellings[meant[0]]
    return None


def missing(columns: Sequence[str], role: str, chosen: Mapping[str, str], where: str) -> str:
    """A message that a column is missing: the columns, what they were taken for, and an option that helps."""
    taken = {name: found for found, name in chosen.items()}
    shown = [f"{name} ({taken[name]})" if name in taken else name or "''" for name in columns]
    left = [name for name in columns if name and name not in taken]
    near = next((name for name in left if any(part in plain(name) for part in _parts(role))), None)
    offered = near or next((name for name in left if not _known(name)), left[0] if left else "NAME")
    names = ", ".join(name for name in SPELLINGS[role] if name != _KEY)
    return (
        f"{where}: no {role} column among {listed(shown, 12)}; name it with {option({role: offered})}, or "
        f"call it one of {names}"
    )


def _known(name: str) -> bool:
    return any(plain(name) in plain_names(role) for role in NAMES)


def _parts(role: str) -> set[str]:
    """Parts of names by which a column is a likely candidate for a role."""
    return {plain(name) for name in SPELLINGS[role] if len(plain(name)) > 3}


def option(columns: Mapping[str, str]) -> str:
    """The option that says which column is which, ready to be pasted.

    >>> option({"topic": "user", "grade": "my stars"})
    "--columns 'topic=user,grade=my stars'"
    """
    text = ",".join(f"{role}={name}" for role, name in columns.items())
    return f"--columns {text}" if re.fullmatch(r"[\w.,=@:/-]+", text) else f"--columns '{text}'"
