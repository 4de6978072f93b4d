"""What follows from a fit of the default model: assignment of rows, samples, model files."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli._typing import Array, Indices, Table
from sgpmic_cli.clustering import fitted_model
from sgpmic_cli.clustering.clusters.cluster_number import Tried
from sgpmic_cli.clustering.clusters.islands import surviving_groups
from sgpmic_cli.clustering.clusters.verdicts import (
    ClusterVerdict,
    continuous_columns,
    verdicts_of,
)
from sgpmic_cli.clustering.fitted_model import ROW_AXES, FittedModel
from sgpmic_cli.clustering.map.new_rows import TrainingRows, rows_at
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base import check_parameters, storage
from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer
from sgpmic_cli.estimator_base.prediction import Features, Located
from sgpmic_cli.row_blocks import Workers, row_blocks
from sgpmic_cli.tables.recipe import typed

# Rows that decide verdicts and groups. The search of their neighbours takes quadratic time: 10,000
# rows of ten columns took 11 of the 13 seconds of a fit.
VERDICT_ROWS = 5_000
FAR = 1e100  # latent coordinates beyond it have the same rows, and their squares overflow


class FittedEstimator(LatentClusterer):
    """The methods of `GroupMap` that need a fitted model only."""

    consensus_: Array
    base_clusterings_: tuple[str, ...]
    stability_: Array | None
    verdicts_: list[dict[str, Any]]
    groups_: Indices
    group_depths_: list[float]
    _fitted: FittedModel
    optimizer_steps: int
    tol: float
    random_state: Any

    @property
    def summary_(self) -> pd.DataFrame:
        """One row for each cluster: rows, certainty, verdict with its border, stability."""
        check_is_fitted(self)
        sizes = {"rows": self.cluster_sizes_, "certainty": self.certainty_}
        summary = pd.DataFrame(sizes).join(pd.DataFrame(self.verdicts_))
        summary["stability"] = np.nan if self.stability_ is None else self.stability_
        return summary.rename_axis("cluster")

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Return the rows that the model expects at latent points.

        Parameters
        ----------
        X : array-like of shape (n_points, Q)
            Latent points.

        Returns
        -------
        rows : ndarray of shape (n_points, F)
            Mean of the process at the points, as features.
        """
        check_is_fitted(self)
        points, q = np.atleast_2d(np.asarray(X, dtype=np.float64)), self.embedding_.shape[1]
        if points.ndim != 2 or points.shape[1] != q or not np.isfinite(points).all():
            raise UsageError(f"X must be finite latent points of shape (n, {q}).")
        points = np.clip(points, -FAR, FAR)
        return self._unscaled(rows_at(self._fitted.map, points))

    def _unscaled(self, scaled: Array) -> Array:
        rows = np.tile(self.offset_, (len(scaled), 1))
        rows[:, self.scale_ > 0] += self.scale_[self.scale_ > 0] * scaled
        return rows

    def _fit_to(self, X: Table | Features) -> None:
        """Fit. Where a bar can be shown, it replaces the lines of a verbose fit."""
        if not self.verbose:
            super()._fit_to(X)
            return
        from sgpmic_cli.clustering.progress_bar import ProgressBar  # imports rich

        check_parameters(self, self._rules)
        verbose, callback = self.verbose, self.callback
        with ProgressBar(callback, self.max_iter) as bar:
            if bar.is_visible:
                self.verbose, self.callback = False, bar
            super()._fit_to(X)
        self.verbose, self.callback = verbose, callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _located(self, scaled: Array) -> Located:
        return self._fitted.locate(scaled)[0]

    def _assigned(self, scaled: Array) -> Array:
        return self._fitted.probabilities(scaled)

    def _assign(
        self, Y: Array, groups: Indices | None, threads: Workers
    ) -> tuple[Located, Indices]:
        """Return the results of rows, block by block, and the groups of the nearest fitted rows.

        `groups` are those of the fitted rows, or None if the groups of the rows are set later.
        """
        (m, q), n = self._fitted.map.mixture.means.shape, len(Y)
        located = Located(*(np.empty((n, *width)) for width in ((q,), (q,), (m,), ())))
        found = np.full(n, -1)
        report = getattr(self.callback, "assigned", None)
        for rows in row_blocks(n):
            scaled = self._scaled(Y[rows], rows.start)
            parts, nearest = zip(
                *self._map_block(scaled, self._fitted.locate, threads), strict=True
            )
            for values, part in zip(located, Located.joined(parts), strict=True):
                values[rows] = part
            if groups is not None:
                found[rows] = groups[np.concatenate(nearest)]
                if report is not None:
                    report(rows.stop, n)
        return located, found

    def _set_rows(self, located: Located) -> None:
        self.embedding_, self.embedding_variances_ = located.points, located.variances
        self.responsibilities_, self.log_density_ = located.S, located.log_density

    def _set_fitted_rows(self, S: Array, groups: Indices) -> None:
        """Set the results of the fitted rows, given their probabilities and groups."""
        rows, p = self._fitted.row_indices, self._fitted.map.parameters
        self.embedding_[rows], self.embedding_variances_[rows] = p.mu, np.exp(p.log_s)
        self.responsibilities_[rows], self.groups_[rows] = S, groups

    def _set_verdicts(self) -> Indices:
        """Set the verdicts, and return the group of each fitted row, or -1.

        Verdicts depend on the table and not on `random_state`, groups only as far as the map does.
        """
        self._report_step("groups")
        fitted = self._fitted
        n = len(fitted.rows.rows)
        # A fit has its rows in canonical order, so the subsample does not depend on the table's.
        chosen = np.linspace(0, n - 1, min(n, VERDICT_ROWS)).astype(np.intp)
        continuous = continuous_columns(fitted.rows.rows)
        labels, sample = fitted.clusters.labels[chosen], continuous[chosen]
        verdicts = verdicts_of(sample, labels, fitted.clusters.n_clusters)
        self.verdicts_ = [verdict._asdict() for verdict in verdicts]
        groups = surviving_groups(sample, labels, [fitted.map.parameters.mu[chosen]])
        self.group_depths_ = groups.depths
        if len(chosen) == n:
            return groups.labels
        if not groups.depths:  # perhaps because no column is continuous
            return np.full(n, -1)
        return groups.labels[TrainingRows(sample).nearest(continuous, 1)[1][:, 0]]

    def _derive(self) -> None:
        """Set the attributes that follow from the fitted map."""
        fitted_map = self._fitted.map
        p, mixture = fitted_map.parameters, fitted_map.mixture
        self.weights_ = self._fitted.clusters.weights
        self.means_, self.covariances_ = mixture.means, mixture.covariances
        self.inducing_points_ = p.Z
        self.noise_variances_ = np.where(self.scale_ > 0, np.exp(p.log_noise[0]), 0.0)
        v, linear = float(np.exp(p.log_v[0])), float(np.exp(p.log_l[0]))
        self.kernel_params_ = [{"variance": v, "inverse_widths": np.exp(p.log_g), "linear": linear}]
        self.lower_bound_, self.lower_bounds_ = fitted_map.bounds[-1], list(fitted_map.bounds)
        self.n_iter_, self.converged_ = len(fitted_map.bounds), fitted_map.converged

    def _content(self) -> tuple[dict[str, Any], dict[str, Array]]:
        names = [*ROW_AXES, "consensus_", "offset_", "scale_", "lower_bounds_"]
        arrays = {name: getattr(self, name) for name in names} | self._fitted.to_arrays()
        names = ["converged_", "base_clusterings_", "verdicts_", "group_depths_"]
        values = {name: getattr(self, name) for name in names}
        values["stability_"] = None if self.stability_ is None else self.stability_.tolist()
        tried = self.selection_
        values["selection_"] = None if tried is None else tried.to_dict("records")
        return values, arrays

    def _restore(self, values: dict[str, Any], members: storage.Arrays, every_row: bool) -> None:
        arrays = fitted_model.checked_arrays(members, every_row=every_row)
        self._fitted = fitted_model.from_arrays(arrays, converged=typed(bool, values["converged_"]))
        self.offset_, self.scale_ = arrays["offset_"], arrays["scale_"]
        self.consensus_ = arrays["consensus_"]
        if every_row:
            for name in ROW_AXES:
                setattr(self, name, arrays[name])
            self.groups_ = self.groups_.astype(np.intp)
        else:  # those of the fitted rows
            p = self._fitted.map.parameters
            self.embedding_, self.embedding_variances_ = p.mu, np.exp(p.log_s)
            self.responsibilities_ = self._fitted.probabilities(arrays["rows"])
        self._derive()
        n, m = len(arrays["rows"]), len(self.weights_)
        self.base_clusterings_ = typed(tuple[str, ...], values["base_clusterings_"])
        tried = typed(list[Tried] | None, values["selection_"])
        self.selection_ = None if tried is None else pd.DataFrame(tried)
        if tried is not None:
            numbers = {row["n_clusters"] for row in tried}
            if m not in numbers or not numbers <= {*range(1, n + 1)}:
                raise ValueError("the numbers of clusters tried are impossible")
        verdicts: list[ClusterVerdict] = typed(list[ClusterVerdict], values["verdicts_"])
        if len(verdicts) != m or any(each.neighbour not in (None, *range(m)) for each in verdicts):
            raise ValueError("there is not one verdict for each cluster")
        self.verdicts_ = [verdict._asdict() for verdict in verdicts]
        self.group_depths_ = typed(list[float], values["group_depths_"])
        if every_row and self.groups_.max() >= len(self.group_depths_):
            raise ValueError("a group has no depth")
        stability = typed(list[float] | None, values["stability_"])
        self.stability_ = None if stability is None else np.array(stability)
        if self.stability_ is not None and self.stability_.shape != (m,):
            raise ValueError("the stability does not have one number for each cluster")
        self._diagnose()
