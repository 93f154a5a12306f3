from rankprism.evaluation.collection import Collection as Collection
from rankprism.evaluation.collection import collected as collected
from rankprism.evaluation.collection import collected_preferences as collected_preferences
from rankprism.evaluation.collection import collected_runs as collected_runs
from rankprism.evaluation.evaluation import evaluate as evaluate
from rankprism.evaluation.explanation import explain as explain
from rankprism.evaluation.ideals import ideal_rankings as ideal_rankings
from rankprism.evaluation.scoring import check_depths as check_depths
from rankprism.evaluation.scoring import check_ids as check_ids
from rankprism.evaluation.scoring import comparable as comparable
from rankprism.evaluation.scoring import how_read as how_read
from rankprism.evaluation.scoring import joined_once as joined_once
from rankprism.evaluation.scoring import unchecked as unchecked

__all__: list[str]
