"""Types that the whole package shares."""

import os

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
PathLike = str | os.PathLike[str]
