"""Types that the whole package shares."""

import os
from typing import TYPE_CHECKING, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from pandas import DataFrame

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
PathLike = str | os.PathLike[str]
Table = Union[ArrayLike, "DataFrame"]
