"""Where the measures come from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Citation:
    key: str
    kind: str  # BibTeX's entry type
    authors: str
    title: str
    venue: str
    year: int

    @property
    def text(self) -> str:
        return f"{self.authors.replace(' and ', ', ')}. {self.title}. {self.venue}, {self.year}."

    @property
    def bibtex(self) -> str:
        where = {"article": "journal", "inproceedings": "booktitle", "book": "publisher"}[self.kind]
        return (
            f"@{self.kind}{{{self.key},\n  author = {{{self.authors}}},\n  title = {{{self.title}}},\n"
            f"  {where} = {{{self.venue}}},\n  year = {{{self.year}}}\n}}"
        )


_ALL = (
    Citation(
        "clarke2008novelty",
        "inproceedings",
        "Charles L. A. Clarke and Maheedhar Kolla and Gordon V. Cormack and Olga Vechtomova and "
        "Azin Ashkan and Stefan Büttcher and Ian MacKinnon",
        "Novelty and diversity in information retrieval evaluation",
        "SIGIR",
        2008,
    ),
    Citation(
        "clarke2009effectiveness",
        "inproceedings",
        "Charles L. A. Clarke and Maheedhar Kolla and Olga Vechtomova",
        "An effectiveness measure for ambiguous and underspecified queries",
        "ICTIR",
        2009,
    ),
    Citation(
        "chapelle2009expected",
        "inproceedings",
        "Olivier Chapelle and Donald Metzler and Ya Zhang and Pierre Grinspan",
        "Expected reciprocal rank for graded relevance",
        "CIKM",
        2009,
    ),
    Citation(
        "agrawal2009diversifying",
        "inproceedings",
        "Rakesh Agrawal and Sreenivas Gollapudi and Alan Halverson and Samuel Ieong",
        "Diversifying search results",
        "WSDM",
        2009,
    ),
    Citation(
        "zhai2003beyond",
        "inproceedings",
        "ChengXiang Zhai and William W. Cohen and John Lafferty",
        "Beyond independent relevance: methods and evaluation metrics for subtopic retrieval",
        "SIGIR",
        2003,
    ),
    Citation(
        "jarvelin2002cumulated",
        "article",
        "Kalervo Järvelin and Jaana Kekäläinen",
        "Cumulated gain-based evaluation of IR techniques",
        "ACM Transactions on Information Systems",
        2002,
    ),
    Citation(
        "moffat2008rank",
        "article",
        "Alistair Moffat and Justin Zobel",
        "Rank-biased precision for measurement of retrieval effectiveness",
        "ACM Transactions on Information Systems",
        2008,
    ),
    Citation(
        "kantor2000trec",
        "article",
        "Paul B. Kantor and Ellen M. Voorhees",
        "The TREC-5 confusion track: comparing retrieval methods for scanned text",
        "Information Retrieval",
        2000,
    ),
    Citation(
        "harman1992evaluation",
        "article",
        "Donna Harman",
        "Evaluation issues in information retrieval",
        "Information Processing and Management",
        1992,
    ),
    Citation(
        "vanrijsbergen1979information",
        "book",
        "C. J. van Rijsbergen",
        "Information Retrieval",
        "Butterworths",
        1979,
    ),
)

CITATIONS = {citation.key: citation for citation in _ALL}
