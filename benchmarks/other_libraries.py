"""The GP-LVMs of GPy and GPyTorch, if they are installed: one evaluation, and a whole fit."""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from itertools import count
from typing import Any

from sgpmic_cli._typing import Array

MOST_COLUMNS = 100  # GPyTorch keeps a matrix of inducing inputs for each column


def installed(library: str) -> str | None:
    """Return the version of a library, or None if it is not installed."""
    return None if find_spec(library) is None else version(library)


def gpy_evaluation(Y: Array, X: Array, n_inducing: int) -> Callable[[], object]:
    """Return a call that evaluates objective and gradient of GPy's SparseGPLVM."""
    model = _gpy_model(Y, X, n_inducing)
    start, calls = model.optimizer_array.copy(), count(1)
    # GPy caches results for equal parameters, so each call moves them a little.
    return lambda: model._objective_grads(start * (1.0 + 1e-9 * next(calls)))


def gpy_fit(Y: Array, X: Array, n_inducing: int, steps: int) -> Callable[[], object]:
    """Return a call that fits GPy's SparseGPLVM by L-BFGS."""
    return lambda: _gpy_model(Y, X, n_inducing).optimize("lbfgs", max_iters=steps)


def _gpy_model(Y: Array, X: Array, n_inducing: int) -> Any:
    gpy, q = import_module("GPy"), X.shape[1]
    kernel = gpy.kern.RBF(q) + gpy.kern.Bias(q) + gpy.kern.White(q)  # as in the paper's model
    return gpy.models.SparseGPLVM(Y.copy(), q, X=X.copy(), kernel=kernel, num_inducing=n_inducing)


def gpytorch_fit(Y: Array, X: Array, n_inducing: int, steps: int) -> Callable[[], object]:
    """Return a call that fits GPyTorch's GP-LVM by Adam, in double precision with one thread."""
    torch = import_module("torch")

    def fit() -> None:
        torch.set_num_threads(1)
        objective, parameters = _gpytorch_model(Y, X, n_inducing)
        optimizer = torch.optim.Adam(parameters, lr=0.01, maximize=True)
        for _ in range(steps):
            optimizer.zero_grad()
            objective().backward()
            optimizer.step()

    return fit


def _gpytorch_model(Y: Array, X: Array, n_inducing: int) -> tuple[Callable[[], Any], list[Any]]:
    """Return the objective and the parameters of a GP-LVM built as in GPyTorch's own example."""
    torch, gpytorch = import_module("torch"), import_module("gpytorch")
    latents = import_module("gpytorch.models.gplvm.latent_variable")
    gplvm = import_module("gpytorch.models.gplvm.bayesian_gplvm")
    variational = gpytorch.variational
    (n, q), p = X.shape, Y.shape[1]
    columns = torch.Size([p])
    points = torch.tensor(X, dtype=torch.float64)

    class Model(gplvm.BayesianGPLVM):  # type: ignore[name-defined]
        def __init__(self) -> None:
            inducing = points[torch.randperm(n)[:n_inducing]].expand(p, n_inducing, q).clone()
            distribution = variational.CholeskyVariationalDistribution(
                n_inducing, batch_shape=columns
            )
            strategy = variational.VariationalStrategy(
                self, inducing, distribution, learn_inducing_locations=True
            )
            super().__init__(
                latents.PointLatentVariable(n, q, torch.nn.Parameter(points)), strategy
            )
            self.mean_module = gpytorch.means.ZeroMean(batch_shape=columns)
            rbf = gpytorch.kernels.RBFKernel(ard_num_dims=q)
            self.covar_module = gpytorch.kernels.ScaleKernel(rbf)

        def forward(self, latent: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(latent), self.covar_module(latent)
            )

    model = Model().double()
    likelihood = gpytorch.likelihoods.GaussianLikelihood(batch_shape=columns).double()
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=n)
    outputs = torch.tensor(Y.T, dtype=torch.float64)

    def objective() -> Any:
        return bound(model(model.sample_latent_variable()), outputs).sum()

    return objective, [*model.parameters(), *likelihood.parameters()]
