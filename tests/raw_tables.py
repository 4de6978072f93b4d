"""Generated raw tables for tests."""

import numpy as np
import pandas as pd


def clouds(*centres: float, size: int = 20, columns: int = 4, seed: int = 0) -> np.ndarray:
    """Return Gaussian rows around some centres, the rows of each centre together."""
    random = np.random.RandomState(seed)
    return np.vstack([random.randn(size, columns) + centre for centre in centres])


def groups(n: int, seed: int = 0) -> np.ndarray:
    """Return the groups of `birds`, which its table does not contain."""
    return np.random.RandomState(seed).randint(3, size=n)


def birds(n: int = 333, seed: int = 0, missing: float = 0.03) -> pd.DataFrame:
    """Return a table with an id, two text and four number columns, and missing values."""
    rng = np.random.RandomState(seed)
    group = rng.randint(3, size=n)
    centres = np.array(
        [[38.8, 18.3, 190.0, 3700.0], [48.8, 18.4, 196.0, 3730.0], [47.5, 15.0, 217.0, 5080.0]]
    )
    spread = np.array([2.0, 0.9, 5.0, 300.0])
    table = pd.DataFrame(
        np.round(centres[group] + spread * rng.randn(n, 4), 1),
        columns=["bill_length", "bill_depth", "flipper_length", "body_mass"],
    )
    table.insert(0, "bird", [f"N{number:04d}" for number in rng.permutation(n)])
    islands = np.array([["Torgersen", "Dream", "Biscoe"], ["Dream"] * 3, ["Biscoe"] * 3])
    table.insert(1, "island", islands[group, rng.randint(3, size=n)])
    table["sex"] = np.where(rng.rand(n) < 0.5, "female", "male")
    empty = rng.rand(n, 6) < missing
    return pd.concat([table[["bird"]], table.iloc[:, 1:].mask(empty)], axis=1)
