import json
import re

from command_line import sgpmic


def test_clusters_are_swept_and_the_table_is_on_stdout(here):
    result = sgpmic(
        "sweep-clusters --dataset iris --methods pca-fcm,ppca-fcm --values 1,2 --repeats 2 "
        "--n-jobs 1"
    )
    assert "ACC on iris, 95 % of the variance" in result.stdout
    assert "88.67±0.00" in result.stdout
    assert re.search(r"\b8 .*computed.*\b0 reused.*sgpmic-out/sweep-clusters", result.stderr)
    written = {path.name for path in (here / "sgpmic-out" / "sweep-clusters").glob("[!.]*")}
    assert written == {"sweep.csv", "sweep.md", "sweep.json", "manifest.json", "runs"}


def test_inducing_points_are_swept_as_json(here):
    result = sgpmic(
        "sweep-inducing --dataset iris --values 1,3 --repeats 1 --json --quiet --n-jobs 1"
    )
    assert result.stderr == ""
    points = json.loads(result.stdout)["points"]
    assert [point["n_inducing"] for point in points] == [1, 3]
    assert all(point.keys() >= {"acc", "nmi", "seconds", "failed"} for point in points)
