"""Types that the whole package shares."""

import os

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Labels = NDArray[np.int64]  # one class or cluster for each row
PathLike = str | os.PathLike[str]
