"""The copy of the user's table: its cells do not change, and the results are at the end."""

import gzip
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sgpmic_cli.data import load
from sgpmic_cli.result.result import Result
from sgpmic_cli.result.tables import typicality, write_table
from sgpmic_cli.tables.options import TableOptions
from sgpmic_cli.tables.rows import RowResults

ADDED = "cluster,probability,typicality,unusual,x1,x2"


def write(path, source, **options):
    """Write a fit in which row i has cluster i % 2 and the point (i + 0.5, -0.5)."""
    data = load(str(source), table=TableOptions(**options) if options else None)
    n = len(data.Y)
    S = np.where(np.eye(2)[np.arange(n) % 2] == 1, 0.75, 0.25)
    X = np.column_stack([np.arange(n) + 0.5, np.full(n, -0.5)])
    found = RowResults(S.argmax(axis=1), S, X, X, np.arange(n), np.zeros(n, dtype=bool))
    found = replace(found, unusual=np.arange(n) == 1)
    write_table(path, Result(data, found))


def copy(folder, text, name="t.csv", encoding="utf-8", **options):
    source = folder / name
    content = text.encode(encoding)
    source.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    write(folder / "out.csv", source, **options)
    return (folder / "out.csv").read_bytes().decode().splitlines()


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_the_cells_of_a_file_are_copied(tmp_path, name):
    text = 'zip,"a b", c\r\n00123,1e0,"x\n\ny"\r\n\r\n  \r\n 00124 ,2.50,z\r\n00125,4,z\r\n'
    assert copy(tmp_path, text, name, columns=("a b", "zip")) == [
        f"zip,a b,c,{ADDED}",
        '00123,1e0,"x',
        "",
        'y",0,0.75,0.5,0,0.5,-0.5',
        "00124,2.50,z,1,0.75,1.0,1,1.5,-0.5",
        "00125,4,z,0,0.75,1.0,0,2.5,-0.5",
    ]


def test_rows_that_were_left_out_get_empty_cells(tmp_path):
    found = copy(tmp_path, "a\tb\t\n1\t2\t\n\t\t\n5\t7\t\n9\t9\t\n")
    assert [line.split("\t", 2)[2] for line in found[1:]] == [
        "0\t0.75\t0.5\t0\t0.5\t-0.5",
        "\t\t\t\t\t",
        "1\t0.75\t1.0\t1\t1.5\t-0.5",
        "0\t0.75\t1.0\t0\t2.5\t-0.5",
    ]


def test_the_copy_has_the_format_of_the_file(tmp_path):
    text = "größe;cluster\n1,5;2\n2,5;4\n"
    found = copy(tmp_path, text, encoding="latin-1")
    names = ";".join(f"sgpmic_{name}" for name in ADDED.split(","))  # the table has a cluster
    assert found == [
        f"größe;cluster;{names}",
        "1,5;2;0;0,75;1,0;0;0,5;-0,5",
        "2,5;4;1;0,75;1,0;1;1,5;-0,5",
    ]


def test_a_file_without_a_header_stays_without_one(tmp_path):
    assert copy(tmp_path, "1,2\n3,5\n") == [
        "1,2,0,0.75,1.0,0,0.5,-0.5",
        "3,5,1,0.75,1.0,1,1.5,-0.5",
    ]


@pytest.mark.parametrize("kind", ["parquet", "xlsx"])
def test_other_files_become_csv(tmp_path, kind):
    values = np.array([[1.0, 2.5], [3.0, 4.0], [5.0, 7.0]])
    source, names = tmp_path / f"t.{kind}", ["a", "b"]
    if kind == "xlsx":
        pytest.importorskip("openpyxl")
        pd.DataFrame(values, columns=names).to_excel(source, index=False)
    else:
        pytest.importorskip("pyarrow")
        pd.DataFrame(values, columns=names).to_parquet(source)
    write(tmp_path / "out.csv", source)
    found = pd.read_csv(tmp_path / "out.csv")
    assert list(found.columns) == [*names, *ADDED.split(",")]
    assert np.array_equal(found[names], values)
    assert found["cluster"].tolist() == [0, 1, 0]


def test_an_array_is_not_copied(tmp_path):
    source = tmp_path / "t.npy"
    np.save(source, np.array([[1.0, 2.5], [3.0, 4.0], [5.0, 7.0]]))
    write(tmp_path / "out.csv", source)
    assert not (tmp_path / "out.csv").exists()


def test_data_without_a_file(tmp_path):
    write(tmp_path / "out.csv", "iris")
    found = pd.read_csv(tmp_path / "out.csv")
    assert np.array_equal(found.iloc[:, :4], load("iris").Y)
    assert found["cluster"].tolist() == [0, 1] * 75


def test_typicality_is_a_rank_within_the_cluster():
    found = typicality(np.array([3.0, 1.0, 2.0, 9.0, 8.0]), np.array([0, 0, 0, 1, 1]))
    np.testing.assert_allclose(found, [1.0, 1 / 3, 2 / 3, 1.0, 0.5])
