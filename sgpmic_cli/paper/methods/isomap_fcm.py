"""ISOMAP-FCM: fuzzy c-means on ISOMAP coordinates.

J. B. Tenenbaum, V. de Silva and J. C. Langford, "A Global Geometric Framework for Nonlinear
Dimensionality Reduction", Science 290, 2000.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.estimator_base.parameter_checks import BOOLEAN, MEMORY, one_of
from sgpmic_cli.files.array_cache import Memory
from sgpmic_cli.paper.embeddings.isomap import Parts, isomap
from sgpmic_cli.paper.methods._clusterer import EmbeddingFCM


@dataclass(eq=False, repr=False, kw_only=True)
class IsomapFCM(EmbeddingFCM):
    """A clusterer that applies fuzzy c-means to ISOMAP coordinates.

    The defaults reproduce the paper's table; `embeddings/isomap.py` explains them.

    Parameters
    ----------
    components : {"largest", "joined", "auto"}, default="largest"
        How to treat a neighbour graph that is not connected. "largest" embeds the largest
        connected component only, "joined" connects the components, and "auto" connects them if
        none contains more than half of the rows.
    unit_variance : bool, default=True
        Scale every axis to unit variance.
    memory : None, str, path-like or joblib.Memory, default=None
        Cache of the ISOMAP coordinates.
    """

    components: Parts = "largest"
    unit_variance: bool = True
    memory: PathLike | Memory | None = None

    _rules: ClassVar = {
        "components": one_of("largest", "joined", "auto"),
        "unit_variance": BOOLEAN,
        "memory": MEMORY,
    }

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        return isomap(
            Y,
            self.n_components,
            parts=self.components,
            unit_variance=self.unit_variance,
            memory=self.memory,
        )
