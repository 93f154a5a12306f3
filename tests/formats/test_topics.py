"""Topic files: lines with tabs, JSON lines, and XML as TREC publishes it."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from rankprism import InputError
from rankprism.formats.topics import Topic, read_topics

TREC = """<?xml version="1.0"?>
<!DOCTYPE webtrack [
  <!ATTLIST topic type (ambiguous|faceted) "ambiguous">
  <!ATTLIST subtopic type (nav|inf) "inf">
]>
<webtrack>
<topic number="1">
  <query>obama family tree</query>
  <description>Find information on
  the family.</description>
  <subtopic number="1" type="nav"> Find the essay. </subtopic>
  <subtopic number="2"> Where do they come from? </subtopic>
</topic>
</webtrack>
"""


def test_topics_of_trec_have_kinds_and_defaults_of_the_document_type(tmp_path: Path) -> None:
    path = tmp_path / "topics.xml"
    path.write_text(TREC)
    expected = Topic(
        "1",
        "obama family tree",
        "Find information on the family.",
        (("1", "Find the essay."), ("2", "Where do they come from?")),
        "ambiguous",
        {"1": "nav", "2": "inf"},
    )
    assert read_topics(path) == {"1": expected}
    packed = tmp_path / "topics.xml.gz"
    packed.write_bytes(gzip.compress(TREC.encode()))
    assert read_topics(packed) == {"1": expected}


def test_numbers_and_titles_may_be_elements(tmp_path: Path) -> None:
    path = tmp_path / "topics.xml"
    path.write_text("<topics><topic><number> 7 </number><title>salt</title></topic></topics>")
    assert read_topics(path) == {"7": Topic("7", "salt")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<topics><topic", "topics.xml: cannot be read as XML"),
        ("<topics/>", "topics.xml: there are no topics in it"),
        ('<t><topic number="1"/></t>', "topic number 1 of the file: a topic needs a number and a query"),
        (
            '<t><topic number="1"><query>a</query></topic><topic number="1"><query>b</query></topic></t>',
            "topic '1' occurs twice",
        ),
        (
            '<t><topic number="1"><query>a</query><subtopic number="2" type="x"/></topic></t>',
            "a subtopic needs a number, and its type must be inf or nav; got number '2' and type 'x'",
        ),
    ],
)
def test_faulty_topic_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "topics.xml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_topics(path)
    assert message in str(caught.value)


def test_the_topics_of_2009_are_those_of_table_1_of_sakai_and_song(collections: Path) -> None:
    found = read_topics(collections / "trec-web-2009" / "wt09.topics.full.xml")
    assert Counter(topic.kind for topic in found.values()) == {"ambiguous": 12, "faceted": 38}
    assert Counter(kind for topic in found.values() for kind in topic.kinds.values()) == {
        "inf": 177,
        "nav": 66,
    }
