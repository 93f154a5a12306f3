from rankprism.results.depths import note_of_depths as note_of_depths
from rankprism.results.direction import HIGHER as HIGHER
from rankprism.results.direction import LOWER as LOWER
from rankprism.results.direction import marked as marked
from rankprism.results.direction import measured as measured
from rankprism.results.direction import signs as signs
from rankprism.results.outputs import OUTPUTS as OUTPUTS
from rankprism.results.outputs import Style as Style
from rankprism.results.outputs import check_style as check_style
from rankprism.results.outputs import output_format as output_format
from rankprism.results.outputs import streamed as streamed
from rankprism.results.outputs import written as written
from rankprism.results.record import DEFAULTS as DEFAULTS
from rankprism.results.record import DEPTH as DEPTH
from rankprism.results.record import Record as Record
from rankprism.results.record import mixed_sentence as mixed_sentence
from rankprism.results.result import Result as Result
from rankprism.results.schemas import schema as schema
from rankprism.results.scores import Scores as Scores
from rankprism.results.scores import as_listed as as_listed
from rankprism.results.scores import mean_over_topics as mean_over_topics
from rankprism.results.table import Cell as Cell
from rankprism.results.table import Table as Table

__all__: list[str]
