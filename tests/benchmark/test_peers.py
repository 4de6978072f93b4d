import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.benchmark.methods import import_class, resolve
from sgpmic_cli.paper.experiments.protocols import paper_suite

PEERS = resolve(["peers"], paper_suite().methods).values()


def two_groups(scale=1.0):
    random = np.random.RandomState(0)
    X = np.vstack([random.randn(40, 3), random.randn(40, 3) + 8.0])
    X[:, 2] = scale * random.randn(80)  # not informative
    return X, np.repeat([0, 1], 40)


@pytest.mark.parametrize("peer", PEERS, ids=[peer.name for peer in PEERS])
def test_every_peer_finds_two_groups_in_any_units(peer):
    arguments = {"n_clusters": 2, "random_state": 0}
    model = import_class(peer.target)(
        **{k: value for k, value in arguments.items() if k in peer.accepts()}
    )
    X, classes = two_groups(scale=1000.0)
    assert adjusted_rand_score(classes, model.fit_predict(X)) > 0.9
