"""Drawn lines of judgments and runs: topic by topic, scattered, or with mistakes among them."""

from __future__ import annotations

from hypothesis import strategies as st

topics = st.sampled_from(["1", "2", "10", "é", "日本"])
docs = st.sampled_from(["d1", "d2", "d3", "x", "dé", "日本語", "a-very-long-id-" * 3])
others = st.sampled_from(["", "# a comment", "  ", "\t"])
mistakes = st.sampled_from(
    ["1 a", "1 a d1 1 1", "2 a d1 many", "\udcff a d1 1", "1 Q0 d1 1 \udc80 t", "1 a d\0 1"]
)
judged_lines = st.builds(
    "{} {} {} {}".format, topics, st.sampled_from(["a", "b", "10", "é"]), docs, st.integers(-1, 3)
)
run_lines = st.builds("{} Q0 {} 1 {} t".format, topics, docs, st.integers(0, 9))
blocks = st.integers(0, 150)
ends = st.sampled_from(["\n", "\r\n", " \n"])


def some(lines: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    """Lines as they come, so most topics are scattered, or topic by topic, or with mistakes among them."""
    with_others = st.lists(st.one_of(lines, lines, lines, others), max_size=30)
    grouped = with_others.map(lambda found: sorted(found, key=lambda line: line.split(" ")[0]))
    faulty = st.lists(st.one_of(lines, lines, lines, others, mistakes), max_size=30)
    return st.one_of(with_others, grouped, faulty)


def text_of(lines: list[str], end: str) -> bytes:
    return end.join(lines).encode("utf-8", "surrogateescape")
