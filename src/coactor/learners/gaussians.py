"""Gaussian posteriors of a parameter vector theta, and their Laplace update by logistic observations.

An observation is a row a with label 1 or 0: P(1) = sigma(a . theta). The update finds the mode of (Gaussian x
likelihood^worth) by damped Newton; the new posterior is the Gaussian with the curvature at the mode. A
row is worth less than one observation if the rows depend on each other.
Three forms of the same step, by the size d of theta:

    Precision    P = inverse covariance; one solve of size d per Newton step     for d up to some hundreds
    Covariance   C; Newton in the space of the m rows if m <= d                  for d up to a thousand
    Diagonal     the same with independent coordinates                           for thousands of features

With more rows than coordinates, the last two solve systems of size d as well. Each `learn` computes all that
can fail before it changes anything.
"""

from __future__ import annotations

from typing import Protocol, Self, TypeVar

import numpy as np

from coactor.protocol import Matrix, Vector

MAX_STEPS = 25  # of Newton; three or four are usual
TOLERANCE = 0.01  # stop when the Newton decrement is below this many nats
FLOOR = 1e-12  # the least variance, as a share of the prior variance: below it is rounding
BLOCK = 128  # rows of a large matrix that are updated at once: they fit into the cache


class Gaussian(Protocol):
    """A posterior N(mean, covariance) that learns from rows and labels."""

    mean: Vector

    def precision(self) -> Matrix:
        """The inverse covariance; a vector if coordinates are independent."""

    def variances(self) -> Vector:
        """The variance of each coordinate."""

    def spread(self, rows: Matrix) -> Vector:
        """The variance of rows @ theta."""

    def learn(self, rows: Matrix, labels: Vector, worth: float | Vector = 1.0, offset: float = 0.0) -> None:
        """The Laplace step; a row is worth `worth` independent observations, or each its own.

        `offset` is added to the log-odds of these rows.
        """

    def forget(self, keep: float) -> None:
        """Multiply the precision of what was learned by `keep`; the variance never exceeds the prior's."""

    def copy(self) -> Self:
        """A copy that shares arrays. Learning replaces arrays, or changes them last."""

    def arrays(self) -> dict[str, Vector]:
        """What the posterior consists of, by its name in a state."""

    def load(self, arrays: dict[str, Vector]) -> None:
        """The opposite of `arrays`."""


class Precision:
    """The primal form.

    Minimises 1/2 (theta - m)' P (theta - m) + sum_i [log(1 + exp(f_i)) - y_i f_i], f = A theta; then
    P := P + A' D A with D = diag(p (1 - p)), and m := the minimum.
    """

    def __init__(self, mean: Vector, covariance: Matrix) -> None:
        self.mean = mean
        self.prior: Matrix = np.linalg.inv(covariance).astype(np.float64, copy=False)
        self.matrix: Matrix = self.prior.copy()

    @classmethod
    def of(cls, mean: Vector, precision: Matrix) -> Precision:
        """The Gaussian with this precision."""
        gaussian = cls.__new__(cls)
        gaussian.mean, gaussian.prior, gaussian.matrix = mean, precision, precision
        return gaussian

    def precision(self) -> Matrix:
        return self.matrix

    def variances(self) -> Vector:
        return np.diagonal(np.linalg.inv(self.matrix)).copy()

    def spread(self, rows: Matrix) -> Vector:
        spread: Vector = np.einsum("ij,ji->i", rows, np.linalg.solve(self.matrix, rows.T))
        return spread

    def learn(self, rows: Matrix, labels: Vector, worth: float | Vector = 1.0, offset: float = 0.0) -> None:
        fit = rows @ self.mean + offset
        mean, curvature, _ = _primal_newton(self.matrix, self.mean, fit, rows, labels, worth)
        self.mean, self.matrix = mean, 0.5 * (curvature + curvature.T)

    def forget(self, keep: float) -> None:
        self.matrix = keep * self.matrix + (1.0 - keep) * self.prior

    def copy(self) -> Precision:
        return _shallow_copy(self)

    def arrays(self) -> dict[str, Vector]:
        return {"mean": self.mean, "matrix": self.matrix}

    def load(self, arrays: dict[str, Vector]) -> None:
        self.mean, self.matrix = arrays["mean"], arrays["matrix"]


