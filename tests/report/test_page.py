import json
import re
from html.parser import HTMLParser

import pytest
from made_up import METHODS, NOTE, write_results

from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.experiments.compare.paper import printed_q, table2
from sgpmic_cli.report import summary
from sgpmic_cli.report.page import SECTIONS, page

VOID = {"meta", "link", "img", "br", "polyline", "circle"}
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082"
)


class Reader(HTMLParser):
    """Collects elements, and checks that every one is closed in its turn."""

    def __init__(self):
        super().__init__()
        self.open, self.elements, self.texts = [], [], []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    write_results(folder)
    (folder / "figures").mkdir()
    for name in ("figure1", "critical-difference"):
        (folder / "figures" / f"{name}.png").write_bytes(PIXEL)
    return folder


@pytest.fixture(scope="module")
def html(results):
    return page(results)


@pytest.fixture(scope="module")
def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def test_nothing_is_asked_of_a_network(read, html):
    for tag, attributes in read.elements:
        for name in ("src", "href", "action", "data", "srcset", "poster"):
            if name in attributes:
                assert attributes[name].startswith(("data:", "#")), (tag, attributes)
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|https?://", html)
    policy = next(each["content"] for each in read.all("meta") if each.get("http-equiv"))
    assert policy.startswith("default-src 'none'")


def test_every_image_is_inside_the_page(read):
    images = read.all("img")
    assert len(images) == 2
    assert all(
        image["src"].startswith("data:image/png;base64,") and image["alt"] for image in images
    )
    assert not any(
        "loading" in image for image in images
    )  # one that waits to be scrolled to is missing in print


def test_figures_not_drawn_name_their_command(html):
    for i in range(2, 9):
        assert f"sgpmic plot figure{i}" in html
    assert "sgpmic plot figure1" not in html


def test_all_cells_of_the_paper_are_there(read):
    places = [each["data-place"] for each in read.all("td") if "data-place" in each]
    assert len(places) == 2 * 25 * 12
    assert len(set(places)) == 25 * 12
    assert set(places) >= {"/".join(map(str, key[1:])) for key in table2()}


def test_every_link_leads_to_a_section(read):
    anchors = {attributes["id"] for _, attributes in read.elements if "id" in attributes}
    assert anchors >= {
        *SECTIONS,
        "figure1",
        "critical-difference",
        "acc-iris-95-pca-fcm",
        "nmi-yale-50-sgp-mic",
    }
    assert {each["href"][1:] for each in read.all("a")} == set(SECTIONS)


def test_no_two_elements_share_an_anchor(read):
    anchors = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert len(anchors) == len(set(anchors))


def test_what_runs_said_stays_text(read, html):
    assert NOTE in "".join(read.texts)
    assert "<script>alert" not in html
    assert len(read.all("script")) == 1


def test_the_tiles_count_every_printed_number(results, html):
    tiles = re.findall(r'<div class="tile [^>]*><b>(\d+)</b><span>([^<]+)</span>', html)
    assert (
        sum(int(number) for number, _ in tiles) == len(table2()) == 582
    )  # none of the made-up rows repeats another
    cells = json.loads((results / "table2" / "benchmark.json").read_text())["cells"]
    counts = {verdict: int(number) for number, verdict in tiles}
    printed = [
        (cell, metric) for cell in cells for metric in ("acc", "nmi") if _printed(cell, metric)
    ]
    assert counts["exact"] == sum(cell["verdict"][metric] == "exact" for cell, metric in printed)
    assert counts["unavailable"] == 24


def _printed(cell, metric):
    return (metric, cell["dataset"], cell["variance"], cell["method"]) in table2()


