# Written by tests/support/stubs.py.
# fmt: off
from rankprism.plots.attainable import attainable_boxes as attainable_boxes
from rankprism.plots.bars import differences as differences
from rankprism.plots.bars import unanimity_bars as unanimity_bars
from rankprism.plots.boards import leaderboard as leaderboard
from rankprism.plots.curves import asl_curves as asl_curves
from rankprism.plots.curves import power_growth as power_growth
from rankprism.plots.curves import swap_curves as swap_curves
from rankprism.plots.hasse import hasse_diagram as hasse_diagram
from rankprism.plots.heatmaps import correlation_heatmap as correlation_heatmap
from rankprism.plots.heatmaps import heatmap as heatmap
from rankprism.plots.intent_recall import irec as irec
from rankprism.plots.judges import family_bias as family_bias
from rankprism.plots.judges import judge_biases as judge_biases
from rankprism.plots.judges import judge_confusion as judge_confusion
from rankprism.plots.judges import judge_scores as judge_scores
from rankprism.plots.judges import system_strengths as system_strengths
from rankprism.plots.means import difference_intervals as difference_intervals
from rankprism.plots.means import estimated_scores as estimated_scores
from rankprism.plots.means import intervals as intervals
from rankprism.plots.of_scores import ScorePlots as ScorePlots
from rankprism.plots.output import check_ending as check_ending
from rankprism.plots.output import save as save
from rankprism.plots.preferences import incomplete_curves as incomplete_curves
from rankprism.plots.preferences import preference_correlations as preference_correlations
from rankprism.plots.preferences import profile_correlations as profile_correlations
from rankprism.plots.ranks import sensitivity as sensitivity
from rankprism.plots.record import CHARTS as CHARTS
from rankprism.plots.record import Chart as Chart
from rankprism.plots.record import chart as chart
from rankprism.plots.record import check_size as check_size
from rankprism.plots.record import draw as draw
from rankprism.plots.studies import judgments_needed as judgments_needed

__all__: list[str]
