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
    monkeypatch.setattr(agreement, "read_cells", lambda _: cells)
    table = agreement.order_table(tmp_path).set_index(["score", "data set"])
    shown = ["rank correlation", "printed lead", "our lead"]
    assert table.loc[("ACC", "iris"), shown].tolist() == [0.5, -10, 10]
    ratios = table["ratio"]
    assert np.isnan(ratios["ACC", "iris"])  # the leads have opposite signs
    assert ratios["NMI", "iris"] == 1.0
    assert table["leads of equal sign"].tolist() == ["0 of 1", "1 of 1", "0 of 1", "1 of 1"]


def test_null_columns_are_the_largest_class_and_pca_beside_every_other_print():
    printed = {"pca-fcm": (88.67, 66.5), "sdc": (90.0, 0.4)}
    cells = pd.DataFrame(
        [
            {"metric": metric, "dataset": "iris", "explained_variance": 95, "method": method}
            | {"mean": 89.5 if metric == "acc" else 70.0, "std": 0.0, "repeats": 10, "failed": 0}
            | {"paper_mean": mean, "paper_std": 0.0, "paper_repeats": 10, "data_differ": False}
            for method, means in printed.items()
            for metric, mean in zip(("acc", "nmi"), means, strict=True)
        ]
    )
    nulls = agreement.null_columns(cells)
    counts = nulls.groupby("method")["near"].agg(["size", "sum"])
    # A third of Iris is one class. NMI 0 is near the 0.4 of SDC, and ACC 89.5 near its 90.
    assert counts.loc[agreement.ONE_CLUSTER].tolist() == [4, 1]
    assert counts.loc[agreement.EVERY_PCA].tolist() == [2, 1]
    one = nulls[nulls["method"] == agreement.ONE_CLUSTER]
    assert one["mean"].tolist() == pytest.approx([100 / 3, 0, 100 / 3, 0])
