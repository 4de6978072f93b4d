import csv
import io

import pytest
from small_studies import small_benchmark

from sgpmic_cli.benchmark.compare import SHOWN
from sgpmic_cli.benchmark.tables import tidy_csv
from sgpmic_cli.scores import SCORES


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    path = folder / "50%_of|mine.csv"
    path.write_text(
        "a,b,kind\n" + "".join(f"{i * i % 7},{i * 3 % 11},{'xy'[i % 2]}\n" for i in range(40))
    )
    methods = ["pca-fcm", "ppca-fcm", "toy_methods:Broken"]
    return small_benchmark(
        ["iris", str(path)], [95], methods, out=folder / "out", label="kind", repeats=2
    )[1]


def test_csv_has_a_line_for_each_score_of_each_cell(results):
    rows = list(csv.DictReader(io.StringIO(tidy_csv(results))))
    assert [row["metric"] for row in rows] == 6 * list(SHOWN)
    # There is one NMI, by the definition of the protocol.
    assert set(SHOWN) == set(SCORES) - {"nmi_clusters", "nmi_stated"}
    first = rows[0]
    expected = {"metric": "acc", "dataset": "iris", "method": "pca-fcm", "q": "2"}
    expected |= {"mean": "88.6667", "paper_mean": "88.67", "difference": "-0.0033"}
    assert (expected | {"verdict": "exact"}).items() <= first.items()
    failed = [row for row in rows if row["verdict"] == "failed"]
    assert {(row["mean"], row["std"], row["failed"]) for row in failed} == {("", "", "2")}
