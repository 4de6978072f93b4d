import json
from pathlib import Path

import pytest
from small_studies import prepared, small_benchmark

from sgpmic_cli.errors import DataUnavailable, SgpmicError, UsageError
from sgpmic_cli.experiments.compare.paper import published
from sgpmic_cli.experiments.plan.methods import Method
from sgpmic_cli.experiments.run.pipeline import compute
from sgpmic_cli.experiments.run.run_options import Watcher

# Cells that come out as printed, to the second decimal, in ACC and in NMI: (data set, variance, method).
EXACT = (
    [("iris", variance, "pca-fcm") for variance in (50, 95, 99)]
    + [("iris", variance, "ppca-fcm") for variance in (50, 95)]
    + [("wine", variance, "pca-fcm") for variance in (50, 95, 99)]
    + [("wine", variance, "isomap-fcm") for variance in (50, 95, 99)]
    + [("wine", variance, "ppca-fcm") for variance in (50, 99)]
    + [("sonar", variance, "pca-fcm") for variance in (50, 95, 99)]
    + [("sonar", 50, method) for method in ("isomap-fcm", "ppca-fcm")]
    + [
        ("wdbc", variance, method)
        for variance in (50, 95, 99)
        for method in ("pca-fcm", "isomap-fcm", "ppca-fcm")
    ]
    + [("bc", variance, "pca-fcm") for variance in (50, 95, 99)]
    + [("bc", variance, method) for variance in (50, 95) for method in ("isomap-fcm", "ppca-fcm")]
)
MIRROR = Path(__file__).parents[3].parent / "shared" / "datasets" / "original"


def _files(folder):
    return {name: (folder / name).read_bytes() for name in ("table.csv", "table.md", "table.tex")}


def test_the_paper_comes_out_to_the_second_decimal(tmp_path):
    finished = small_benchmark(
        ["iris", "wine", "sonar", "wdbc", "bc"],
        ["all"],
        ["pca-fcm", "isomap-fcm", "ppca-fcm"],
        out=tmp_path,
        repeats=3,
    )
    got = {
        (result.dataset, result.variance, result.method): result.verdict
        for result in finished.results
    }
    assert {cell: got[cell] for cell in EXACT} == {
        cell: {"acc": "exact", "nmi": "exact"} for cell in EXACT
    }


def test_the_second_time_nothing_is_computed_and_the_tables_are_the_same(tmp_path):
    first = small_benchmark(["iris"], [50, 95], ["pca-fcm"], out=tmp_path, repeats=3)
    before = _files(tmp_path)
    second = small_benchmark(["iris"], [50, 95], ["pca-fcm"], out=tmp_path, repeats=3)
    assert (first.runs.computed, first.runs.reused) == (6, 0)
    assert (second.runs.computed, second.runs.reused) == (0, 6)
    assert _files(tmp_path) == before
    more = small_benchmark(["iris"], [95], ["pca-fcm", "ppca-fcm"], out=tmp_path, repeats=4)
    assert (more.runs.computed, more.runs.reused) == (5, 3)
    assert (
        small_benchmark(
            ["iris"], [95], ["pca-fcm"], out=tmp_path, repeats=3, force=True
        ).runs.computed
        == 3
    )


def test_a_damaged_record_is_computed_again_with_a_warning(tmp_path):
    heard = []

    class Ear(Watcher):
        def warn(self, sentence):
            heard.append(sentence)

    small_benchmark(["iris"], [95], ["pca-fcm"], out=tmp_path, repeats=3)
    before = _files(tmp_path)
    next((tmp_path / "runs").glob("*.json")).write_text('{"key": ')
    again = small_benchmark(["iris"], [95], ["pca-fcm"], out=tmp_path, repeats=3, watcher=Ear())
    assert again.runs.computed == 1
    assert len(heard) == 1
    assert _files(tmp_path) == before


def test_the_mean_is_over_the_successes_and_says_how_many(tmp_path):
    finished = small_benchmark(["iris"], [95], ["toy_methods:Flaky"], out=tmp_path, repeats=12)
    (cell,) = finished.document()["cells"]
    assert 0 < cell["failed"] < cell["repeats"] == 12
    assert cell["failed"] == finished.runs.failed
    assert cell["acc"]["mean"] > 33.3  # a failure counts as nothing, not as zero
    assert cell["verdict"] == {"acc": "new", "nmi": "new"}
    assert (
        f"{cell['failed']} of 12 runs failed: FloatingPointError: the bound is not finite"
        in cell["note"]
    )


