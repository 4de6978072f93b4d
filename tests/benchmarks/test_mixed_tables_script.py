from benchmarks.mixed_tables import main


def test_numbers_and_scores_are_written(tmp_path, capsys):
    main(["--draws", "1", "--kinds", "4 flags, 2 groups", "--out", str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("| 4 flags, 2 groups | 2 | 2 (1) |")
    assert (tmp_path / "mixed-tables.csv").exists()
