import numpy as np
import pandas as pd
import pytest

from benchmarks import agreement


def _search(folder, distances):
    """Write a search of two settings with these distances on each data set."""
    rows = [
        (variation, dataset, 95, 1, metric, 0.0, 0.0, sign * distance)
        for variation, by_dataset in distances.items()
        for dataset, distance in zip("abcd", by_dataset, strict=True)
        for metric, sign in (("acc", 1), ("nmi", -1))
    ]
    names = ["variation", "dataset", "variance", "q", "metric", "ours", "paper", "difference"]
    folder.mkdir(parents=True)
    pd.DataFrame(rows, columns=names).to_csv(folder / "search.csv", index=False)


def test_settings_are_measured_on_the_half_that_did_not_choose_them(tmp_path):
    _search(tmp_path / "search/sgp-mic", {"chosen": [1, 1, 9, 9], "other": [9, 9, 1, 1]})
    _search(tmp_path / "search/null-gmm", {"chosen": [2, 2, 2, 2], "other": [3, 3, 3, 3]})
    model, null = agreement.halves_table(tmp_path).to_dict("records")
    # Two of six halves choose what fits them alone; four have one data set of each kind (5).
    assert model["held out, ACC"] == pytest.approx((2 * 9 + 4 * 5) / 6)
    assert model["distance, setting of the table"] == 5
    assert (null["held out, NMI"], null["chosen most often"]) == (2, "chosen (6 of 6)")


def test_a_reversed_order_of_the_methods_and_a_lost_lead_are_seen(tmp_path, monkeypatch):
    numbers = {"sgp-mic": (80, 90), "pca-fcm": (70, 70), "sdc": (90, 80)}
    cells = pd.DataFrame(
        [
            {"metric": metric, "dataset": "iris", "explained_variance": 95, "method": method}
            | {"paper_mean": printed, "mean": ours if metric == "acc" else printed}
            for metric in ("acc", "nmi")
            for method, (printed, ours) in numbers.items()
        ]
    )
    monkeypatch.setattr(agreement, "judged_cells", lambda _: cells)
    table = agreement.order_table(tmp_path).set_index(["score", "data set"])
    shown = ["rank correlation", "printed lead", "our lead"]
    assert table.loc[("ACC", "iris"), shown].tolist() == [0.5, -10, 10]
    ratios = table["ratio"]
    assert np.isnan(ratios["ACC", "iris"])  # the leads have opposite signs
    assert ratios["NMI", "iris"] == 1.0
    assert table["leads of equal sign"].tolist() == ["0 of 1", "1 of 1", "0 of 1", "1 of 1"]