def test_what_came_out_is_the_first_sentence(results, html):
    cells = json.loads((results / "table2" / "benchmark.json").read_text())["cells"]
    verdicts = [
        cell["verdict"][metric]
        for cell in cells
        for metric in ("acc", "nmi")
        if _printed(cell, metric)
    ]
    judged = [verdict for verdict in verdicts if verdict != "unavailable"]
    near = sum(verdict in ("exact", "within 1") for verdict in judged)
    apart = sum(verdict.startswith("differs") for verdict in judged)
    lead = re.search(r"<header>.*?<p>(.*?)</p>", html).group(1)
    assert lead.startswith(
        f"Of {len(judged)} numbers on the paper&#x27;s data {100 * near / len(judged):.0f} % come out within one point "
        f"of the printed one, and {100 * apart / len(judged):.0f} % differ."
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_every_colour_behind_it(html, scheme):
    """A contrast of 4.5 or more, as the guidelines for accessible pages ask of text."""
    light, dark = re.search(
        r":root \{(.*?)\n\}\n@media screen [^{]*\{(.*?)\n\}\n", html, re.S
    ).groups()
    colours = dict(re.findall(r"--([a-z]+): (#[0-9a-f]+);", {"light": light, "dark": dark}[scheme]))
    behind = colours.keys() - {"ink", "soft", "link", "line", "edge"}
    assert len(behind) == 11
    for name in behind:
        for text in ("ink", "soft"):
            assert _contrast(colours[text], colours[name]) >= 4.5, (text, name)


def _contrast(one, other):
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_ranks_of_the_printed_numbers_are_told(tmp_path, html):
    document = write_results(tmp_path)
    document["cells"] = document["cells"][:1]
    (tmp_path / "table2" / "benchmark.json").write_text(json.dumps(document))
    alone = page(tmp_path)
    assert "SGP-MIC, with mean rank 3.61, differs significantly only from VAE-FCM." in alone
    assert "critical difference 5.03" in alone
    assert "over 9 data sets" in alone
    # Ours lack Yale, so the printed ranks beside them do without it too.
    assert html.count("over 8 data sets") == 4
    assert "over 9 data sets" not in html


def test_a_method_with_a_gap_of_ours_is_ranked_on_neither_side_and_named(tmp_path):
    document = write_results(tmp_path)
    for cell in document["cells"]:
        if (cell["dataset"], cell["method"]) == ("wine", "sdc"):
            cell["acc"] = {"mean": None, "std": None}
    (tmp_path / "table2" / "benchmark.json").write_text(json.dumps(document))
    text = page(tmp_path)
    ranked = text[text.index('id="significance"') : text.index('id="protocol"')]
    assert ranked.count("Not ranked, since numbers are missing: SDC, DEC.") == 2
    assert ranked.count("Not ranked, since numbers are missing: DEC.") == 2
    row = re.search(r'<th scope="row">SDC</th>((?:<td>[^<]*</td>)+)', ranked)[1]
    assert re.findall(r"<td>([^<]*)</td>", row)[:2] == ["–", "–"]


def test_wins_of_the_printed_numbers(html):
    table = html[html.index("Best of how many of the 25 distinct rows") :]
    row = re.search(r'<th scope="row">SGP-MIC</th>((?:<td>\d+</td>)+)', table)[1]
    printed = re.findall(r"\d+", row)[2]  # after ours among all, and ours among the printed cells
    best = 0
    for place in {key[1:3] for key in table2()}:
        means = {
            key[3]: cell.mean
            for key, cell in table2().items()
            if (key[0], *key[1:3]) == ("acc", *place)
        }
        best += means["sgp-mic"] == max(means.values())
    assert int(printed) == best


def test_the_papers_count_of_its_wins_holds(html):
    places = {}
    for metric, dataset, variance, _ in table2():
        places.setdefault((metric, dataset, printed_q()[dataset, variance]), variance)
    won = {"acc": 0, "nmi": 0}
    for (metric, dataset, _), variance in places.items():
        row = {
            key[3]: cell.mean
            for key, cell in table2().items()
            if key[:3] == (metric, dataset, variance)
        }
        won[metric] += row["sgp-mic"] == max(row.values())
    assert len(places) == 2 * 22
    assert won == {"acc": 7, "nmi": 7}
    told = html[html.index("Best in 7 of 22") :]
    assert "the highest ACC 7 times and the highest NMI 7 times" in told
    assert re.search(r"our SGP-MIC is best \d+ times by ACC and \d+ times by NMI", told)


def test_wins_are_counted_as_in_the_summary_of_the_benchmark(tmp_path):
    document = write_results(tmp_path)
    kept = ("pca-fcm", "ppca-fcm", "aml")
    iris = [
        cell for cell in document["cells"] if cell["dataset"] == "iris" and cell["method"] in kept
    ]
    variant = [{**cell, "method": "aml-tuned"} for cell in iris if cell["method"] == "aml"]
    alone = [
        cell for cell in document["cells"] if (cell["dataset"], cell["method"]) == ("wine", "aml")
    ]
    document["cells"] = [*iris, *variant, *alone]
    (tmp_path / "table2" / "benchmark.json").write_text(json.dumps(document))
    text = page(tmp_path)
    start = text.index("Best of how many of the 6 distinct rows")
    rows = re.findall(
        r'<th scope="row">([^<]+)</th>((?:<td>[^<]*</td>)+)',
        text[start : text.index("</table>", start)],
    )
    found = {name: re.findall(r"<td>([^<]*)</td>", cells) for name, cells in rows}
    assert list(found) == ["PCA-FCM", "PPCA-FCM", "AML", "AML (lambda by row)"]
    # A number alone in its row (AML on Wine) has nothing to be better than.
    places = {key[1:3] for key in table2() if key[1] == "iris"}
    for column, metric in ((2, "acc"), (5, "nmi")):
        for name, method in zip(found, kept, strict=False):
            means = [
                {each: table2()[metric, *place, each].mean for each in kept} for place in places
            ]
            assert int(found[name][column]) == sum(
                row[method] == max(row.values()) for row in means
            )
        assert found["AML (lambda by row)"][column] == "–"
    assert found["AML"][0] == found["AML (lambda by row)"][0]


def test_grids_show_their_curve_and_the_chosen_setting(html):
    start = html.index('data-place="wine/95/aml"')
    details = html[start : html.index("</td>", start)]
    assert details.count("<circle") == 7
    assert details.count('class="taken"') == 1
    assert "ACC over λ: 50.00 to 56.00" in details


def test_cells_that_learned_nothing_are_named(html):
    assert "VAE-FCM 50, 95, 99 %" in html  # Breast Cancer, printed 65.01 three times


def test_columns_that_were_fitted_are_called_so(html):
    summary = html[html.index('id="summary"') : html.index('id="table2"')]
    for method in ("FGPLVM-FCM", "AE-FCM", "VAE-FCM", "DEEPC", "SGP-MIC"):
        assert (
            method
            in summary[summary.index("leaves a setting open") : summary.index("agreement shows")]
        )


def test_fitted_columns_are_labels_already_and_not_looked_up_again(results, monkeypatch):
    monkeypatch.setattr(summary, "FITTED", ["aml"])  # a label that is some method's name
    assert "closest to the printed one: for aml. In these" in page(results)


def test_two_pages_of_the_same_results_are_equal(results, html):
    assert page(results) == html


def test_a_table_with_one_method_leaves_the_rest_as_not_run(results, tmp_path):
    document = write_results(tmp_path)
    document["cells"] = [cell for cell in document["cells"] if cell["method"] == METHODS[0]]
    (tmp_path / "table2" / "benchmark.json").write_text(json.dumps(document))
    reader = Reader()
    reader.feed(page(tmp_path))
    places = {
        each["data-place"]: each["class"] for each in reader.all("td") if "data-place" in each
    }
    assert len(places) == 25 * 12
    assert places["iris/95/sgp-mic"] == "cell v-not-run"


@pytest.mark.parametrize(
    "name", ["q", "repeats", "failed", "ari", "acc_hungarian", "settings", "seconds", "note"]
)
def test_a_cell_that_lacks_what_the_page_reads_is_one_sentence(tmp_path, name):
    document = write_results(tmp_path)
    del document["cells"][5][name]
    (tmp_path / "table2" / "benchmark.json").write_text(json.dumps(document))
    with pytest.raises(
        SgpmicError, match=f"benchmark.json' is not a document of this version \\('{name}' is missing"
    ):
        page(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("verdict", {"acc": "fine", "nmi": "exact"}, "'fine' is not a valid Verdict"),
        ("acc", {"mean": 1.0, "std": None}, "has the wrong type"),
        ("nmi", {"mean": "high", "std": 1.0}, "'high' has the wrong type"),
        ("settings", ["lam"], "has the wrong type"),
        ("grid", [{"settings": ["lam"]}], "has the wrong type"),
        (
            "grid",
            [{"settings": {"lam": 1.0}, "acc": {"mean": 1.0, "std": 0.0}}],
            "'nmi' is missing",
        ),
    ],
)
def test_a_cell_with_something_out_of_place_is_one_sentence(tmp_path, name, value, said):
    document = write_results(tmp_path)
    document["cells"][5][name] = value
    (tmp_path / "table2" / "benchmark.json").write_text(json.dumps(document))
    with pytest.raises(SgpmicError, match=said):
        page(tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("manifest.json", text) for text in ["[]", '{"versions": []}', '{"data": "none"}', "3"]),
        *(("benchmark.json", text) for text in ["[]", '{"cells": [3]}', '{"cells": 3}', "{}"]),
    ],
)
def test_a_document_of_another_shape_is_one_sentence(tmp_path, name, text):
    write_results(tmp_path)
    (tmp_path / "table2" / name).write_text(text)
    with pytest.raises(SgpmicError, match=f"{name}' is not a document of this version"):
        page(tmp_path)


def test_missing_or_foreign_files_are_one_sentence(tmp_path):
    with pytest.raises(UsageError, match="run the benchmark of all data sets"):
        page(tmp_path)
    write_results(tmp_path)
    path = tmp_path / "table2" / "benchmark.json"
    path.write_text('{"cells": [{"dataset": "iris"}]}')
    with pytest.raises(SgpmicError, match="is not a document of this version"):
        page(tmp_path)
    path.write_text('{"cells": ')
    with pytest.raises(SgpmicError, match="is damaged"):
        page(tmp_path)
