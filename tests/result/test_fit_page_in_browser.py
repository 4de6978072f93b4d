"""The page of one fit in Chromium: it loads nothing, and its map can be used."""

import csv
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from browser import Browser, find_chromium
from sklearn.datasets import make_blobs

from sgpmic import GroupMap
from sgpmic_cli.data import load
from sgpmic_cli.fitting import fit_rows
from sgpmic_cli.result.page import page_alone

AXE = os.environ.get("AXE_JS")  # axe.min.js of the npm package axe-core
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_chromium() is None, reason="there is no chromium on this machine"),
]
CENTRES = [[0.0] * 4, [9.0] * 4, [-9.0, 9.0, 9.0, -9.0]]


def write_page(folder, n):
    """Fit three blobs with the ids A-00000, A-00001, ..., and write the page."""
    X, _ = make_blobs(n, centers=CENTRES, random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "<i>d"]).round(3)
    frame.insert(0, "id", [f"A-{i:05d}" for i in range(n)])
    frame["kind"] = np.where(X[:, 0] * 7 % 2 < 1, "odd", "even")
    frame["address"] = [f"house {(i * 7919) % 997}, street {i}" for i in range(n)]
    frame.to_csv(folder / "blobs.csv", index=False)
    model = GroupMap(3, n_inducing=5, max_iter=1, n_resamples=1, random_state=0)
    result = fit_rows(model, load(str(folder / "blobs.csv")))
    page = folder / "report.html"
    page.write_text(page_alone(result), encoding="utf-8")
    return page, result


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return write_page(tmp_path_factory.mktemp("small"), 120)


@pytest.fixture
def browser(tmp_path):
    found = Browser(tmp_path)
    yield found
    found.close()