class Covariance:
    """The dual form: covariance C, theta = m + C A' alpha, one alpha per row.

    With K = A C A', Newton solves systems of size m (`_dual_newton`); then, with D as above,
    C := C - C A' D^1/2 (1 + D^1/2 K D^1/2)^-1 D^1/2 A C.

    With more rows than coordinates, theta = m + L u where C = L L': the primal form with prior precision 1,
    rows A L and curvature H, after which C := L H^-1 L'.

    C is stored as S M S with S diagonal, so that forgetting does not touch the d^2 numbers of M.
    """

    def __init__(self, mean: Vector, covariance: Matrix) -> None:
        self.mean = mean
        self.matrix = covariance.copy()
        self.scale: Vector = np.ones(mean.size)
        self.prior: Vector = np.diagonal(covariance).copy()

    def precision(self) -> Matrix:
        covariance = self.scale[:, None] * self.matrix * self.scale
        return np.linalg.inv(covariance).astype(np.float64, copy=False)

    def variances(self) -> Vector:
        variances: Vector = self.scale**2 * np.diagonal(self.matrix)
        return variances

    def spread(self, rows: Matrix) -> Vector:
        scaled = rows * self.scale
        spread: Vector = ((scaled @ self.matrix) * scaled).sum(axis=1)
        return spread

    def learn(self, rows: Matrix, labels: Vector, worth: float | Vector = 1.0, offset: float = 0.0) -> None:
        scaled, fit = rows * self.scale, rows @ self.mean + offset
        if len(rows) > self.mean.size:
            self._learn_primal(scaled, fit, labels, worth)
            return
        reach = scaled @ self.matrix
        kernel = reach @ scaled.T
        alpha, bend = _dual_newton(kernel, fit, labels, worth)
        root = np.sqrt(bend)[:, None]
        inner = np.eye(labels.size) + root * kernel * root.T
        half = np.linalg.solve(np.linalg.cholesky(inner), root * reach)
        self.mean = self.mean + (alpha @ reach) * self.scale
        for k in range(0, len(self.matrix), BLOCK):
            self.matrix[k : k + BLOCK] -= half[:, k : k + BLOCK].T @ half
        self._raise_to_floor()

    def _learn_primal(self, scaled: Matrix, fit: Vector, labels: Vector, worth: float | Vector) -> None:
        d = self.mean.size
        root = np.linalg.cholesky(self.matrix)
        away, curvature, _ = _primal_newton(np.eye(d), np.zeros(d), fit, scaled @ root, labels, worth)
        half = np.linalg.solve(np.linalg.cholesky(0.5 * (curvature + curvature.T)), root.T)
        self.mean = self.mean + (root @ away) * self.scale
        self.matrix = half.T @ half
        self._raise_to_floor()

    def _raise_to_floor(self) -> None:
        """Keep variances positive: where almost nothing is left, subtraction leaves rounding."""
        least = FLOOR * self.prior / self.scale**2
        diagonal = np.einsum("ii->i", self.matrix)  # a view
        if (diagonal < least).any():
            self.matrix = 0.5 * (self.matrix + self.matrix.T)
            diagonal = np.einsum("ii->i", self.matrix)
            np.maximum(diagonal, least, out=diagonal)

    def forget(self, keep: float) -> None:
        self.scale = self.scale * np.sqrt(np.minimum(1.0 / keep, self.prior / self.variances()))

    def copy(self) -> Covariance:
        return _shallow_copy(self)

    def arrays(self) -> dict[str, Vector]:
        return {"mean": self.mean, "matrix": self.matrix, "wide": self.scale}

    def load(self, arrays: dict[str, Vector]) -> None:
        self.mean, self.matrix, self.scale = arrays["mean"], arrays["matrix"], arrays["wide"]


class Diagonal:
    """The dual form with independent coordinates: variances s, theta = m + s * (A' alpha), one alpha per row.

    With K = A diag(s) A', Newton solves systems of size m (`_dual_newton`); with more rows than coordinates,
    the primal form in units of s^1/2. Then 1 / s := 1 / s + A^2' p (1 - p), the diagonal of the curvature.
    """

    def __init__(self, mean: Vector, variances: Vector) -> None:
        self.mean = mean
        self.variance = variances
        self.prior: Vector = variances.copy()

    def precision(self) -> Vector:
        precision: Vector = 1.0 / self.variance
        return precision

    def variances(self) -> Vector:
        return self.variance.copy()

    def spread(self, rows: Matrix) -> Vector:
        return (rows**2) @ self.variance

    def learn(self, rows: Matrix, labels: Vector, worth: float | Vector = 1.0, offset: float = 0.0) -> None:
        fit, d = rows @ self.mean + offset, self.mean.size
        if len(rows) > d:
            unit = np.sqrt(self.variance)
            away, _, bend = _primal_newton(np.eye(d), np.zeros(d), fit, rows * unit, labels, worth)
            mean = self.mean + unit * away
        else:
            reach = rows * self.variance
            alpha, bend = _dual_newton(reach @ rows.T, fit, labels, worth)
            mean = self.mean + alpha @ reach
        self.mean, self.variance = mean, 1.0 / (1.0 / self.variance + bend @ rows**2)

    def forget(self, keep: float) -> None:
        self.variance = np.minimum(self.variance / keep, self.prior)

    def copy(self) -> Diagonal:
        return _shallow_copy(self)

    def arrays(self) -> dict[str, Vector]:
        return {"mean": self.mean, "matrix": self.variance}

    def load(self, arrays: dict[str, Vector]) -> None:
        self.mean, self.variance = arrays["mean"], arrays["matrix"]


