from rankprism import aspects as aspects
from rankprism import axioms as axioms
from rankprism import boards as boards
from rankprism import comparison as comparison
from rankprism import judges as judges
from rankprism import measures as measures
from rankprism import meta as meta
from rankprism import plots as plots
from rankprism import preferences as preferences
from rankprism import report as report
from rankprism import reproduce as reproduce
from rankprism import sample as sample
from rankprism import spark as spark
from rankprism.boards import gate as gate
from rankprism.boards import leaderboard as leaderboard
from rankprism.comparison import compare as compare
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
from rankprism.explanation import explain as explain
from rankprism.formats.judgments import read_judgments as read_judgments
from rankprism.formats.preferences import read_preferences as read_preferences
from rankprism.formats.runs import read_run as read_run
from rankprism.formats.scores import read_scores as read_scores
from rankprism.measures import Measure as Measure
from rankprism.measures import parse as parse
from rankprism.results.scores import Scores as Scores
from rankprism.score_folder import check_score_folder as check_score_folder
from rankprism.score_folder import evaluate_into as evaluate_into

PROVISIONAL: frozenset[str]
__all__: list[str]
__version__: str
