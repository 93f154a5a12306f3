"""The names of the columns of tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rankprism.errors import InputError, listed

#: What TREC writes if a topic has no subtopics.
ONLY_ASPECT = "0"

#: The common spellings of a column, the most certain ones first.
SPELLINGS: dict[str, tuple[str, ...]] = {
    "run": ("run", "run_id", "runid", "system", "system_id"),
    "topic": (
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
    ),
    "aspect": ("aspect", "aspect_id", "subtopic", "subtopic_id", "intent", "intent_id", "iteration", "iter"),
    "doc": (
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
    ),
    "grade": ("grade", "rel", "relevance", "label", "rating", "judgment", "judgement", "qrel", "gain"),
    "score": ("score", "sim", "similarity", "rsv"),
    "rank": ("rank", "position"),
    "weight": ("weight", "probability", "prob", "aspect_weight", "importance"),
    "kind": ("intent_type", "kind"),
}

#: Columns that mean something else if the table also has one of these others: the text of a query or of a
#: document, PyTerrier's number of a document beside its id, and TREC's column of zeros. Any other two
#: spellings of one column are refused.
_BESIDE: dict[str, tuple[str, ...]] = {
    "query": SPELLINGS["topic"],
    "document": SPELLINGS["doc"],
    "docid": ("docno",),
    "iteration": SPELLINGS["aspect"],
    "iter": SPELLINGS["aspect"],
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
    chosen = {}
    for column in expected:
        found = [s for s in SPELLINGS[column] if s in by_name]
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
                f"name it one of {', '.join(SPELLINGS[column])}"
            )
    return chosen
