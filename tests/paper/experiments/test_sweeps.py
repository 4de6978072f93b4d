import pytest
from small_studies import planned_sweep, small_benchmark, small_sweep

from sgpmic_cli.errors import UsageError
from sgpmic_cli.paper.experiments import CLUSTERS, INDUCING


def _counts(axis, datasets, values, methods, tmp_path, **options):
    plan = planned_sweep(axis, datasets, values, methods, store=tmp_path, **options)
    return [(cell.dataset, cell.q, cell.parameter(axis.parameter)) for cell in plan.cells]


@pytest.mark.parametrize(
    ("axis", "dataset", "expected"),
    [
        (INDUCING, "iris", [1, 3, 5, 10, 30, 50, 100, 150]),  # at most the number of rows
        (INDUCING, "wine", [1, 3, 5, 10, 30, 50, 100, 150, 178]),
        (CLUSTERS, "iris", [3, 9, 27, 81, 149]),  # multiples of the classes, fewer than rows
        (CLUSTERS, "segment", [7, 21, 63, 189, 560]),
    ],
)
def test_the_default_values_fit_the_number_of_rows(tmp_path, axis, dataset, expected):
    counts = _counts(axis, [dataset], axis.values, ["sgp-mic"], tmp_path)
    assert [count for _, _, count in counts] == expected


def test_the_covariance_floor_shrinks_with_the_volume_of_a_cluster(tmp_path):
    cells = planned_sweep(CLUSTERS, ["iris"], ["1", "4"], ["sgp-mic"], store=tmp_path).cells
    floors = [cell.settings["covariance_floor"] for cell in cells]
    # With two dimensions, four times as many clusters have a quarter of the area each.
    assert floors == pytest.approx([0.05, 0.0125])


def test_the_row_is_that_of_the_figure_unless_a_variance_is_given(tmp_path):
    both = _counts(CLUSTERS, ["australian", "segment"], ["1"], ["pca-fcm"], tmp_path)
    assert both == [("australian", 1, 2), ("segment", 4, 7)]
    given = _counts(CLUSTERS, ["segment"], ["1"], ["pca-fcm"], tmp_path, explained_variance=99)
    assert given == [("segment", 6, 7)]
    yale = planned_sweep(INDUCING, ["yale", "iris"], ["1"], ["sgp-mic"], store=tmp_path)
    rows = [(cell.dataset, cell.explained_variance, cell.q) for cell in yale.cells]
    assert rows == [("yale", 50, 3), ("iris", 95, 2)]


def test_a_method_without_inducing_points_is_refused(tmp_path):
    with pytest.raises(UsageError, match="'pca-fcm' has no inducing points"):
        planned_sweep(INDUCING, ["iris"], ["1"], ["pca-fcm"], store=tmp_path)


def test_the_first_point_reuses_the_runs_of_the_table(tmp_path):
    options = {"store": tmp_path / "runs", "repeats": 2}
    _, table = small_benchmark(["iris"], [95], ["pca-fcm"], out=tmp_path / "table", **options)
    done = small_sweep(
        CLUSTERS, ["iris"], ["1", "2"], ["pca-fcm"], out=tmp_path / "sweep", **options
    )
    assert (done.runs.computed, done.runs.reused) == (2, 2)
    acc = done.points[done.points["metric"] == "acc"]
    assert acc["mean"].iloc[0] == table["mean"].iloc[0]
    assert acc["n_clusters"].tolist() == [3, 6]


def test_unavailable_data_are_reported_and_the_rest_runs(tmp_path):
    done = small_sweep(CLUSTERS, ["iris", "yale"], ["1"], ["pca-fcm"], repeats=1, out=tmp_path)
    assert done.available["dataset"].unique().tolist() == ["iris"]
    assert "yale is unavailable" in done.document()["unavailable"]["yale"]
    assert "yale is unavailable" in (tmp_path / "sweep.md").read_text()