@pytest.mark.slow
def test_failures_are_run_again_only_when_asked(tmp_path, monkeypatch):
    arguments = {"out": tmp_path, "repeats": 12, "n_jobs": 1}
    broken = small_benchmark(["iris"], [95], ["toy_methods:Flaky"], **arguments)
    monkeypatch.setenv("TOY_MENDED", "1")
    assert (
        small_benchmark(["iris"], [95], ["toy_methods:Flaky"], **arguments).runs.failed
        == broken.runs.failed
        > 0
    )
    mended = small_benchmark(["iris"], [95], ["toy_methods:Flaky"], retry_failed=True, **arguments)
    assert (mended.runs.failed, mended.runs.computed) == (0, broken.runs.failed)


def test_a_cell_of_failures_is_failed_and_every_table_still_renders(tmp_path):
    finished = small_benchmark(
        ["iris"], [95], ["toy_methods:Broken", "pca-fcm"], out=tmp_path, repeats=2
    )
    broken, sound = finished.document()["cells"]
    assert broken["verdict"] == {"acc": "failed", "nmi": "failed"}
    assert broken["acc"] == {"mean": None, "std": None}
    assert broken["note"] == "All 2 runs failed: ValueError: no luck."
    assert sound["verdict"]["acc"] == "exact"
    assert "failed" in (tmp_path / "table.md").read_text()
    assert json.loads((tmp_path / "benchmark.json").read_text()) == finished.document()


def test_of_a_grid_the_labels_choose_and_the_note_says_so(tmp_path, monkeypatch):
    from sgpmic_cli.experiments.plan import methods

    levels = (0.0, 0.9, 0.3)
    monkeypatch.setattr(
        methods, "_BUILT_IN", (Method("graded", "toy_methods:Graded", grid={"level": levels}),)
    )
    finished = small_benchmark(["iris"], [95], ["graded"], out=tmp_path, repeats=3)
    (cell,) = finished.document()["cells"]
    assert finished.runs.computed == 9
    assert cell["settings"] == {"level": 0.9}
    assert [point["settings"]["level"] for point in cell["grid"]] == list(levels)
    assert (
        cell["acc"]
        == cell["grid"][1]["acc"]
        == max((point["acc"] for point in cell["grid"]), key=lambda x: x["mean"])
    )
    assert "The labels chose level = 0.9: the best mean ACC of 3 settings" in cell["note"]


@pytest.mark.slow
def test_a_grid_follows_the_protocol_and_tells_of_failures_at_other_settings(tmp_path, monkeypatch):
    from sgpmic_cli.experiments.plan import methods

    monkeypatch.setattr(
        methods, "_BUILT_IN", (Method("graded", "toy_methods:Graded", grid={"level": (-1.0, 0.5)}),)
    )
    finished = small_benchmark(
        ["iris"], [95], ["graded"], out=tmp_path, repeats=3, protocol="as-stated"
    )
    (cell,) = finished.document()["cells"]
    assert cell["settings"] == {"level": 0.5}
    assert cell["nmi"] == cell["grid"][1]["nmi"]
    assert cell["grid"][0]["acc"]["mean"] is None
    assert (cell["failed"], finished.runs.failed) == (0, 3)
    assert "3 runs of other settings failed: ValueError: below zero" in cell["note"]


def test_protocols_differ_in_nmi(tmp_path):
    cells = {
        name: small_benchmark(
            ["iris"], [95], ["pca-fcm"], out=tmp_path, repeats=1, protocol=name
        ).document()
        for name in ("as-run", "as-stated")
    }
    assert {name: document["protocol"] for name, document in cells.items()} == {
        name: name for name in cells
    }
    nmi = {name: document["cells"][0]["nmi"]["mean"] for name, document in cells.items()}
    assert nmi["as-run"] == pytest.approx(published("nmi", "iris", 95, "pca-fcm").mean, abs=0.01)
    assert 0 < abs(nmi["as-run"] - nmi["as-stated"]) < 5


