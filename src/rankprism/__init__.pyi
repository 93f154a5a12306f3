from rankprism import comparison as comparison
from rankprism import measures as measures
from rankprism import meta as meta
from rankprism import reproduce as reproduce
from rankprism import spark as spark
from rankprism.comparison import boards as boards
from rankprism.comparison import compare as compare
from rankprism.comparison.boards import gate as gate
from rankprism.comparison.boards import leaderboard as leaderboard
from rankprism.data import sample as sample
from rankprism.data.hits import Hits as Hits
from rankprism.data.hits import Pool as Pool
from rankprism.data.judgments import Judgments as Judgments
from rankprism.data.preferences import Preferences as Preferences
from rankprism.data.run import Run as Run
from rankprism.data.scales import Scale as Scale
from rankprism.errors import InputError as InputError
from rankprism.errors import MeasureError as MeasureError
from rankprism.errors import RankprismError as RankprismError
from rankprism.errors import RankprismWarning as RankprismWarning
from rankprism.evaluation import Collection as Collection
from rankprism.evaluation import evaluate as evaluate
from rankprism.evaluation.explanation import explain as explain
from rankprism.evaluation.score_folder import check_score_folder as check_score_folder
from rankprism.evaluation.score_folder import evaluate_into as evaluate_into
from rankprism.formats.judgments import read_judgments as read_judgments
from rankprism.formats.preferences import read_preferences as read_preferences
from rankprism.formats.runs import read_run as read_run
from rankprism.formats.scores import read_scores as read_scores
from rankprism.judging import aspects as aspects
from rankprism.judging import judges as judges
from rankprism.judging import preferences as preferences
from rankprism.measures import Measure as Measure
from rankprism.measures import parse as parse
from rankprism.meta import axioms as axioms
from rankprism.results.scores import Scores as Scores
from rankprism.showing import plots as plots
from rankprism.showing import report as report

PROVISIONAL: frozenset[str]
__all__: list[str]
__version__: str
