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
    Citation(
        "buckley2005retrieval",
        "inproceedings",
        "Chris Buckley and Ellen M. Voorhees",
        "Retrieval system evaluation",
        "TREC: Experiment and Evaluation in Information Retrieval",
        2005,
    ),
    Citation(
        "sakai2005reliability",
        "inproceedings",
        "Tetsuya Sakai",
        "The reliability of metrics based on graded relevance",
        "AIRS",
        2005,
    ),
    Citation(
        "sakai2006give",
        "inproceedings",
        "Tetsuya Sakai",
        "Give me just one highly relevant document: P-measure",
        "SIGIR",
        2006,
    ),
    Citation(
        "robertson2010extending",
        "inproceedings",
        "Stephen E. Robertson and Evangelos Kanoulas and Emine Yilmaz",
        "Extending average precision to graded relevance judgments",
        "SIGIR",
        2010,
    ),
    Citation(
        "sakai2011evaluating",
        "inproceedings",
        "Tetsuya Sakai and Ruihua Song",
        "Evaluating diversified search results using per-intent graded relevance",
        "SIGIR",
        2011,
    ),
    Citation(
        "sakai2012intuitiveness",
        "inproceedings",
        "Tetsuya Sakai",
        "Evaluation with informational and navigational intents",
        "WWW",
        2012,
    ),
    Citation(
        "sakai2019diversity",
        "inproceedings",
        "Tetsuya Sakai and Zhaohao Zeng",
        'Which diversity evaluation measures are "good"?',
        "SIGIR",
        2019,
    ),
    Citation(
        "moffat2013seven",
        "inproceedings",
        "Alistair Moffat",
        "Seven numeric properties of effectiveness metrics",
        "AIRS",
        2013,
    ),
    Citation(
        "ferrante2015towards",
        "inproceedings",
        "Marco Ferrante and Nicola Ferro and Maria Maistro",
        "Towards a formal framework for utility-oriented measurements of retrieval effectiveness",
        "ICTIR",
        2015,
    ),
    Citation(
        "amigo2018axiomatic",
        "inproceedings",
        "Enrique Amigó and Damiano Spina and Jorge Carrillo-de-Albornoz",
        "An axiomatic analysis of diversity evaluation metrics: introducing the rank-biased utility metric",
        "SIGIR",
        2018,
    ),
    Citation(
        "yang2009modeling",
        "inproceedings",
        "Yiming Yang and Abhimanyu Lad",
        "Modeling expected utility of multi-session information distillation",
        "ICTIR",
        2009,
    ),
    Citation(
        "luo2013water",
        "inproceedings",
        "Jiyun Luo and Christopher Wing and Hui Yang and Marti Hearst",
        "The water filling model and the cube test: multi-dimensional evaluation for professional search",
        "CIKM",
        2013,
    ),
    Citation(
        "yang2015overview",
        "inproceedings",
        "Hui Yang and John Frank and Ian Soboroff",
        "TREC 2015 dynamic domain track overview",
        "TREC",
        2015,
    ),
    Citation(
        "yang2016trec",
        "inproceedings",
        "Grace Hui Yang and Ian Soboroff",
        "TREC 2016 dynamic domain track overview",
        "TREC",
        2016,
    ),
    Citation(
        "lioma2017evaluation",
        "inproceedings",
        "Christina Lioma and Jakob Grue Simonsen and Birger Larsen",
        "Evaluation measures for relevance and credibility in ranked lists",
        "ICTIR",
        2017,
    ),
    Citation(
        "maistro2021principled",
        "inproceedings",
        "Maria Maistro and Lucas Chaves Lima and Jakob Grue Simonsen and Christina Lioma",
        "Principled multi-aspect evaluation measures of rankings",
        "CIKM",
        2021,
    ),
    Citation(
        "clarke2020offline",
        "inproceedings",
        "Charles L. A. Clarke and Mark D. Smucker and Alexandra Vtyurina",
        "Offline evaluation by maximum similarity to an ideal ranking",
        "CIKM",
        2020,
    ),
    Citation(
        "clarke2021assessing",
        "article",
        "Charles L. A. Clarke and Alexandra Vtyurina and Mark D. Smucker",
        "Assessing top-k preferences",
        "ACM Transactions on Information Systems",
        2021,
    ),
    Citation(
        "chandar2013preference",
        "inproceedings",
        "Praveen Chandar and Ben Carterette",
        "Preference based evaluation measures for novelty and diversity",
        "SIGIR",
        2013,
    ),
    Citation(
        "carterette2008here",
        "inproceedings",
        "Ben Carterette and Paul N. Bennett and David Maxwell Chickering and Susan T. Dumais",
        "Here or there: Preference judgments for relevance",
        "ECIR",
        2008,
    ),
    Citation(
        "carterette2008evaluation",
        "inproceedings",
        "Ben Carterette and Paul N. Bennett",
        "Evaluation measures for preference judgments",
        "SIGIR",
        2008,
    ),
    Citation(
        "buckley2004retrieval",
        "inproceedings",
        "Chris Buckley and Ellen M. Voorhees",
        "Retrieval evaluation with incomplete information",
        "SIGIR",
        2004,
    ),
    Citation(
        "yilmaz2006estimating",
        "inproceedings",
        "Emine Yilmaz and Javed A. Aslam",
        "Estimating average precision with incomplete and imperfect judgments",
        "CIKM",
        2006,
    ),
    Citation(
        "tomlinson2006early",
        "inproceedings",
        "Stephen Tomlinson",
        "Early precision measures: implications from the downside of blind feedback",
        "SIGIR",
        2006,
    ),
    Citation(
        "pradeep2025great",
        "inproceedings",
        "Ronak Pradeep and Nandan Thakur and Shivani Upadhyay and Daniel Campos and Nick Craswell and "
        "Ian Soboroff and Hoa Trang Dang and Jimmy Lin",
        "The great nugget recall: automating fact extraction and RAG evaluation with large language models",
        "SIGIR",
        2025,
    ),
    Citation(
        "macavaney2022streamlining",
        "inproceedings",
        "Sean MacAvaney and Craig Macdonald and Iadh Ounis",
        "Streamlining evaluation with ir-measures",
        "ECIR",
        2022,
    ),
)

CITATIONS = {citation.key: citation for citation in _ALL}