def test_without_its_data_yale_is_unavailable_and_the_rest_runs(tmp_path, monkeypatch):
    monkeypatch.delenv("SGPMIC_MIRROR", raising=False)
    where = {"data_dir": tmp_path / "none", "offline": True}
    finished = small_benchmark(
        ["iris", "yale"], [50], ["pca-fcm"], out=tmp_path, repeats=1, **where
    )
    iris, yale = finished.document()["cells"]
    assert iris["verdict"]["acc"] == "exact"
    assert yale["verdict"] == {"acc": "unavailable", "nmi": "unavailable"}
    assert (yale["q"], yale["repeats"]) == (3, 0)
    assert "yale is unavailable" in yale["note"]
    with pytest.raises(DataUnavailable, match="yale is unavailable"):
        small_benchmark(["yale"], [50], ["pca-fcm"], out=tmp_path, repeats=1, **where)


@pytest.mark.skipif(
    not MIRROR.is_dir(), reason="the publishers' files are not beside this checkout"
)
def test_yale_runs_from_a_mirror_with_the_printed_q_and_is_marked(tmp_path):
    finished = small_benchmark(
        ["yale"], ["all"], ["pca-fcm"], out=tmp_path, repeats=1, mirror=str(MIRROR)
    )
    (cell,) = finished.document()["cells"]
    assert (cell["variance"], cell["q"]) == (50, 3)
    assert cell["verdict"] == {"acc": "data differ", "nmi": "data differ"}
    assert cell["acc"]["mean"] < cell["paper"]["acc"]["mean"]


def test_anybodys_file_and_anybodys_method_are_new(tmp_path):
    path = tmp_path / "my_data.csv"
    path.write_text("a,b,kind\n" + "".join(f"{i % 7},{i % 5},{'xy'[i % 2]}\n" for i in range(40)))
    finished = small_benchmark(
        [str(path)], [95], ["toy_methods:Halves"], out=tmp_path, label="kind", repeats=2
    )
    (cell,) = finished.document()["cells"]
    assert (cell["dataset"], cell["n_clusters"], cell["paper"]) == ("my_data.csv", 2, None)
    assert cell["verdict"] == {"acc": "new", "nmi": "new"}


def test_the_manifest_says_what_the_tables_were_made_with(tmp_path):
    small_benchmark(["iris"], [95], ["pca-fcm"], out=tmp_path, repeats=1)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["arguments"]["datasets"] == ["iris"]
    assert manifest["versions"].keys() >= {"python", "numpy", "scipy", "scikit-learn", "sgpmic"}
    assert manifest["blas"]
    assert manifest["cpu"]["cores"] >= 1
    assert len(manifest["data"]["iris, 150 x 4"]) == 64
    assert manifest["runs"] == {"computed": 1, "reused": 0, "failed": 0}
    assert "commit" in manifest
    spent = manifest["seconds_of_all_runs"]
    small_benchmark(
        ["iris"], [95], ["pca-fcm"], out=tmp_path, repeats=1, mirror="/home/somebody/data"
    )
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["runs"] == {"computed": 0, "reused": 1, "failed": 0}
    assert manifest["seconds_of_all_runs"] == spent  # the earlier call did the work
    assert manifest["arguments"]["mirror"] == "given"


def test_a_dry_run_touches_nothing(tmp_path):
    planned = prepared(["iris"], [95], ["pca-fcm"], store=tmp_path / "runs", repeats=3, n_jobs=1)
    assert len(planned.work.pending) == 3
    assert list(tmp_path.iterdir()) == []
    assert compute(planned).computed == 3


def test_an_out_that_cannot_be_written_is_found_before_the_work(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SgpmicError, match="cannot write into out="):
        small_benchmark(["iris"], [95], ["pca-fcm"], out=tmp_path / "file")
    with pytest.raises(SgpmicError, match="cannot write into out="):
        small_benchmark(["iris"], [95], ["pca-fcm"], out=tmp_path / "file" / "below")


def test_no_repeats_is_refused(tmp_path):
    with pytest.raises(UsageError, match="repeats=0"):
        prepared(["iris"], [95], ["pca-fcm"], store=tmp_path, repeats=0)
