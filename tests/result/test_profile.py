import numpy as np
import pandas as pd
import pytest

from sgpmic_cli.data import Rows, load
from sgpmic_cli.result.profile import (
    as_date,
    columns_with_two_peaks,
    computed_columns,
    profile_of,
    readable,
    repeated_texts,
)
from sgpmic_cli.result.tables import write_profile

LABELS = np.repeat([0, 1], [30, 10])


@pytest.fixture
def data(tmp_path):
    rng = np.random.RandomState(0)
    frame = pd.DataFrame(
        {
            "small": rng.randn(40) + 5.0 * LABELS,
            "large": 1000.0 * rng.randn(40),
            "kind": np.where(LABELS == 1, "new", np.where(np.arange(40) % 2, "old", "older")),
        }
    )
    frame.to_csv(tmp_path / "table.csv", index=False)
    return load(str(tmp_path / "table.csv")), frame


def test_means_and_fractions_are_in_the_units_of_the_file(data):
    table, frame = data
    profile = profile_of(table, np.eye(2)[LABELS])
    place = {name: j for j, name in enumerate(profile.features)}
    assert np.allclose(profile.means[:, place["large"]], frame["large"].groupby(LABELS).mean())
    assert profile.means[:, place["kind=new"]].tolist() == pytest.approx([0.0, 1.0])
    assert profile.is_category.tolist() == [name.startswith("kind=") for name in profile.features]
    small = frame["small"]
    apart = (small[LABELS == 1].mean() - small[LABELS == 0].mean()) / small.std(ddof=0)
    assert profile.differences[1, place["small"]] == pytest.approx(apart)
    assert profile.shown(place["kind=new"], np.nan) == "–"


def test_dates_are_shown_as_dates(tmp_path):
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(300 * LABELS + np.arange(40) * 7 % 40, "D")
    frame = pd.DataFrame({"when": days.astype(str), "x": np.random.RandomState(0).randn(40)})
    frame.to_csv(tmp_path / "dates.csv", index=False)
    profile = profile_of(load(str(tmp_path / "dates.csv")), np.eye(2)[LABELS])
    late, early = (f"{days[k == LABELS].mean():%Y-%m-%d}" for k in (1, 0))
    assert f"when {late} (elsewhere {early})" in profile.in_words(1)
    assert profile.cell(0, 0.5) == "when 1970-01-01"


@pytest.mark.parametrize("year", [1066, 9000])
def test_dates_of_any_year_are_shown(tmp_path, year):
    when = [f"{year + label}-05-{day % 28 + 1:02}" for day, label in enumerate(LABELS)]
    frame = pd.DataFrame({"when": when, "x": np.random.RandomState(0).randn(40)})
    frame.to_csv(tmp_path / "dates.csv", index=False)
    profile = profile_of(load(str(tmp_path / "dates.csv")), np.eye(2)[LABELS])
    assert profile.in_words(1)[0].startswith(f"when {year + 1}-05-")
    assert as_date(-0.25, time=True) == "1969-12-31 18:00"


def test_one_category_represents_its_column(data):
    profile = profile_of(data[0], np.eye(2)[LABELS])
    words = profile.in_words(1)
    assert len([each for each in words if each.startswith("kind=")]) == 1
    assert "kind=new 100 % (elsewhere 0 %)" in words
    assert any(each.startswith("small ") for each in words)


def test_means_of_flags_are_fractions(tmp_path):
    Y = np.column_stack([np.arange(40) % 4 == 0, 9.0 * LABELS + np.arange(40) % 3])
    Y[30:, 0] = [1, 1, 1, 1, 1, 1, 1, 0, 1, np.nan]
    profile = profile_of(Rows("t", Y, None, (), ("ok", "x")), np.eye(2)[LABELS])
    assert profile.in_words(1)[-1] == "ok=1 89 % (elsewhere 27 %)"
    assert [profile.cell(0, value) for value in (0.0, 1.0)] == ["ok=0", "ok=1"]
    assert (profile.category(0), profile.features[1]) == ("1", "x")
    write_profile(tmp_path / "profile.csv", profile)
    line = pd.read_csv(tmp_path / "profile.csv").query("cluster == 1 and feature == 'ok=1'")
    assert line[["mean", "fraction"]].to_numpy().tolist()[0] == pytest.approx(
        [np.nan, 8 / 9], nan_ok=True
    )


