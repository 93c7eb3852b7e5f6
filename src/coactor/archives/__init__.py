"""Archives of recorded solutions: what would coactor have saved, and learning from them.

archive = coactor.archives.open_archive("trips")
coactor.archives.evaluate(archive, ["default", "PER@start", "copy"])
"""

from coactor.archives.archives import open_archive
from coactor.archives.cases import Archive, Case
from coactor.archives.evaluation import Evaluation, evaluate
from coactor.archives.learning import learn_archive

__all__ = ["Archive", "Case", "Evaluation", "evaluate", "learn_archive", "open_archive"]
