"""Archives of what people did: learn from them, and measure how much effort would have been saved."""

from coactor.evaluate.archives import Archive, Case, PlanArchive, QueryArchive, TripArchive, open_archive
from coactor.evaluate.evaluation import Evaluation, evaluate
from coactor.evaluate.mixing import learn_shards
from coactor.evaluate.replays import Replay, hindsight, replay
from coactor.evaluate.towards import towards_order, towards_path, towards_plan
from coactor.evaluate.words import in_words

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
