import json

from command_line import sgpmic

ROWS = [150, 178, 208, 569, 690, 2310, 683, 1473, None]


def test_the_shapes_are_printed_and_written(here):
    result = sgpmic("table1 --out table1 --offline --data-dir none")
    assert result.exit_code == 0
    assert result.stdout.count("equal") == 8
    assert "yale is unavailable" in result.stdout
    assert len(list((here / "table1").glob("[!.]*"))) == 4
    document = json.loads(sgpmic("table1 --out table1 --offline --data-dir none --json").stdout)
    assert [row["n"] for row in document["datasets"]] == ROWS
