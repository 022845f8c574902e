"""A command on its way through a room."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from noughts.app.rooms.replies import UNANSWERED
from noughts.app.rooms.submission import Submission
from noughts.room.commands import Wake


def test_a_submission_has_met_no_conflict_yet() -> None:
    submission = Submission(Wake(), None, UNANSWERED)
    assert (submission.key, submission.conflicts) == (None, 0)
    assert replace(submission, conflicts=1).reply is UNANSWERED


def test_a_conflict_keeps_the_time_of_arrival() -> None:
    """That of the first step, if the command did not have to wait for it."""
    for arrived_ms, kept_ms in ((0, 500), (300, 300)):
        again = Submission(Wake(), None, UNANSWERED, arrived_ms=arrived_ms).after_conflict(500)
        assert (again.conflicts, again.arrived_ms) == (1, kept_ms)
        assert again.after_conflict(900).arrived_ms == kept_ms


def test_a_submission_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Submission(Wake(), None, UNANSWERED).conflicts = 1  # type: ignore[misc]