def place_of(browser, row):
    """Return the position of a row on the screen, after a search has drawn a ring around it."""
    name = f"A-{row:05d}"
    browser.run(
        "(() => { const field = document.querySelector('input[type=search]');"
        f"field.value = '{name}'; field.dispatchEvent(new Event('input')); }})()"
    )
    assert browser.run("document.querySelector('.map-tip.open strong').textContent") == name
    return browser.run(
        "(() => { const box = document.querySelector('.stage canvas').getBoundingClientRect();"
        "return [box.left, box.top, box.width, box.height]; })()"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_is_silent_loads_nothing_and_fits_the_window(browser, small, width, scheme):
    browser.open(small[0], width, scheme=scheme)
    browser.wait("document.querySelector('.stage canvas').width > 100")
    assert browser.messages == []
    assert [url for url in browser.requests if not url.startswith(("file:", "data:"))] == []
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("getComputedStyle(document.querySelector('.picture')).display") == "none"
    if AXE is None:
        return
    browser.run(Path(AXE).read_text(encoding="utf-8"))
    found = browser.run("axe.run().then(result => result.violations)")
    assert [rule["id"] for rule in found if rule["impact"] in ("serious", "critical")] == []


def test_without_scripts_the_picture_stays(browser, small):
    browser.open(small[0], scripts=False)
    browser.send("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.run("document.querySelector('.picture img').offsetHeight > 100")
    assert browser.run("document.querySelector('.stage') === null")


def test_rows_are_found_shown_selected_and_saved(browser, small, tmp_path):
    page, result = small
    browser.open(page)
    browser.run("document.querySelector('.map').scrollIntoView({behavior: 'instant'})")
    left, top, width, height = place_of(browser, 7)
    tip = browser.run("document.querySelector('.map-tip').textContent")
    name = result.cluster_names[result.results.labels[7]]
    assert f"cluster {result.results.labels[7]} {name}, probability 1.00" in tip
    assert "its cluster" in tip
    told = "document.querySelector('.told').textContent"
    browser.drag((left + 3, top + 3), (left + width - 3, top + height - 3), modifiers=8)
    assert browser.run(told) == "120 rows selected"
    # Rows of a hidden cluster are not selected.
    browser.run(
        "[...document.querySelectorAll('button')].find(b => /Clear/.test(b.textContent)).click()"
    )
    browser.run("document.querySelector('.map-legend input').click()")
    browser.drag((left + 3, top + 3), (left + width - 3, top + height - 3), modifiers=8)
    expected = np.flatnonzero(result.results.labels != 0)
    assert browser.run(told) == f"{len(expected)} rows selected"
    browser.run(
        "[...document.querySelectorAll('button')].find(b => /Save/.test(b.textContent)).click()"
    )
    saved, end = tmp_path / "selection.csv", time.monotonic() + 60
    while not saved.exists() and time.monotonic() < end:
        time.sleep(0.05)
    with saved.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["row"] for row in rows] == [f"A-{row:05d}" for row in expected]
    assert [int(row["cluster"]) for row in rows] == result.results.labels[expected].tolist()
    points = [[float(row["x"]), float(row["y"])] for row in rows]
    assert np.allclose(points, result.results.points[expected], atol=1e-4)
    assert browser.messages == []


def test_the_mouse_shows_rows_and_zooms(browser, small):
    page, result = small
    browser.open(page)
    browser.run("document.querySelector('.map').scrollIntoView({behavior: 'instant'})")
    row = int(result.results.points[:, 0].argmin())  # its tip is at its right side
    left, top, width, height = place_of(browser, row)
    tip = "document.querySelector('.map-tip')"
    place = f"[{tip}.offsetLeft, {tip}.offsetTop, {tip}.offsetHeight]"
    x, y, tall = browser.run(place)
    browser.mouse("mouseMoved", left + 2, top + 2)
    assert browser.run("document.querySelector('.map-tip.open')") is None  # the corner is empty
    found = []
    for above in (y - 18, y + tall + 14):  # the tip is below or above the row
        browser.mouse("mouseMoved", left + x - 14, top + above)
        found.append(browser.run(f"{tip}.textContent"))
    assert any(text.startswith(f"A-{row:05d}cluster") for text in found)
    middle = (left + width / 2, top + height / 2)
    browser.mouse("mouseWheel", *middle, deltaX=0, deltaY=-300, modifiers=2)
    place_of(browser, row)
    assert browser.run(place) != [x, y, tall]


def test_keys_go_from_row_to_row_and_select(browser, small):
    browser.open(small[0])
    browser.run("document.querySelector('.stage canvas').focus()")
    spoken = "document.querySelector('.map-row').textContent"
    browser.key("ArrowRight")
    first = browser.run(spoken)
    browser.key("ArrowRight")
    second = browser.run(spoken)
    assert first.startswith("A-")
    assert second.startswith("A-")
    assert first != second
    browser.key(" ", " ")
    assert browser.run("document.querySelector('.told').textContent") == "1 row selected"
    browser.key("Escape")
    assert browser.run("document.querySelector('.told').textContent") == "0 rows selected"


def choose(browser, value):
    """Choose a column by which the map is coloured, and wait for the picture."""
    browser.run(
        "(() => { const box = document.querySelector('.map select');"
        f"box.value = {value!r}; box.dispatchEvent(new Event('change')); }})()"
    )
    browser.run("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(() => f(1))))")


def pixels(browser):
    return browser.run("document.querySelector('.stage canvas').toDataURL()")


def column(browser, name):
    titles = "[...document.querySelectorAll('.map option')].map(each => each.textContent)"
    return str(browser.run(titles).index(name) - 3)  # after cluster, probability and unusual


def test_the_map_is_coloured_by_a_column_by_probability_and_by_unusual(browser, small):
    browser.open(small[0])
    legend = "document.querySelector('.map-legend').textContent"
    pictures = {pixels(browser)}
    for value in ("probability", "unusual", column(browser, "a"), column(browser, "kind")):
        choose(browser, value)
        pictures.add(pixels(browser))
    assert browser.run(legend) == "kindoddeven" or browser.run(legend) == "kindevenodd"
    assert len(pictures) == 5
    assert browser.messages == []


def test_search_looks_in_text_columns_that_the_model_left_out(browser, small):
    browser.open(small[0])
    browser.run(
        "(() => { const field = document.querySelector('input[type=search]');"
        "field.value = 'street 17'; field.dispatchEvent(new Event('input')); })()"
    )
    assert browser.run("document.querySelector('.told').textContent") == "1 found"
    assert browser.run("document.querySelector('.map-tip strong').textContent") == "A-00017"


def test_labels_cover_no_row_and_no_other_label(browser, small):
    browser.open(small[0])
    browser.run(
        "(() => { const pen = CanvasRenderingContext2D.prototype, text = pen.fillText;"
        "window.texts = []; window.rows = [];"
        "pen.fillText = function (t, x, y) { texts.push([t, x, y, this.measureText(t).width]);"
        "  text.apply(this, arguments); };"
        "pen.lineTo = pen.arc = function (x, y) {"
        "  if (this.canvas.width > 99) rows.push([x, y]); }; })()"
    )
    choose(browser, "cluster")
    texts, rows = browser.run("texts"), np.array(browser.run("rows"))
    assert len(texts) == 3
    assert len(rows) == 40 * (1 + 4 + 3) + 3  # corners of the markers, and lines to the labels
    rows = rows[:-3]
    boxes = [(x - w / 2, x + w / 2, y - 6, y + 6) for _, x, y, w in texts]
    for k, (left, right, top, bottom) in enumerate(boxes):
        inside = (rows[:, 0] > left) & (rows[:, 0] < right)
        assert not (inside & (rows[:, 1] > top) & (rows[:, 1] < bottom)).any()
        for other in boxes[:k]:
            assert right < other[0] or left > other[1] or bottom < other[2] or top > other[3]


def test_a_page_of_54_000_rows_is_small_and_can_be_used(browser, tmp_path):
    page, _ = write_page(tmp_path, 54_000)
    assert page.stat().st_size < 8e6
    browser.open(page)
    browser.run("document.querySelector('.map').scrollIntoView({behavior: 'instant'})")
    left, top, width, height = place_of(browser, 53_999)
    browser.drag((left + 3, top + 3), (left + width - 3, top + height - 3), modifiers=8)
    assert browser.run("document.querySelector('.told').textContent") == "54000 rows selected"
    for value in ("unusual", "probability", column(browser, "a"), column(browser, "kind")):
        choose(browser, value)
    assert browser.messages == []
