import json
import re

import pandas as pd
from command_line import document, sgpmic
from made_up import write_results


def names(folder):
    return {path.name for path in folder.glob("[!.]*")}


def test_the_shapes_of_table_1_are_printed_and_written(here):
    line = "table1 --out table1"
    result = sgpmic(line)
    assert result.stdout.count("equal") == 8
    assert "yale is unavailable" in result.stdout
    assert document(line) == json.loads((here / "table1" / "table1.json").read_text())


def test_clusters_are_swept_and_the_table_is_on_stdout(here):
    methods = "--methods pca-fcm,ppca-fcm --values 1,2 --repeats 2 --n-jobs 1"
    result = sgpmic(f"sweep-clusters --dataset iris {methods}")
    assert "ACC on iris, 95 % of the variance" in result.stdout
    assert "88.67±0.00" in result.stdout
    assert re.search(r"\b8 .*computed.*\b0 reused.*sgpmic-out/sweep-clusters", result.stderr)
    written = names(here / "sgpmic-out" / "sweep-clusters")
    assert written == {"sweep.csv", "sweep.md", "sweep.json", "manifest.json", "runs"}


def test_inducing_points_are_swept_as_json(here):
    line = "sweep-inducing --dataset iris --values 1,3 --repeats 1 --quiet --n-jobs 1"
    points = document(line)["points"]
    assert [point["n_inducing"] for point in points] == 4 * [1] + 4 * [3]
    assert all(point.keys() >= {"metric", "mean", "std", "failed"} for point in points)
    written = pd.read_csv("sgpmic-out/sweep-inducing/sweep.csv")
    assert written["metric"].tolist() == ["acc", "nmi", "ari", "seconds"] * 2
    assert (written["mean"] > 0).all()
    assert sgpmic("plot figure8").stdout == "sgpmic-out/figures/figure8.png\n"


def test_the_other_figures_are_drawn_after_an_error(here):
    result = sgpmic("plot figure7 figure1 --out here", code=2)
    assert result.stdout == "here/figure1.png\n"
    assert "'sgpmic-out/sweep-clusters/sweep.csv'" in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_report_is_written_and_its_path_printed(here):
    write_results(here)
    assert sgpmic("report --results .").stdout == "sgpmic-out/report.html\n"
    page = (here / "sgpmic-out" / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
