"""Compare a learner with the paper's four, the default and other libraries: what `coactor bench` runs.

coactor.bench.bench(["PER", "mine.py:Learner"], quick=True).write("bench")
"""

from coactor.bench.running import Bench, bench

__all__ = ["Bench", "bench"]
