"""What a person could do differently, judging by the data and what was found in them."""

import numpy as np

from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.row_blocks import mean_and_variance, row_blocks
from sgpmic_cli.safe_text import as_option_value
from sgpmic_cli.single_fit.profile import Profile

UNEVEN = 1000.0  # variances of columns further apart than this ask for a word about scaling
PURE = (
    0.95  # of the rows have the most common text of their cluster: the clusters are the texts ...
)
COMMON = 0.9  # ... unless nearly all rows have one and the same


def scaling_advice(data: Dataset) -> str | None:
    """One sentence when the largest columns will drown the smallest."""
    variances = mean_and_variance(lambda: (data.Y[rows] for rows in row_blocks(len(data.Y))))[1]
    low, high = [(variances[j], data.feature_names[j]) for j in _extremes(variances)]
    if high[0] <= UNEVEN * low[0]:
        return None
    return (
        f"the variance of column {high[1]!r} is {high[0] / low[0]:.0f} times that of {low[1]!r} and no column "
        "is scaled on its own: --scale standard lets every column count."
    )


def text_advice(profile: Profile) -> str | None:
    """One sentence when clusters repeat what columns of text say anyway."""
    followed = [name for name in dict.fromkeys(profile.columns) if _follow(profile, name)]
    if not followed:
        return None
    names = ", ".join(map(repr, followed))
    return (
        f"the clusters follow the text in {names} almost exactly: --drop {as_option_value(followed)} "
        "shows what the other columns have to say."
    )


def _follow(profile: Profile, column: str) -> bool:
    own = [j for j, name in enumerate(profile.columns) if name == column]
    if not profile.is_category[own].all() or np.count_nonzero(profile.sizes) < 2:
        return False
    shares = np.nan_to_num(profile.means[:, own])
    weights = profile.sizes / profile.sizes.sum()
    return bool(weights @ shares.max(axis=1) >= PURE and (weights @ shares).max() <= COMMON)


def _extremes(variances: np.ndarray) -> tuple[int, int]:
    """The columns of least and greatest variance, constant ones left aside."""
    return int(np.where(variances > 0, variances, np.inf).argmin()), int(variances.argmax())
