"""Sets that come with a library this package needs anyway."""

import numpy as np


def digits() -> tuple[np.ndarray, list[str], list[str]]:
    """scikit-learn's handwritten digits: 8 x 8 pixels of 1,797 images; values, classes, names of the columns."""
    from sklearn.datasets import load_digits

    found = load_digits()
    return found.data, [str(digit) for digit in found.target], list(found.feature_names)


INSTALLED = {"digits": digits}
