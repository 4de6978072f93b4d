import json
import re

import pytest
from made_up import NOTE, write_results
from page_reader import PageReader

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.paper.experiments.protocols import table1, table2
from sgpmic_cli.paper.page import report_page

PLACE = ["dataset", "explained_variance", "method"]
SECTIONS = {"summary", "table", "figures", "protocol", "environment"}

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082"
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    write_results(folder)
    (folder / "figures").mkdir()
    (folder / "figures" / "figure1.png").write_bytes(PIXEL)
    return folder


@pytest.fixture(scope="module")
def html(results):
    return report_page(results)


@pytest.fixture(scope="module")
def read(html):
    return PageReader(html)


def _page_of(folder, document):
    (folder / "table2" / "benchmark.json").write_text(json.dumps(document))
    return report_page(folder)


def test_the_page_needs_no_network(read, html):
    for tag, attributes in read.elements:
        for name in ("src", "href", "action", "data", "srcset", "poster"):
            if name in attributes:
                assert attributes[name].startswith(("data:", "#")), (tag, attributes)
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|https?://", html)
    policy = next(each["content"] for each in read.all("meta") if each.get("http-equiv"))
    assert policy.startswith("default-src 'none'")


def test_images_are_embedded_and_missing_figures_name_their_command(read, html):
    images = read.all("img")
    assert len(images) == 1
    assert all(each["src"].startswith("data:image/png;base64,") and each["alt"] for each in images)
    assert not any("loading" in each for each in images)  # lazy images are missing in print
    for i in range(2, 9):
        assert f"sgpmic plot figure{i}" in html
    assert "sgpmic plot figure1" not in html


def test_the_grid_has_all_cells_of_the_paper(read):
    places = [each["data-place"] for each in read.all("td") if "data-place" in each]
    assert len(places) == 2 * 25 * 12
    assert len(set(places)) == 25 * 12
    assert set(places) >= {
        "/".join(map(str, place)) for place in table2()[PLACE].itertuples(index=False)
    }


def test_anchors_are_unique_and_every_link_leads_to_a_section(read):
    anchors = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert len(anchors) == len(set(anchors))
    cells = {"acc-iris-95-pca-fcm", "nmi-yale-50-sgp-mic"}
    assert set(anchors) >= {*SECTIONS, "figure1", *cells}
    assert {each["href"][1:] for each in read.all("a")} == SECTIONS


def test_notes_of_runs_are_escaped(read, html):
    assert any(NOTE in text for text in read.sections.values())
    assert "<script>alert" not in html
    assert len(read.all("script")) == 1


def test_the_papers_count_of_its_wins_is_correct(html):
    for metric in ("acc", "nmi"):
        rows = {}  # one for each data set and Q, which several percentages can share
        for cell in table2()[table2()["metric"] == metric].itertuples():
            q = table1()[cell.dataset][f"q{cell.explained_variance}"]
            rows.setdefault((cell.dataset, q), {}).setdefault(cell.method, cell.mean)
        best = [row for row in rows.values() if row["sgp-mic"] == max(row.values())]
        assert (len(rows), len(best)) == (22, 7)
    text = " ".join(html[html.index("Best in 7 of 22") :].split())
    assert re.search("highest ACC 7 times.* highest NMI 7 times.* both at once 5 times", text)
    assert re.search(r"our SGP-MIC is best \d+ times by ACC and \d+ times by NMI", text)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ('data-place="wine/95/aml"', "<dt>settings</dt><dd>lam = 1.0</dd>"),
        ('id="summary"', "for FGPLVM-FCM, AE-FCM, VAE-FCM"),
        ('id="protocol"', "VAE-FCM 50, 95, 99 %"),  # Breast Cancer, printed 65.01 three times
    ],
)
def test_settings_fitted_methods_and_single_clusters_are_named(html, start, words):
    assert words in html[html.index(start) :]


def test_a_missing_or_wrong_value_is_one_sentence(tmp_path):
    document = write_results(tmp_path)
    document["numbers"][5]["mean"] = "high"
    with pytest.raises(SgpmicError, match="'high'"):
        _page_of(tmp_path, document)
    for row in document["numbers"]:
        del row["q"]
    with pytest.raises(SgpmicError, match="'q'"):
        _page_of(tmp_path, document)