def with_prior(posterior: Gaussian, old: Gaussian, new: Gaussian) -> Gaussian:
    """The posterior that the same observations give with the prior `new` in place of `old`.

    Without full precisions, `new` may differ only in coordinates that no observation depends on.
    """
    if isinstance(posterior, Precision) and isinstance(old, Precision) and isinstance(new, Precision):
        moved = new.copy()
        moved.matrix = posterior.matrix + (new.matrix - old.matrix)
        pull = posterior.matrix @ posterior.mean + (new.matrix @ new.mean - old.matrix @ old.mean)
        moved.mean = np.linalg.solve(moved.matrix, pull).astype(np.float64, copy=False)
        return moved
    shifted = posterior.copy()
    shifted.mean = posterior.mean + (new.mean - old.mean)
    return shifted


_G = TypeVar("_G")


def _shallow_copy(belief: _G) -> _G:
    twin = object.__new__(type(belief))
    twin.__dict__.update(belief.__dict__)
    return twin


def _primal_newton(
    precision: Matrix, mean: Vector, fit: Vector, rows: Matrix, labels: Vector, worth: float | Vector
) -> tuple[Vector, Matrix, Vector]:
    """The mode, the curvature and worth p (1 - p) there. `fit` is A theta at the mean."""
    theta = mean
    value = _loss(fit, labels, worth)
    for _ in range(MAX_STEPS):
        p = sigmoid(fit)
        bend = worth * p * (1.0 - p)
        away = theta - mean
        slope = precision @ away + rows.T @ (worth * (p - labels))
        curvature = precision + (rows.T * bend) @ rows
        step = -np.linalg.solve(curvature, slope)
        decrement = -float(slope @ step)
        if decrement < TOLERANCE:
            theta = theta + step  # the last step is taken without computing the curvature again
            break
        ahead, pull = rows @ step, precision @ step
        size = 1.0
        while True:  # halve the step until the loss falls enough
            moved = away + size * step
            prior = 0.5 * float(moved @ (precision @ away + size * pull))
            new = prior + _loss(fit + size * ahead, labels, worth)
            if new <= value - 0.25 * size * decrement or size < 1e-6:
                break
            size *= 0.5
        theta, fit, value = theta + size * step, fit + size * ahead, new
    return _finite(theta), curvature, bend


def _dual_newton(
    kernel: Matrix, start: Vector, labels: Vector, worth: float | Vector
) -> tuple[Vector, Vector]:
    """alpha at the mode, and worth p (1 - p) there. `kernel` is K, `start` is A m.

    A Newton step solves (1 + D^1/2 K D^1/2) with D = diag(worth p (1 - p)), which may vanish.
    """
    alpha, fit = np.zeros(labels.size), start
    value = _loss(fit, labels, worth)
    for _ in range(MAX_STEPS):
        p = sigmoid(fit)
        root = np.sqrt(worth * p * (1.0 - p))
        error = worth * (labels - p)
        inner = np.eye(labels.size) + root[:, None] * kernel * root
        target = root**2 * (fit - start) + error
        step = target - root * np.linalg.solve(inner, root * (kernel @ target)) - alpha
        ahead = kernel @ step
        decrement = float((error - alpha) @ ahead)
        if decrement < TOLERANCE:
            alpha = alpha + step
            break
        size = 1.0
        while True:
            moved, moved_fit = alpha + size * step, fit + size * ahead
            new = 0.5 * float(moved @ (moved_fit - start)) + _loss(moved_fit, labels, worth)
            if new <= value - 0.25 * size * decrement or size < 1e-6:
                break
            size *= 0.5
        alpha, fit, value = moved, moved_fit, new
    return _finite(alpha), root**2


def _finite(mode: Vector) -> Vector:
    if not np.isfinite(mode).all():
        raise ValueError("The posterior would not be finite; scale the features.")
    return mode


def sigmoid(f: Vector) -> Vector:
    """Probabilities from log-odds."""
    p: Vector = 0.5 * (1.0 + np.tanh(0.5 * f))  # never overflows
    return p


def _loss(f: Vector, labels: Vector, worth: float | Vector) -> float:
    return float((worth * (np.logaddexp(0.0, f) - labels * f)).sum())
