"""Events that would fill the log are counted."""

from __future__ import annotations

from noughts.app.runtime.repeated_line import LINE_INTERVAL_S, RepeatedLine


def test_one_line_is_due_a_minute_with_the_number_of_events() -> None:
    line = RepeatedLine()
    assert line.occurred(5.0) == 1
    assert [line.occurred(5.0 + seconds) for seconds in (0.0, 1.0, LINE_INTERVAL_S - 0.1)] == [0, 0, 0]
    assert line.occurred(5.0 + LINE_INTERVAL_S) == 4
    assert line.occurred(6.0 + LINE_INTERVAL_S) == 0
    assert line.occurred(1_000.0) == 2
