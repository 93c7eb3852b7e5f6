"""Gaussian posteriors of a parameter vector theta, and their Laplace update by logistic observations.

An observation is a row a with label 1 or 0: P(1) = sigma(a . theta). The update finds the mode of (Gaussian x
likelihood^worth) by damped Newton; the new posterior is the Gaussian with the curvature at the mode. A
row is worth less than one observation if the rows depend on each other.
Two forms of the same step, by the size d of theta:

    Precision    P = inverse covariance; one solve of size d per Newton step     for d up to some hundreds
    Diagonal     independent coordinates; Newton in the space of the m rows if m <= d     for more

Each `learn` computes all that can fail before it changes anything.
"""

from __future__ import annotations

from copy import copy
from typing import TypeAlias

import numpy as np

from coactor.protocol import Matrix, Vector

MAX_STEPS = 25  # of Newton; three or four are usual, and a step that is halved often ends the loop
TOLERANCE = 0.01  # nats: stop when the Newton decrement is below; far less than one observation says


class Precision:
    """The primal form.

    Minimises 1/2 (theta - m)' P (theta - m) + sum_i [log(1 + exp(f_i)) - y_i f_i], f = A theta; then
    P := P + A' D A with D = diag(p (1 - p)), and m := the minimum.
    """

    def __init__(self, mean: Vector, precision: Matrix) -> None:
        self.mean = mean
        self.matrix = self.prior = precision

    def variances(self) -> Vector:
        """The variance of each coordinate."""
        return np.diagonal(np.linalg.inv(self.matrix)).copy()

    def spread(self, rows: Matrix) -> Vector:
        """The variance of rows @ theta."""
        spread: Vector = np.einsum("ij,ji->i", rows, np.linalg.solve(self.matrix, rows.T))
        return spread

    def learn(self, rows: Matrix, labels: Vector, worth: float | Vector = 1.0, offset: float = 0.0) -> None:
        """The Laplace step; a row is worth `worth` independent observations, or each its own.

        `offset` is added to the log-odds of these rows.
        """
        fit = rows @ self.mean + offset
        mean, curvature, _ = _primal_newton(self.matrix, self.mean, fit, rows, labels, worth)
        self.mean, self.matrix = mean, 0.5 * (curvature + curvature.T)

    def forget(self, keep: float) -> None:
        """Multiply the precision of what was learned by `keep`."""
        self.matrix = keep * self.matrix + (1.0 - keep) * self.prior

    def copy(self) -> Precision:
        """A copy that shares arrays; learning replaces them."""
        return copy(self)

    def arrays(self) -> dict[str, Vector]:
        """What the posterior consists of, by its name in a state."""
        return {"mean": self.mean, "matrix": self.matrix}


class Diagonal:
    """The dual form with independent coordinates: variances s, theta = m + s * (A' alpha), one alpha per row.

    With K = A diag(s) A', Newton solves systems of size m (`_dual_newton`); with more rows than coordinates,
    the primal form in units of s^1/2. Then 1 / s := 1 / s + A^2' p (1 - p), the diagonal of the curvature.
    """

    def __init__(self, mean: Vector, variances: Vector) -> None:
        self.mean = mean
        self.variance = self.prior = variances

    def variances(self) -> Vector:
        """The variance of each coordinate."""
        return self.variance.copy()

    def spread(self, rows: Matrix) -> Vector:
        """The variance of rows @ theta."""
        return (rows**2) @ self.variance

    def learn(self, rows: Matrix, labels: Vector, worth: float | Vector = 1.0, offset: float = 0.0) -> None:
        """The Laplace step, as in `Precision`."""
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
        """Multiply the precision of what was learned by `keep`; no variance exceeds the prior's."""
        self.variance = np.minimum(self.variance / keep, self.prior)

    def copy(self) -> Diagonal:
        """A copy that shares arrays; learning replaces them."""
        return copy(self)

    def arrays(self) -> dict[str, Vector]:
        """What the posterior consists of, by its name in a state."""
        return {"mean": self.mean, "variance": self.variance}


Gaussian: TypeAlias = Precision | Diagonal


def with_prior(posterior: Gaussian, old: Gaussian, new: Gaussian) -> Gaussian:
    """The posterior that the same observations give with the prior `new` in place of `old`.

    With independent coordinates, `new` may differ only in those that no observation depends on.
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
