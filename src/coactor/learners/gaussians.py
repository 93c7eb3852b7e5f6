"""Gaussian beliefs about a parameter vector, and their Laplace update by logistic observations.

An observation is a row a with label 1 or 0: P(1) = sigma(a . theta). The update finds the mode of
(Gaussian x likelihood) by damped Newton, and puts the Gaussian with the curvature of that point in place
of the old one. Three forms of the same step, by the size of theta:

    Precision    P = inverse covariance; one solve of size d per Newton step     for d up to some hundreds
    Covariance   C; Newton in the space of the m rows                            for d up to a thousand
    Diagonal     the same with independent coordinates                           for thousands of features
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from coactor.protocol import Matrix, Vector

STEPS = 25  # Newton steps at the most; three or four are usual
BLOCK = 128  # rows of a large matrix that are changed at once: they fit into the cache
ENOUGH = 0.01  # the last Newton step is the one that promises less than this many nats


class Gaussian(Protocol):
    """A belief N(mean, covariance) that learns from rows and labels."""

    mean: Vector

    def variances(self) -> Vector:
        """Of each coordinate."""

    def spread(self, rows: Matrix) -> Vector:
        """The variance of rows @ theta."""

    def learn(self, rows: Matrix, labels: Vector) -> None:
        """The Laplace step."""

    def forget(self, keep: float) -> None:
        """Let the past count `keep` times as much as before; never less is believed than at the start."""

    def arrays(self) -> dict[str, Vector]:
        """What the belief consists of, by name; assigning copies of them restores it."""


class Precision:
    """The primal form.

    Minimises 1/2 (theta - m)' P (theta - m) + sum_i [log(1 + exp(f_i)) - y_i f_i], f = A theta; then
    P := P + A' D A with D = diag(p (1 - p)), and m := the minimum.
    """

    def __init__(self, mean: Vector, covariance: Matrix) -> None:
        self.mean = mean
        self.prior: Matrix = np.linalg.inv(covariance).astype(np.float64, copy=False)
        self.matrix: Matrix = self.prior.copy()

    def variances(self) -> Vector:
        return np.diagonal(np.linalg.inv(self.matrix)).copy()

    def spread(self, rows: Matrix) -> Vector:
        spread: Vector = np.einsum("ij,ji->i", rows, np.linalg.solve(self.matrix, rows.T))
        return spread

    def learn(self, rows: Matrix, labels: Vector) -> None:
        theta, fit = self.mean, rows @ self.mean
        value = _loss(fit, labels)
        for _ in range(STEPS):
            p = _sigmoid(fit)
            away = theta - self.mean
            slope = self.matrix @ away + rows.T @ (p - labels)
            curvature = self.matrix + (rows.T * (p * (1.0 - p))) @ rows
            step = -np.linalg.solve(curvature, slope)
            promised = -float(slope @ step)
            if promised < ENOUGH:
                theta = theta + step  # too short a step to change the curvature, but not to be forgotten
                break
            ahead, pull = rows @ step, self.matrix @ step
            size = 1.0
            while True:  # halve until the loss falls as it should
                moved = away + size * step
                prior = 0.5 * float(moved @ (self.matrix @ away + size * pull))
                new = prior + _loss(fit + size * ahead, labels)
                if new <= value - 0.25 * size * promised or size < 1e-6:
                    break
                size *= 0.5
            theta, fit, value = theta + size * step, fit + size * ahead, new
        self.mean, self.matrix = theta, 0.5 * (curvature + curvature.T)

    def forget(self, keep: float) -> None:
        self.matrix = keep * self.matrix + (1.0 - keep) * self.prior

    def arrays(self) -> dict[str, Vector]:
        return {"mean": self.mean, "matrix": self.matrix}


class Covariance:
    """The dual form: covariance C, theta = m + C A' alpha, an alpha per row.

    With K = A C A', Newton solves systems of size m, one per row (`_dual_newton`); then, with D as above,
    C := C - C A' D^1/2 (1 + D^1/2 K D^1/2)^-1 D^1/2 A C.

    C is kept as W M W with W diagonal, so that forgetting need not touch the d^2 numbers of M.
    """

    def __init__(self, mean: Vector, covariance: Matrix) -> None:
        self.mean = mean
        self.matrix = covariance.copy()
        self.wide: Vector = np.ones(mean.size)
        self.prior: Vector = np.diagonal(covariance).copy()

    def variances(self) -> Vector:
        variances: Vector = self.wide**2 * np.diagonal(self.matrix)
        return variances

    def spread(self, rows: Matrix) -> Vector:
        scaled = rows * self.wide
        spread: Vector = ((scaled @ self.matrix) * scaled).sum(axis=1)
        return spread

    def learn(self, rows: Matrix, labels: Vector) -> None:
        scaled = rows * self.wide
        reach = scaled @ self.matrix
        kernel = reach @ scaled.T
        alpha, bend = _dual_newton(kernel, rows @ self.mean, labels)
        root = np.sqrt(bend)[:, None]
        inner = np.eye(labels.size) + root * kernel * root.T
        half = np.linalg.solve(np.linalg.cholesky(inner), root * reach)
        self.mean = self.mean + (alpha @ reach) * self.wide
        for k in range(0, len(self.matrix), BLOCK):
            self.matrix[k : k + BLOCK] -= half[:, k : k + BLOCK].T @ half

    def forget(self, keep: float) -> None:
        self.wide = self.wide * np.sqrt(np.minimum(1.0 / keep, self.prior / self.variances()))

    def arrays(self) -> dict[str, Vector]:
        return {"mean": self.mean, "matrix": self.matrix, "wide": self.wide}


class Diagonal:
    """The dual form with independent coordinates: variances s, theta = m + s * (A' alpha), an alpha per row.

    With K = A diag(s) A', Newton solves systems of size m, one per row (`_dual_newton`); then
    1 / s := 1 / s + A^2' p (1 - p), the diagonal of the curvature.
    """

    def __init__(self, mean: Vector, variances: Vector) -> None:
        self.mean = mean
        self.matrix = variances
        self.prior: Vector = variances.copy()

    def variances(self) -> Vector:
        return self.matrix.copy()

    def spread(self, rows: Matrix) -> Vector:
        return (rows**2) @ self.matrix

    def learn(self, rows: Matrix, labels: Vector) -> None:
        reach = rows * self.matrix
        alpha, bend = _dual_newton(reach @ rows.T, rows @ self.mean, labels)
        self.mean = self.mean + alpha @ reach
        self.matrix = 1.0 / (1.0 / self.matrix + bend @ rows**2)

    def forget(self, keep: float) -> None:
        self.matrix = np.minimum(self.matrix / keep, self.prior)

    def arrays(self) -> dict[str, Vector]:
        return {"mean": self.mean, "matrix": self.matrix}


def _dual_newton(kernel: Matrix, start: Vector, labels: Vector) -> tuple[Vector, Vector]:
    """alpha at the mode, and p (1 - p) there. `kernel` is K, `start` is A m.

    A Newton step solves (1 + D^1/2 K D^1/2) with D = diag(p (1 - p)); so D may vanish.
    """
    alpha, fit = np.zeros(labels.size), start
    value = _loss(fit, labels)
    for _ in range(STEPS):
        p = _sigmoid(fit)
        root = np.sqrt(p * (1.0 - p))
        inner = np.eye(labels.size) + root[:, None] * kernel * root
        target = root**2 * (fit - start) + labels - p
        step = target - root * np.linalg.solve(inner, root * (kernel @ target)) - alpha
        ahead = kernel @ step
        promised = float((labels - p - alpha) @ ahead)
        if promised < ENOUGH:
            alpha = alpha + step
            break
        size = 1.0
        while True:
            moved, shown = alpha + size * step, fit + size * ahead
            new = 0.5 * float(moved @ (shown - start)) + _loss(shown, labels)
            if new <= value - 0.25 * size * promised or size < 1e-6:
                break
            size *= 0.5
        alpha, fit, value = moved, shown, new
    return alpha, root**2


def _sigmoid(f: Vector) -> Vector:
    p: Vector = 0.5 * (1.0 + np.tanh(0.5 * f))  # never overflows
    return p


def _loss(f: Vector, labels: Vector) -> float:
    return float(np.logaddexp(0.0, f).sum() - labels @ f)
