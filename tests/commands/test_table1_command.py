import json

from typer.testing import CliRunner

from sgpmic_cli.commands import app


def test_the_shapes_are_printed_and_written(tmp_path, monkeypatch):
    monkeypatch.delenv("SGPMIC_MIRROR", raising=False)
    where = ["--out", str(tmp_path / "table1"), "--offline", "--data-dir", str(tmp_path)]
    result = CliRunner().invoke(app, ["table1", *where])
    assert result.exit_code == 0
    assert result.stdout.count("equal") == 8
    assert "yale is unavailable" in result.stdout
    assert len(list((tmp_path / "table1").iterdir())) == 4
    document = json.loads(CliRunner().invoke(app, ["table1", *where, "--json"]).stdout)
    assert [row["n"] for row in document["datasets"]] == [
        150,
        178,
        208,
        569,
        690,
        2310,
        683,
        1473,
        None,
    ]
