"""The aspects that assessors grade, and their labels."""

from __future__ import annotations

import os
from collections.abc import Mapping

from rankprism.data import Scale
from rankprism.errors import InputError
from rankprism.formats import ONLY_ASPECT, Topic, files
from rankprism.formats.aspects.reading import read_scales


class Aspects:
    """The aspects to grade in each topic: its subtopics, or the aspects of the scale."""

    def __init__(self, scale: files.PathLike | None, words: Mapping[str, Topic]) -> None:
        self.scales = () if scale is None else read_scales(scale)
        self.words = words
        if len(self.scales) > 1 and any(topic.subtopics for topic in words.values()):
            raise InputError(
                f"{os.fspath(scale or '')}: describes {len(self.scales)} aspects, and the topics have "
                f"subtopics, which are graded on one scale; describe one aspect, or leave the subtopics out"
            )

    def of(self, topic: str) -> list[tuple[str, str, Scale]]:
        """The name, description and scale of each aspect of a topic."""
        plain = Scale.of(ONLY_ASPECT, ["not relevant", "relevant"])
        subtopics = self.words[topic].subtopics if topic in self.words else ()
        if subtopics:
            one = self.scales[0] if self.scales else plain
            return [(name, description, one) for name, description in subtopics]
        return [(scale.aspect, scale.aspect, scale) for scale in self.scales] or [(ONLY_ASPECT, "", plain)]
