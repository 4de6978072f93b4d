import json

import pytest
from typer.testing import CliRunner

from sgpmic_cli.commands import app


def test_a_dry_run_lists_every_cell_and_computes_nothing(tmp_path):
    result = CliRunner().invoke(
        app, ["study", "--dry-run", "--json", "--repeats", "2", "--out", str(tmp_path / "out")]
    )
    assert result.exit_code == 0, result.output
    plan = json.loads(result.stdout)
    assert len(plan["cells"]) == 17 * 7
    assert plan["to_run"] == 17 * 7 * 2
    assert not (tmp_path / "out").exists()


@pytest.fixture
def small_study(monkeypatch):
    from sgpmic_cli.experiments.plan.study import Study
    from sgpmic_cli.experiments.studies import everyday

    def study(repeats, seed):
        return Study(
            ["iris", "moons", "unequal"],
            [95],
            ["k-means", "ward", "sgp-mic", "sgp-mic+"],
            repeats,
            seed,
        )

    monkeypatch.setattr(everyday, "everyday_study", study)


def test_tables_findings_and_figure_are_written_and_a_second_call_computes_nothing(
    small_study, tmp_path
):
    call = ["study", "--repeats", "1", "--n-jobs", "1", "--out", str(tmp_path / "out")]
    first = CliRunner().invoke(app, call)
    assert first.exit_code == 0, first.output
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written >= {
        "ari.md",
        "table.csv",
        "benchmark.json",
        "findings.md",
        "study.png",
        "study.pdf",
        "manifest.json",
    }
    text = (tmp_path / "out" / "findings.md").read_text()
    assert "Over 1 thin shapes" in text
    again = CliRunner().invoke(app, call)
    assert "0 computed" in again.stderr or "0 runs computed" in again.stderr
    assert (tmp_path / "out" / "findings.md").read_text() == text
