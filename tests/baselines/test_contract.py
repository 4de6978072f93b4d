"""Every competitor, and fuzzy c-means, keeps scikit-learn's contract."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from sgpmic_cli import baselines
from sgpmic_cli.fcm import FuzzyCMeans

QUICK = {
    "AEFCM": {"epochs": 2},
    "DEEPC": {"pretrain_epochs": 2, "max_steps": 5},
    "GPLVMFCM": {"max_iter": 1},
    "SDC": {"epochs": 2},
    "UNCA": {"rounds": 3},
    "VAEFCM": {"epochs": 2},
    "VAESoundFCM": {"epochs": 2},
}
ESTIMATORS = [getattr(baselines, name)(2, 1, **QUICK.get(name, {})) for name in baselines.__all__]


def expected_failures(estimator):
    if isinstance(estimator, baselines.VAEFCM) and not isinstance(estimator, baselines.VAESoundFCM):
        noise = "its code is a draw from the prior, as the printed column shows"
        return {"check_clustering": noise}
    if isinstance(estimator, baselines.FGPLVMFCM | baselines.GPLVMFCM):
        return {"check_non_transformer_estimators_n_iter": "steps of the optimiser are not counted"}
    return {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([FuzzyCMeans(2), *ESTIMATORS], expected_failed_checks=expected_failures)
def test_contract(estimator, check):
    check(estimator)
