"""Other libraries' GP-LVMs at the same size, where they are installed: GPy's, and GPyTorch's on a device."""

import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from statistics import median
from typing import Any

from sgpmic_cli._typing import Array

NAMES = {"gpy": "GPy", "gpytorch": "GPyTorch"}
BATCHES = (32_768, 131_072, 262_144)  # rows of one of its evaluations
CALLS = 6  # of GPyTorch, the first two to warm up


def gpy_version() -> str | None:
    """The version of GPy in this environment, if it has one."""
    return None if find_spec("GPy") is None else version("GPy")


def gpytorch_version() -> str | None:
    """The version of GPyTorch in this environment, if it has one."""
    return None if find_spec("gpytorch") is None else version("gpytorch")


def gpy_evaluation(Y: Array, X: Array, n_inducing: int) -> Callable[[], None]:
    """One evaluation of GPy's SparseGPLVM of Y (N, P) at latent points X (N, Q)."""
    model = _gpy_model(Y, X, n_inducing)
    start = model.optimizer_array.copy()
    turn = 0

    def run() -> None:
        nonlocal turn
        turn += (
            1  # GPy remembers what it computed for equal parameters, as no optimiser gives it twice
        )
        model._objective_grads(start * (1.0 + 1e-9 * turn))

    return run


def gpy_fit(Y: Array, X: Array, n_inducing: int, steps: int) -> int:
    """Fit it by L-BFGS in at most so many steps and evaluations; how many of these there were."""
    model = _gpy_model(Y, X, n_inducing)
    return int(model.optimize("lbfgs", max_iters=steps).funct_eval)


def _gpy_model(Y: Array, X: Array, n_inducing: int) -> Any:
    GPy = import_module("GPy")
    q = X.shape[1]
    kernel = GPy.kern.RBF(q) + GPy.kern.Bias(q) + GPy.kern.White(q)  # the parts that our kernel has
    return GPy.models.SparseGPLVM(Y.copy(), q, X=X.copy(), kernel=kernel, num_inducing=n_inducing)


def gpytorch_fit(Y: Array, X: Array, n_inducing: int, steps: int) -> int:
    """Fit GPyTorch's GP-LVM with points for latent points by so many steps of Adam, in double precision on one core."""
    torch = import_module("torch")
    torch.set_num_threads(1)
    evaluate, free = _gpytorch_model(
        Y, X, n_inducing, len(Y), "point", torch.float64, torch.device("cpu")
    )
    optimizer = torch.optim.Adam(free, lr=0.01, maximize=True)
    for _ in range(steps):
        evaluate()
        optimizer.step()
    return steps


def gpytorch_pass(Y: Array, X: Array, n_inducing: int, device: Any) -> list[dict[str, Any]]:
    """Milliseconds in which GPyTorch's GP-LVMs see all rows of Y (N, P) once, in batches of several sizes.

    Objective and gradient of one component, with points for latent points ("point") or distributions ("bayesian"), in
    double and in single precision. A pass is so many batches; the median of some stands for all of them.
    """
    torch = import_module("torch")
    found = []
    for latent in ("point", "bayesian"):
        for precision in ("float64", "float32"):
            for batch in sorted({min(batch, len(Y)) for batch in BATCHES}):
                torch.cuda.empty_cache()  # every model finds the device as free as the first
                evaluation, _ = _gpytorch_model(
                    Y, X, n_inducing, batch, latent, getattr(torch, precision), device
                )
                times = []
                for _ in range(CALLS):
                    began = time.perf_counter()
                    evaluation()
                    if device.type == "cuda":
                        torch.cuda.synchronize(device)
                    times.append(1e3 * (time.perf_counter() - began))
                ms = median(times[2:]) * len(Y) / batch
                found.append(
                    {
                        "latent": latent,
                        "precision": precision,
                        "batch": batch,
                        "n": len(Y),
                        "ms": ms,
                    }
                )
    return found


def _gpytorch_model(
    Y: Array, X: Array, n_inducing: int, batch: int, latent: str, dtype: Any, device: Any
) -> tuple[Callable[[], None], list[Any]]:
    """Objective and gradient of a GP-LVM that is put together as GPyTorch's own example does it, and what moves."""
    torch, gpytorch = import_module("torch"), import_module("gpytorch")
    latents = import_module("gpytorch.models.gplvm.latent_variable")
    gplvm = import_module("gpytorch.models.gplvm.bayesian_gplvm")
    (n, q), p = X.shape, Y.shape[1]
    shape = torch.Size([p])
    outputs, points = (torch.tensor(part, dtype=dtype, device=device) for part in (Y, X))

    class Model(gplvm.BayesianGPLVM):  # type: ignore[name-defined]
        def __init__(self) -> None:
            inducing = points[torch.randperm(n)[:n_inducing]].expand(p, n_inducing, q).clone()
            distribution = gpytorch.variational.CholeskyVariationalDistribution(
                n_inducing, batch_shape=shape
            )
            strategy = gpytorch.variational.VariationalStrategy(
                self, inducing, distribution, learn_inducing_locations=True
            )
            if latent == "point":
                X_of_rows = latents.PointLatentVariable(n, q, torch.nn.Parameter(points))
            else:
                zeros = torch.zeros(n, q, dtype=dtype, device=device)
                prior = gpytorch.priors.NormalPrior(zeros, torch.ones_like(zeros))
                X_of_rows = latents.VariationalLatentVariable(n, p, q, points, prior)
            super().__init__(X_of_rows, strategy)
            self.mean_module = gpytorch.means.ZeroMean(batch_shape=shape)
            self.covar_module = gpytorch.kernels.ScaleKernel(
                gpytorch.kernels.RBFKernel(ard_num_dims=q)
            )

        def forward(self, X_of_rows: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(X_of_rows), self.covar_module(X_of_rows)
            )

    model = Model().to(device=device, dtype=dtype)
    likelihood = gpytorch.likelihoods.GaussianLikelihood(batch_shape=shape).to(
        device=device, dtype=dtype
    )
    objective = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=n)
    free = [*model.parameters(), *likelihood.parameters()]

    def run() -> None:
        rows = torch.randint(n, (batch,), device=device) if batch < n else slice(None)
        for each in free:
            each.grad = None
        objective(model(model.sample_latent_variable()[rows]), outputs[rows].T).sum().backward()

    return run, free
