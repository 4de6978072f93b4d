import json

from command_line import document, sgpmic


def test_the_shapes_are_printed_and_written(here):
    line = "table1 --out table1 --offline --data-dir none"
    result = sgpmic(line)
    assert result.stdout.count("equal") == 8
    assert "yale is unavailable" in result.stdout
    written = json.loads((here / "table1" / "table1.json").read_text())
    assert document(line) == written
