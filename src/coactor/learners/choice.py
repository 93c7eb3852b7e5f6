"""The default learner: a Bayesian model of which moves the expert makes and which they decline.

Model. The expert makes a move whose feature difference is D with probability

    P(made) = sigma(w . D - b)

b is the expert's threshold: kappa, in units of how decisive they are. (w, b) has a Gaussian posterior.

Observations, each round: every step of the expert's path, label "made"; every move from the final solution,
label "declined". An accepted proposal is as informative as a corrected one: none of its moves is worth
making. If the expert ran out of time, declined moves are not evidence; then, and if none were recorded, only
the steps count, as plain preferences (without b). If only the final solution is known, the steps to it were
not observed: then the correction is one observation, its D that of the mean edit.

The n rows of one case are not independent: they exchange the same few parts. Together they count as n to the
power `evidence` observations, so that one case does not outweigh a good start. Steps are what the expert did,
so each counts in full while there are at most ROWS rows per feature, and less beyond; not with many features.
The log-odds allow for steps being over-represented, so that probabilities stay right.

Update. Online Laplace (gaussians.py): the mode of posterior x this round's likelihood, and the curvature.

Units. Each feature is measured by its root mean square when it first varies, and rows by their mean length in
the first round (units.py). So the same settings suit every domain and unit.

Start. Weights in use are a prior about proportions: the variance along their direction is larger than across
it, in units of what moves change. So their length is free, a few cases confirm their proportions, and cases
that contradict them replace them. Features to which it gives 0, such as habits, vary with the others.

Many features. Beyond 250, a round says little about each. Then all features share one unit, a row counts
by its direction alone (lengths may differ by orders of magnitude), the prior is narrower, and the past is
remembered longer. committee.py combines two such learners.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

import numpy as np

from coactor.learners.gaussians import Covariance, Diagonal, Gaussian, Precision, sigmoid, with_prior
from coactor.learners.serialization import (
    check_feedback,
    count,
    flag,
    number,
    pack,
    positive_dim,
    positive_number,
    unpack,
)
from coactor.learners.units import Units, direction, root_mean_square, row_lengths
from coactor.protocol import Feedback, Matrix, Reads, State, Vector

FEW = 250  # features; beyond, they are many
JOINT = 1000  # features; beyond, the posterior treats weights as independent


class PriorScales(NamedTuple):
    """The prior, in log-odds of a typical move."""

    prior_sd: float  # standard deviation of a weight
    threshold_sd: float  # standard deviation of the threshold
    prior_mean: float  # mean of a weight, in units of prior_sd


WITH_FEW = PriorScales(prior_sd=10.0, threshold_sd=10.0, prior_mean=0.01)
WITH_MANY = PriorScales(prior_sd=1.0, threshold_sd=2.0, prior_mean=0.1)
MEMORY = 200, 2  # the time constant of forgetting: at least so many rounds, and so many per feature
SURE = 1000.0  # the most that a trust narrows the prior
EVIDENCE = 0.5  # n rows of one case count as n to this power observations
ROWS = 5  # rows per feature, up to which steps count in full


class Observed(NamedTuple):
    """One correction: rows, labels (1 made, 0 declined), how many independent observations each row is worth,
    by how much that raises the log-odds of a step, and the units, which include those of new features."""

    rows: Matrix
    labels: Vector
    worth: Vector
    offset: float
    units: Units


class ChoiceLearner:
    """Bayesian choice: learns from every step and every declined move.

    Parameters
    ----------
    dim
        d.
    prior
        The direction of the prior mean: one number per feature, of which only the proportions matter. Equal
        by default. Give +1 and -1 to say which features are likely good or bad.
    prior_mean
        The size of the prior mean, in units of `prior_sd`. Small: it decides only before anything is learned.
        By default 0.01, with many features 0.1.
    prior_sd
        The prior standard deviation of a weight; by default 10, with many features 1.
    shared_variance
        The prior variance that all weights share, relative to `prior_sd`^2; not used with many features.
    forgetting
        The factor by which the precision of the past shrinks each round; below 1 the learner follows
        preferences that drift. By default 0.995, with more than 100 features closer to 1.
    use_lengths
        Whether the length of a row counts, or its direction alone; by default not with many features.
    independent
        Whether the posterior treats weights as independent, which is cheaper; by default beyond 1000.
    start
        The weights in use today, in the problem's units; it proposes with them until it learns. Only their
        proportions matter. Instead of `prior`, which is in the learner's units.
    trust
        How far to trust the start: the size of a typical weight over the standard deviation of its error. 1
        expects errors as large as the weights themselves, 10 of a tenth of that. By default `prior_mean`: the
        start decides only what is proposed before anything is learned.
    evidence
        The n rows of one case count as n to this power observations, steps as more (see above).

    Examples
    --------
    >>> import numpy as np
    >>> import coactor
    >>> rng = np.random.default_rng(0)
    >>> domain = coactor.domains.Tour(points=10, features=5)
    >>> expert = coactor.SimulatedExpert(domain, weights=[1.0, 0.0, 0.5, 0.0, 0.0])
    >>> session = coactor.Session(domain, ChoiceLearner(5))
    >>> for x in domain.sample(rng, n=40):
    ...     proposal = session.ask(x)
    ...     _ = session.tell(proposal, expert(x, proposal.solution))
    >>> int(session.learner.weights.argmax())
    0
    """

    name = "choice"
    reads: Reads = "declined"

    def __init__(
        self,
        dim: int,
        prior: Sequence[float] | Vector | None = None,
        prior_mean: float | None = None,
        prior_sd: float | None = None,
        shared_variance: float = 4.0,
        forgetting: float | None = None,
        use_lengths: bool | None = None,
        independent: bool | None = None,
        start: Sequence[float] | Vector | None = None,
        evidence: float = EVIDENCE,
        trust: float | None = None,
    ) -> None:
        self.dim = positive_dim(dim)
        self._many = self.dim > FEW
        self._scales = WITH_MANY if self._many else WITH_FEW
        self.prior_mean = positive_number(
            self._scales.prior_mean if prior_mean is None else prior_mean, "prior_mean"
        )
        self.prior_sd = positive_number(self._scales.prior_sd if prior_sd is None else prior_sd, "prior_sd")
        self.shared_variance = positive_number(shared_variance, "shared_variance")
        default = 1.0 - 1.0 / max(MEMORY[0], MEMORY[1] * self.dim)
        self.forgetting = positive_number(default if forgetting is None else forgetting, "forgetting")
        if self.forgetting > 1.0:
            raise ValueError(f"The forgetting factor is {forgetting!r}; expected at most 1.")
        self.use_lengths = not self._many if use_lengths is None else bool(use_lengths)
        self.independent = self.dim > JOINT if independent is None else bool(independent)
        self._shares = not (self._many or self.independent)
        self.evidence = positive_number(evidence, "evidence")
        if prior is not None and start is not None:
            raise ValueError("Give prior or start, not both; start is in the problem's units.")
        self.prior = direction(prior, self.dim) if start is None else direction(start, self.dim, "start")
        self.start = None if start is None else self.prior  # before anything is measured, all units are 1
        if start is not None and trust is not None:
            # Weights grow up to prior_sd; beyond, their errors shrink. Their common factor stays as unknown.
            self.prior_mean = min(positive_number(trust, "trust"), SURE)
            self.prior_sd /= max(1.0, self.prior_mean)
            self.shared_variance *= max(1.0, self.prior_mean) ** 2
        self.rounds = 0
        self.units = Units.unknown(self.dim)
        self._posterior = self.initial()

    # -- what it has learned ------------------------------------------------------------------------------

    @property
    def weights(self) -> Vector:
        """The mean of w, in the problem's units: w . D - b is the log-odds that a move is made."""
        return self._posterior.mean[:-1] / self.scale

    @property
    def threshold(self) -> float:
        """The mean of b; infinite before the first round, when no unit of gains is known."""
        return float(self._posterior.mean[-1]) if self.measured else math.inf

    @property
    def measured(self) -> bool:
        """Whether features have units: after the first round."""
        return self.units.length > 0.0

    @property
    def posterior(self) -> Gaussian:
        """The distribution of (w, b) in these units."""
        return self._posterior

    def deviations(self) -> Vector:
        """The posterior standard deviation of each weight."""
        return np.sqrt(self._posterior.variances()[:-1]) / self.scale

    def prior_deviations(self) -> Vector:
        """The prior standard deviation of each weight."""
        return np.sqrt(self._prior_variance()) / self.scale

    def known(self) -> Vector:
        """1 - posterior / prior standard deviation of each weight: 0 nothing learned, 1 certain."""
        left: Vector = np.sqrt(self._posterior.variances()[:-1] / self._prior_variance())
        return 1.0 - np.minimum(1.0, left)

    def variances(self, rows: Matrix, around_others: bool = False) -> Vector:
        """The posterior variance of rows @ weights; one person is compared with no others."""
        return self._posterior.spread(self.without_threshold(rows))

    def chances(self, differences: Matrix) -> Vector:
        """The probability that the expert makes each move, given its feature difference.

        The uncertainty of the weights draws the probabilities towards one half.
        """
        rows = self.rows(differences)
        blur = np.sqrt(1.0 + np.pi / 8.0 * self._posterior.spread(rows))
        return sigmoid(rows @ self._posterior.mean / blur)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(dim={self.dim}) after {self.rounds} rounds"

    # -- learning -----------------------------------------------------------------------------------------

    def update(self, feedback: Feedback) -> None:
        """Learn from the steps made and the moves declined. If it raises, nothing has changed."""
        observed = self.observe(feedback)
        if observed is None:
            return
        saved = self.units, self.prior, self._posterior
        self.measure(observed.units)
        try:
            posterior = self._posterior.copy()
            if self.forgetting < 1.0:
                posterior.forget(self.forgetting)
            posterior.learn(observed.rows, observed.labels, observed.worth, observed.offset)
        except BaseException:
            self.units, self.prior, self._posterior = saved
            raise
        self._posterior = posterior
        self.rounds += 1

    def observe(self, feedback: Feedback) -> Observed | None:
        """Rows and labels of a correction, and the units they are in; None if nothing varies."""
        check_feedback(feedback, self.dim)
        differences, labels, threshold = self._observations(feedback)
        if not differences.any():
            return None
        units = self.units.measure(differences, common=self._many, shrink_all=self.evidence == 1.0)
        each = len(labels) ** (self.evidence - 1.0)
        step = each if self._many else max(each, min(1.0, ROWS * self.dim / len(labels)))
        rows, worth = self._rows(differences, threshold, units.scale), np.where(labels == 1.0, step, each)
        return Observed(rows, labels, worth, math.log(step / each) if threshold else 0.0, units)

    def measure(self, units: Units) -> None:
        """Adopt units, and convert the start to them."""
        if self.start is None or units is self.units:
            self.units = units
            return
        old, posterior = self.initial(), self._posterior
        self.prior, self.units = self._prior_in(units), units
        self._posterior = with_prior(posterior, old, self.initial())

    def _prior_in(self, units: Units) -> Vector:
        """The direction of the prior mean in these units; its length is that of the first round."""
        assert self.start is not None
        values = self.start * units.scale
        if self.measured:
            k = int(np.abs(self.start).argmax())
            return values * float(self.prior[k] / (self.start[k] * self.scale[k]))
        return values / (root_mean_square(values[units.features > 0.0]) or root_mean_square(values))

    def _observations(self, feedback: Feedback) -> tuple[Matrix, Vector, bool]:
        """Differences, labels (1 made, 0 declined), and whether they depend on the threshold."""
        made = np.diff(feedback.path, axis=0)
        if feedback.estimated and feedback.cost and self.evidence != 1.0:  # 1: studies of older versions
            made *= len(made) / feedback.cost
        if feedback.declined is None or feedback.cut:
            return made, np.ones(len(made)), False
        labels = np.zeros(len(made) + len(feedback.declined))
        labels[: len(made)] = 1.0
        return np.vstack([made, feedback.declined]), labels, True

    def rows(self, differences: Matrix) -> Matrix:
        """Feature differences of moves, in the units of (w, b): rows . (w, b) is the log-odds of each."""
        return self._rows(differences, True, self.scale)

    def without_threshold(self, rows: Matrix) -> Matrix:
        """The rows of which rows . (w, b), in the units of (w, b), are those times the weights."""
        return np.hstack([rows / self.scale, np.zeros((len(rows), 1))])

    def _rows(self, differences: Matrix, threshold: bool, scale: Vector) -> Matrix:
        """What is multiplied with theta: differences in the learner's units, and -1 for the threshold."""
        rows = differences / scale
        if not self.use_lengths:
            lengths = row_lengths(rows)[:, None]
            rows = rows / np.where(lengths == 0.0, 1.0, lengths)
        return np.hstack([rows, np.full((len(rows), 1), -1.0 if threshold else 0.0)])

    @property
    def scale(self) -> Vector:
        """The unit of each weight."""
        return self.units.scale

    def initial(self, own: float = 1.0) -> Gaussian:
        """The prior, in the units known so far; `own` scales the variance that weights do not share."""
        mean = np.append(self.prior_mean * self.prior_sd * self.prior, 0.0)
        variances = np.append(np.full(self.dim, own * self.prior_sd**2), self._scales.threshold_sd**2)
        if self.independent:
            return Diagonal(mean, variances)
        if self._many:
            return Covariance(mean, np.diag(variances))
        covariance = np.diag(variances)
        covariance[:-1, :-1] += np.outer(self._shared_sd, self._shared_sd)
        return Precision(mean, covariance)

    @property
    def _shared_sd(self) -> Vector:
        """The deviations of what weights share. A start that is hardly trusted says little of its zeros."""
        prior = np.where(self.prior == 0.0, 0.5, self.prior) if self.prior_mean < 1.0 else self.prior
        return self.prior_sd * math.sqrt(self.shared_variance) * prior

    def _prior_variance(self) -> Vector:
        return self.prior_sd**2 + (self._shared_sd**2 if self._shares else np.zeros(self.dim))

    def unlearned(self, units: bool = False) -> ChoiceLearner:
        """A learner with the same prior and settings that has learned nothing, or only the units."""
        other, other.rounds = copy(self), 0
        if not units:
            other.units = Units.unknown(self.dim)
            other.prior = self.prior if self.start is None else self.start
        other._posterior = other.initial()
        return other

    # -- to and from JSON ---------------------------------------------------------------------------------

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        return {
            "learner": self.name,
            "weights": pack(self.weights),
            "prior": pack(self.prior),
            **{key: getattr(self, setting) for key, setting in _STATE_KEYS.items()},
            "rounds": self.rounds,
            "units": pack(self.units.features),
            "length": self.units.length,
            **{f"belief_{key}": pack(array) for key, array in self._posterior.arrays().items()},
            **self._flags(),
            **({} if self.evidence == 1.0 else {"evidence": self.evidence}),  # older states have none
            **({} if self.start is None else {"start": pack(self.start)}),
        }

    def _flags(self) -> dict[str, bool]:
        """The flags, unless both have the values of a state that does not contain them."""
        usual = self.use_lengths and not self.independent
        return {} if usual else {"lengths": self.use_lengths, "independent": self.independent}

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from."""
        settings = {setting: number(state, key, self.name) for key, setting in _STATE_KEYS.items()}
        lengths = flag(state, "lengths", self.name, True)
        alone = flag(state, "independent", self.name, False)
        evidence = number(state, "evidence", self.name) if "evidence" in state else 1.0
        other = ChoiceLearner(
            self.dim, None, **settings, start=None, use_lengths=lengths, independent=alone, evidence=evidence
        )
        other.prior = unpack(state, "prior", self.name, (self.dim,))
        if "start" in state:
            other.start = unpack(state, "start", self.name, (self.dim,))
        units, length = unpack(state, "units", self.name, (self.dim,)), number(state, "length", self.name)
        other.units = Units(units, length)
        if length < 0 or (units < 0).any():
            raise ValueError(f"'length' or 'units' in the state of {self.name!r} is negative.")
        other._posterior = other.initial()
        shapes = {key: array.shape for key, array in other._posterior.arrays().items()}
        other._posterior.load(
            {key: unpack(state, f"belief_{key}", self.name, shape) for key, shape in shapes.items()}
        )
        other.rounds = count(state, "rounds", self.name)
        self.__dict__.update(other.__dict__)


# The keys are those of states that studies have stored.
_STATE_KEYS = {
    "confidence": "prior_mean",
    "doubt": "prior_sd",
    "kinship": "shared_variance",
    "keep": "forgetting",
}
