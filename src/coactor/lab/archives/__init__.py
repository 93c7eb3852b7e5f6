"""Archives of what people did: learn from them, and measure how much effort would have been saved."""

from coactor.lab.archives.archives import Archive, Case, PlanArchive, QueryArchive, TripArchive, open_archive
from coactor.lab.archives.evaluation import Evaluation, evaluate
from coactor.lab.archives.explain import in_words
from coactor.lab.archives.reconstructed_edits import towards_order, towards_path, towards_plan
from coactor.lab.archives.replays import Replay, hindsight, replay
from coactor.lab.archives.sharding import learn_shards

__all__ = [
    "Archive",
    "Case",
    "Evaluation",
    "PlanArchive",
    "QueryArchive",
    "Replay",
    "TripArchive",
    "evaluate",
    "hindsight",
    "in_words",
    "learn_shards",
    "open_archive",
    "replay",
    "towards_order",
    "towards_path",
    "towards_plan",
]
