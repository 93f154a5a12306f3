"""Where the runs rank the documents that somebody may judge, and random numbers of these documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from rankprism.data import Alignment, Floats, Longs, Note, issue, some
from rankprism.errors import InputError
from rankprism.judging.judges.labels import Labels

if TYPE_CHECKING:
    from rankprism.judging.judges.effects import Lists


@dataclass(frozen=True, eq=False)
class Ranked:
    """The pairs of a pool, at their ranks in each run: an entry for each run and pair."""

    runs: tuple[str, ...]
    run: Longs
    pair: Longs
    rank: Longs
    length: Longs  #: (run, topic) number of documents retrieved
    #: what `effects.lists_of` found, by cutoff
    lists: dict[int | None, list[Lists]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, labels: Labels, aligned: Mapping[str, Alignment]) -> Ranked:
        """Find the pairs in runs that are joined with `Labels.pairs`."""
        run, pair, rank = [], [], []
        for r, found in enumerate(aligned.values()):
            topic = np.repeat(np.arange(len(labels.topics)), np.diff(found.start))
            run.append(np.full(len(topic), r))
            pair.append(labels.start[topic] + found.doc)
            rank.append(found.rank.astype(np.int64))
        length = np.stack([found.length for found in aligned.values()]).astype(np.int64)
        return cls(
            tuple(aligned),
            np.concatenate(run),
            np.concatenate(pair),
            np.concatenate(rank),
            length,
        )

    @cached_property
    def about_pairs(self) -> Any:
        """(pair, 3): log(1 + x) of the runs that have it in the first 10 and 100, and of Σ 1/rank."""
        number = int(self.pair.max(initial=-1)) + 1

        def summed(weight: Any) -> Floats:
            return np.log1p(np.bincount(self.pair, weight, number))

        return np.stack([summed(self.rank <= 10), summed(self.rank <= 100), summed(1 / self.rank)], axis=1)


def check_shared(labels: Labels, ranked: Ranked) -> None:
    """Refuse a judge that has labelled nothing that runs rank, and note topics that no run has.

    Such a judge is of another collection. Its topics would be part of the pool, and runs score 0 there.
    """
    seen = np.zeros(len(labels.docs), dtype=bool)
    seen[ranked.pair] = True
    for name, given in labels.judges.items():
        if np.isnan(given[seen]).all():
            raise InputError(
                f"judge {name!r} has labelled no document that a run ranks; check that it belongs to the "
                f"same collection and spells topics and documents alike"
            )
    empty = [topic for topic, length in zip(labels.topics, ranked.length.sum(0), strict=True) if not length]
    if empty:
        text = (
            f"no run has documents for {len(empty)} of {len(labels.topics)} topics of the pool, so all runs "
            f"score 0 there: {some(empty)}; to leave such topics out, name a pool without them with pool= "
            f"(--pool-of)"
        )
        issue([Note("topics-without-runs", text, len(empty), empty[0])])


def hashes(labels: Labels) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A number of 64 bits for each pair, which depends only on its topic and document."""
    topics = labels.topics
    found = [
        int.from_bytes(blake2b(f"{topics[t]}\0{doc}".encode(), digest_size=8).digest(), "little")
        for t, doc in zip(labels.topic.tolist(), labels.docs, strict=True)
    ]
    return np.array(found, dtype=np.uint64)


def uniforms(hashed: np.ndarray[Any, np.dtype[np.uint64]], seed: int, purpose: int) -> Floats:
    """A number from 0 to 1 for each pair. It does not depend on the other pairs.

    The bits are mixed by the function of SplitMix64.
    """
    start = np.random.SeedSequence([seed, purpose]).generate_state(1, np.uint64)
    with np.errstate(over="ignore"):
        x = hashed + start + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(((x ^ (x >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53)


#: What random numbers of pairs are for.
FOLDS, DRAWING = 1, 2
