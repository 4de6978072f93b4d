"""GPy's sparse GP-LVM at the same size, where GPy is installed: one objective with its gradient."""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec

from sgpmic_cli._typing import Array


def gpy_version() -> str | None:
    """The version of GPy in this environment, if it has one."""
    return None if find_spec("GPy") is None else version("GPy")


def gpy_evaluation(Y: Array, X: Array, n_inducing: int) -> Callable[[], None]:
    """One evaluation of GPy's SparseGPLVM of Y (N, P) at latent points X (N, Q)."""
    GPy = import_module("GPy")
    q = X.shape[1]
    kernel = GPy.kern.RBF(q) + GPy.kern.Bias(q) + GPy.kern.White(q)  # the parts that our kernel has
    model = GPy.models.SparseGPLVM(Y.copy(), q, X=X.copy(), kernel=kernel, num_inducing=n_inducing)
    start = model.optimizer_array.copy()
    turn = 0

    def run() -> None:
        nonlocal turn
        turn += 1  # GPy remembers what it computed for equal parameters, as no optimiser gives it twice
        model._objective_grads(start * (1.0 + 1e-9 * turn))

    return run
