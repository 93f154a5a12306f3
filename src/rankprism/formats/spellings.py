"""The names of the columns of tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rankprism.errors import InputError, listed

#: What TREC writes if a topic has no subtopics.
ONLY_ASPECT = "0"

_TOPIC = (
    "topic",
    "topic_id",
    "qid",
    "query_id",
    "q_id",
    "queryid",
    "topicid",
    "query-id",
    "topic_no",
    "query",
)
_DOC = (
    "doc",
    "doc_id",
    "docno",
    "docid",
    "document",
    "document_id",
    "did",
    "corpus-id",
    "corpus_id",
    "doc-id",
)
_SCORE = ("score", "sim", "similarity", "rsv")
#: In recommender systems, users are topics, and items are documents.
USER = ("user", "user_id", "userid")
_ITEM = ("item", "item_id", "itemid")
#: The key of a row in a database.
_KEY = "_id"

#: The common spellings of a column, the most certain ones first.
SPELLINGS: dict[str, tuple[str, ...]] = {
    "run": ("run", "run_id", "runid", "system", "system_id"),
    "topic": (*_TOPIC, *USER, _KEY),
    "aspect": ("aspect", "aspect_id", "subtopic", "subtopic_id", "intent", "intent_id", "iteration", "iter"),
    "doc": (*_DOC, *_ITEM, _KEY),
    "grade": ("grade", "rel", "relevance", "label", "rating", "judgment", "judgement", "qrel", "gain"),
    "score": (*_SCORE, "prediction"),
    "rank": ("rank", "position"),
    "weight": ("weight", "probability", "prob", "aspect_weight", "importance"),
    "kind": ("intent_type", "kind"),
}

#: A score is a grade only in the judgments of BEIR and MTEB, whose documents are called so.
_GRADED_BY_SCORE = ("corpus-id", "corpus_id")

#: Columns that mean something else if the table also has one of these others: the text of a query or of a
#: document, PyTerrier's number of a document beside its id, TREC's column of zeros, the user who asked, the
#: key of the row, and the score beside a grade. Any other two spellings of one column are refused.
_BESIDE: dict[str, tuple[str, ...]] = {
    "query": _TOPIC,
    "document": _DOC,
    "docid": ("docno",),
    "iteration": SPELLINGS["aspect"],
    "iter": SPELLINGS["aspect"],
    **dict.fromkeys(USER, _TOPIC),
    **dict.fromkeys(_ITEM, _DOC),
    _KEY: (*SPELLINGS["topic"], *SPELLINGS["doc"]),
    "score": SPELLINGS["grade"],
    "prediction": _SCORE,
}

#: The columns of a table of judgments and of a table of runs, and which of them may be missing.
JUDGMENT_COLUMNS = ("topic", "aspect", "doc", "grade"), ("aspect",)

RUN_COLUMNS = ("run", "topic", "doc", "score", "rank"), ("run", "rank")


def spelled(
    columns: Sequence[str], expected: tuple[str, ...], optional: tuple[str, ...], where: str
) -> dict[str, str]:
    """Find the columns of a table by their common spellings."""
    by_name = {str(column).casefold(): column for column in columns}
    alike = Counter(str(column).casefold() for column in columns)
    chosen: dict[str, str] = {}
    for column in expected:
        spellings = SPELLINGS[column]
        if column == "grade" and not by_name.keys().isdisjoint(_GRADED_BY_SCORE):
            spellings = (*spellings, "score")
        found = [s for s in spellings if s in by_name and by_name[s] not in chosen.values()]
        meant = [s for s in found if not any(s != other and other in _BESIDE.get(s, ()) for other in found)]
        if len(meant) > 1:
            both = " and ".join(repr(str(by_name[s])) for s in meant[:2])
            raise InputError(
                f"{where}: the columns {both} can both be the {column}; keep the right one, and drop or "
                f"rename the other"
            )
        spelling = meant[0] if meant else None
        if spelling is not None and alike[spelling] > 1:
            raise InputError(
                f"{where}: {alike[spelling]} columns are called {spelling!r} (upper and lower case do not "
                f"matter); keep one of them, or rename the others"
            )
        if spelling is not None:
            chosen[column] = by_name[spelling]
        elif column not in optional:
            raise InputError(
                f"{where}: no {column} column among {listed(map(str, columns))}; "
                f"name it one of {', '.join(spelling for spelling in spellings if spelling != _KEY)}"
            )
    return chosen
