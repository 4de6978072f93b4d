"""What is measured of both settings: an evaluation of bound and gradient, an E-step of a round, the placing of rows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.model.e_step import IN_ROUNDS
from sgpmic_cli.model.paper import placement as paper_placement
from sgpmic_cli.model.paper.bound import Bound
from sgpmic_cli.model.paper.e_step import expectation
from sgpmic_cli.model.paper.kernels import RBF
from sgpmic_cli.model.parallel import ALONE, Workers
from sgpmic_cli.model.variational import em, placement
from sgpmic_cli.model.variational.latent_prior import Pull
from sgpmic_cli.speed.problems import Problem

NEW_ROWS = {
    "paper": 3_000,
    "default": 16_384,
}  # that are placed, or as many as there are: at least four blocks
Call = Callable[[], Any]


class PaperWork:
    """The work of the paper's setting."""

    def __init__(self, problem: Problem, crew: Workers = ALONE):
        self.problem, self.crew = problem, crew
        self.bound = Bound(RBF(), problem.data, problem.S, workers=crew)

    def evaluation(self) -> Call:
        """One bound with its gradient."""
        return lambda: self.bound.value_and_gradient(self.problem.parameters)

    def e_step(self) -> Call:
        """One E-step from given factors."""
        data, p, factors = (
            self.problem.data,
            self.problem.parameters,
            self.bound.value(self.problem.parameters)[1],
        )
        return lambda: expectation(RBF(), data, p, factors, self.crew, IN_ROUNDS)

    def placing(self) -> Call:
        """New rows in the model."""
        data, p, factors = (
            self.problem.data,
            self.problem.parameters,
            self.bound.value(self.problem.parameters)[1],
        )
        placer = paper_placement.Placer(RBF(), p, factors, data.Y, self.problem.S)
        rows = _beside(data.Y, NEW_ROWS["paper"])
        return lambda: placer.place(rows, self.crew)


class DefaultWork:
    """The work of the default setting."""

    def __init__(self, data: em.Data, state: em.State, crew: Workers = ALONE):
        self.data, self.state, self.crew = data, state, crew

    def evaluation(self) -> Call:
        """One bound with its gradient."""
        data, state = self.data, self.state
        rows, pull = em.active_rows(data, state.S), Pull(state.S, state.prior)
        return lambda: em.value_and_gradient(data, state.free, rows, pull, self.crew)

    def e_step(self) -> Call:
        """One E-step from what is known of the components."""
        known = em.evaluate(self.data, self.state)[0]
        return lambda: em.responsibilities(self.data, self.state, known, self.crew, IN_ROUNDS)

    def placing(self) -> Call:
        """New rows in the model."""
        data, state = self.data, self.state
        placer = placement.Placer(data, state, em.evaluate(data, state)[0], data.Y)
        rows = _beside(data.Y, NEW_ROWS["default"])
        return lambda: placer.place(rows, np.zeros(rows.shape, dtype=bool), self.crew)


def _beside(Y: Array, n: int) -> Array:
    """Rows beside those that were trained on."""
    return Y[:n] + 0.01
