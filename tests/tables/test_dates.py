"""Dates are days, in whatever type or spelling a column holds them."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from sgpmic_cli import TableEncoder

STAMPS = pd.to_datetime(["2024-03-05", "2023-11-30", "2024-07-15", "2020-02-29", "2022-01-13"] * 2)
DAYS = (STAMPS - pd.Timestamp(1970, 1, 1)) / pd.Timedelta(days=1)
SPELLINGS = {
    "seconds": STAMPS.as_unit("s"),
    "microseconds": STAMPS.as_unit("us") + pd.Timedelta(microseconds=1),
    "utc": STAMPS.tz_localize("UTC"),
    "zone": STAMPS.tz_localize("UTC").tz_convert("Asia/Tokyo"),
    "date": [stamp.date() for stamp in STAMPS],
    "datetime": pd.Series([stamp.to_pydatetime() for stamp in STAMPS], dtype=object),
    "period": STAMPS.to_period("D"),
    "iso": [stamp.isoformat() for stamp in STAMPS],
    "iso zone": [f"{stamp.isoformat()}+00:00" for stamp in STAMPS],
    "american": STAMPS.strftime("%m/%d/%Y"),
    "german": STAMPS.strftime("%d.%m.%Y"),
    "words": STAMPS.strftime("%B %d, %Y"),
}


@pytest.mark.parametrize("fitted_to", SPELLINGS)
def test_any_spelling_of_a_date_is_a_date(fitted_to):
    def table(spelling):
        return pd.DataFrame({"when": SPELLINGS[spelling], "a": np.arange(10.0) ** 2})

    encoder = TableEncoder().fit(table(fitted_to))
    assert encoder.roles_[0].taken_as == "dates"
    for spelling in {fitted_to, "seconds", "zone", "date", "period"}:
        days = encoder.transform(table(spelling))[:, 0]
        np.testing.assert_allclose(days, DAYS, rtol=0, atol=1e-9)


def test_missing_dates_are_missing_and_other_cells_are_no_dates():
    frame = pd.DataFrame({"when": STAMPS, "a": np.arange(10.0) ** 2 % 7})
    encoder = TableEncoder().fit(frame)
    new = pd.DataFrame({"when": [None, "?", "2024-03-05", dt.date(2024, 3, 5)], "a": 1.0})
    expected = [np.nan, np.nan, DAYS[0], DAYS[0]]
    np.testing.assert_array_equal(encoder.transform(new)[:, 0], expected)
    with pytest.raises(
        ValueError, match=r"row 2, column 'when': 'soon' is not a date \(year-month-day\); correct"
    ):
        encoder.transform(new.assign(when=["2024-03-05", "soon", "", ""]))
    with pytest.raises(ValueError, match=r"column 'a': '.*' is not a number"):
        encoder.transform(frame.assign(a=STAMPS))


@pytest.mark.parametrize(
    "times",
    [
        [dt.time(6, 30), dt.time(18), dt.time(12), dt.time(7, 15)],
        ["06:30", "18:00", "12:00", "7:15"],
        ["6:30 AM", "6:00 PM", "12:00 PM", "7:15 AM"],
    ],
)
def test_times_of_day_are_fractions(times):
    found = TableEncoder().fit_transform(pd.DataFrame({"at": times, "a": [1, 5, 2, 2]}))
    np.testing.assert_allclose(found[:, 0], [6.5 / 24, 0.75, 0.5, 7.25 / 24])


def test_one_format_reads_all_cells_of_a_column():
    days = [f"{day}/2/2024 6:00 PM" for day in (1, 2, 13)]
    frame = pd.DataFrame({"when": days, "a": [1, 5, 2]})
    encoder = TableEncoder().fit(frame)
    assert encoder.recipe_.columns[0].notation.date == "%d/%m/%Y %I:%M %p"
    with pytest.raises(ValueError, match=r"'2024-02-01' is not a date \(day/month/year\), nor are"):
        encoder.transform(frame.assign(when="2024-02-01"))
