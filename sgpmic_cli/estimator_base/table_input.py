"""The way from a table to the scaled rows of a model, for `fit` and for new rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sgpmic_cli._typing import Array, BoolArray, Table
from sgpmic_cli.errors import UsageError, input_errors, warn_caller
from sgpmic_cli.estimator_base.prediction import Features
from sgpmic_cli.estimator_base.scaling import SAFE_RANGE, Scale, offset_and_scale
from sgpmic_cli.row_blocks import row_blocks
from sgpmic_cli.tables.encoder import TableEncoder, is_frame
from sgpmic_cli.tables.options import MissingMode


class TableInput(BaseEstimator):
    """An estimator that encodes and scales the tables that it is given.

    Data frames are raw tables, which `encoder_` makes features of. Arrays are features.
    """

    scale: Scale
    encoder_: TableEncoder | None
    offset_: Array
    scale_: Array
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def encode(self, X: Table) -> Features:
        """Return the features of rows, which the methods for new rows take instead of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows or training rows.

        Returns
        -------
        features : Features
            The features of shape (n_samples, F), and their encoder.
        """
        check_is_fitted(self)
        return Features(self._encode(X, fitting=False), self.encoder_)

    def _encode(self, X: Table | Features, *, fitting: bool) -> Array:
        """Return the features of a table (n, F), NaN for missing values.

        After a fit to a data frame, the columns of an array are matched by position.
        """
        if isinstance(X, np.ma.MaskedArray):  # scikit-learn ignores the mask
            X = np.ma.filled(X.astype(np.float64), np.nan)
        if fitting:
            self._learn_encoder(X)
        checks: Any = {"dtype": np.float64, "order": "C", "ensure_min_samples": 1 + fitting}
        if isinstance(X, Features):
            Y = X.Y
        elif self.encoder_ is None:
            finite = "allow-nan" if _allows_nan(self) else True
            with input_errors():
                return validate_data(self, X, reset=fitting, ensure_all_finite=finite, **checks)
        else:
            if not is_frame(X):
                validate_data(self, X, reset=False, skip_check_array=True)
            Y = self.encoder_.transform(X)
        with input_errors():
            return check_array(Y, ensure_all_finite="allow-nan", **checks)

    def _learn_encoder(self, X: Any) -> None:
        """Set `encoder_`, and for encoded tables the number and the names of the columns."""
        self.encoder_ = None
        if isinstance(X, Features) and X.encoder is not None:
            self.encoder_, self.n_features_in_ = X.encoder, X.encoder.n_features_in_
            if hasattr(X.encoder, "feature_names_in_"):
                self.feature_names_in_ = X.encoder.feature_names_in_
        elif is_frame(X):
            validate_data(self, X, skip_check_array=True)
            self.encoder_ = TableEncoder(missing=missing_mode(type(self))).fit(X)
            if notes := self.encoder_.notes_:
                warn_caller(" ".join(note[0].upper() + note[1:] for note in notes))

    def _without_values(self, Y: Array) -> BoolArray:
        """Return which rows have no value (n,), and warn of them."""
        blocks = list(row_blocks(len(Y)))
        empty = np.concatenate([np.isnan(Y[rows]).all(axis=1) for rows in blocks])
        if empty.all():
            raise UsageError("No row has a value.")
        if not _allows_nan(self) and any(np.isnan(Y[b][~empty[b]]).any() for b in blocks):
            raise UsageError(f"X has missing values, which {type(self).__name__} does not take.")
        if empty.any():
            count, first = np.count_nonzero(empty), np.flatnonzero(empty)[0] + 1
            warn_caller(f"Rows without any value are left out: {count}, the first is row {first}.")
        return empty

    def _set_scaling(self, Y: Array, **options: bool) -> None:
        """Set `offset_` and `scale_` from the features (N, F)."""
        levels = None if self.encoder_ is None else self.encoder_.recipe_.levels
        self.offset_, self.scale_ = offset_and_scale(Y, self.scale, levels, **options)

    def _scaled(self, Y: Array, first_row: int = 0) -> Array:
        """Return the scaled features. Features with a scale of zero are left out."""
        used = self.scale_ > 0
        with np.errstate(over="ignore"):
            scaled = (Y[:, used] - self.offset_[used]) / self.scale_[used]
        if len(far := np.flatnonzero((np.abs(scaled) > SAFE_RANGE[1]).any(axis=1))):
            raise UsageError(
                f"Row {first_row + far[0] + 1} is too far from the training rows to be assigned "
                f"(beyond {SAFE_RANGE[1]:.0e} standard deviations)."
            )
        return np.asarray(scaled)


def missing_mode(estimator: type[TableInput]) -> MissingMode:
    """Return how tables for an estimator are encoded: NaN if it deals with it, else medians."""
    return "model" if _allows_nan(estimator()) else "median"


def _allows_nan(estimator: TableInput) -> bool:
    return bool(get_tags(estimator).input_tags.allow_nan)
