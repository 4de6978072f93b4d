import sys

import pytest

from benchmarks import speed_end_to_end


def test_a_process_is_measured_in_total_and_at_its_first_line():
    work = "sum(range(10**7)); print(1, flush=True); sum(range(10**7)); print(2)"
    found = speed_end_to_end.run([sys.executable, "-c", work])
    assert 0.0 < found["first_answer"] <= found["seconds"] + 0.01
    assert found["gb"] > 0.0
    assert "first_answer" not in speed_end_to_end.run([sys.executable, "-c", ""])
    with pytest.raises(SystemExit, match="code 3"):
        speed_end_to_end.run([sys.executable, "-c", "exit(3)"])


def test_a_process_that_takes_too_long_is_stopped():
    found = speed_end_to_end.run([sys.executable, "-c", "while True: pass"], limit=0.0)
    assert found["stopped"]
    assert found["seconds"] > 0.5