def test_means_and_spreads_of_three_clusters_ignore_missing_values():
    rng, labels = np.random.RandomState(0), np.arange(60) % 3
    Y = 1e3 + labels[:, None] + rng.randn(60, 4)
    Y[rng.rand(60, 4) < 0.2] = np.nan
    found = profile_of(Rows("t", Y, None, (), tuple("abcd")), np.eye(3)[labels])
    np.testing.assert_allclose(found.spread, np.nanstd(Y, axis=0))
    for m in range(3):
        np.testing.assert_allclose(found.means[m], np.nanmean(Y[labels == m], axis=0))
        np.testing.assert_allclose(found.spreads[m], np.nanstd(Y[labels == m], axis=0))
        np.testing.assert_allclose(found.elsewhere[m], np.nanmean(Y[labels != m], axis=0))


THREE = np.arange(60) % 3


@pytest.mark.parametrize(
    ("text", "repeated"),
    [
        (np.array(["x", "y", "z"])[THREE], True),
        (np.array(["x", "y"])[(THREE > 0).astype(int)], True),
        (np.array(["x", "y"])[np.arange(60) // 30], False),
        (np.where(np.arange(60) < 2, "x", "y"), False),  # any clustering follows a rare text
        (np.where(np.arange(60) % 4, np.array(["x", "y", "z"])[THREE], None), False),  # missing
    ],
)
def test_clusters_that_repeat_a_text_are_reported(tmp_path, text, repeated):
    frame = pd.DataFrame({"a": -(np.arange(60.0) ** 2), "home town": text})
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = repeated_texts(load(str(tmp_path / "t.csv")), THREE)
    assert found == ({"home town": 1.0} if repeated else {})


def test_means_that_look_equal_get_more_digits():
    values = np.c_[-118.2 - 0.2 * LABELS, np.arange(40.0)]
    data = Rows.from_classes("t", values, None, ["longitude", "x"])
    words = profile_of(data, np.eye(2)[LABELS]).in_words(1)
    assert "longitude -118.40 (elsewhere -118.20)" in words
    profile = profile_of(data, np.eye(2)[LABELS])
    assert profile.distinct_texts(0, 1234.56781, 1234.56789) == ("1234.5678", "1234.5679")


def test_columns_with_two_peaks_are_found_in_the_units_of_the_file(tmp_path):
    random = np.random.RandomState(0)
    minutes = np.where(np.arange(300) % 3, 4.3, 2.0) + 0.3 * random.randn(300)
    kind = np.where(np.arange(300) % 2, "new", "old")
    frame = pd.DataFrame({"kind": kind, "minutes": minutes.round(3), "x": random.randn(300)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    [(name, low, high)] = columns_with_two_peaks(load(str(tmp_path / "t.csv")))
    assert name == "minutes"
    assert float(low) == pytest.approx(2.0, abs=0.2)
    assert float(high) == pytest.approx(4.3, abs=0.2)


def test_fractions_are_those_of_known_cells(tmp_path):
    kind = np.where(np.arange(40) % 5 < 3, "new", None)
    x = np.random.RandomState(0).randn(40) + 9.0 * LABELS
    frame = pd.DataFrame({"x": x, "kind": np.where(LABELS == 1, kind, "old")})
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = load(str(tmp_path / "t.csv"))
    profile = profile_of(data, np.eye(2)[LABELS])
    new = profile.features.index("kind=new")
    assert profile.means[:, new].tolist() == [0.0, 1.0]


def test_numbers_are_written_for_people():
    numbers = [
        (0.0, 1.0),
        (61.0, 9.0),
        (12.345, 9.0),
        (-118.25, 0.05),
        (7.7e7, 1e7),
        (1.1612e9, 1e7),
        (3e-7, 1e-7),
    ]
    words = ["0", "61", "12.3", "-118.25", "77 million", "1160 million", "3.00e-07"]
    assert [readable(value, spread) for value, spread in numbers] == words


def test_columns_that_can_be_computed_from_columns_before_them(tmp_path):
    rng = np.random.RandomState(0)
    price, discount = rng.randint(100, 300, (2, 200)) / 100.0
    store = rng.choice(["north", "south", "west"], 200)
    frame = pd.DataFrame({"price": price, "store": store, "discount": discount})
    frame["sale"] = frame["price"] - frame["discount"]
    frame["south"] = np.where(store == "south", "yes", "no")
    frame["like price"] = price + 0.05 * rng.randn(200)
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert computed_columns(load(str(tmp_path / "t.csv"))) == ["sale", "south"]


def test_long_texts_are_shortened(tmp_path):
    kind = np.where(LABELS == 1, "new" * 1000, "old" * 1000)
    pd.DataFrame({"x": np.arange(40) ** 2 % 11, "kind": kind}).to_csv(tmp_path / "t.csv")
    found = profile_of(load(str(tmp_path / "t.csv")), np.eye(2)[LABELS])
    assert max(map(len, found.features)) < 400
