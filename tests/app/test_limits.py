"""Buckets of credits: what is used up comes back with time, and never more than there was."""

from __future__ import annotations

import pytest

from noughts.app.runtime.limits import CALLS, RESUME, ROOMS, ROOMS_ADDRESS, Bucket, Limit, Limits
from noughts.errors import Rejection
from noughts.rules.variant import VARIANTS

LIMIT = Limit("tests", burst=3, per_s=2, message="Slow down.")


def refused(bucket, now_s):
    with pytest.raises(Rejection) as told:
        bucket.take(now_s)
    assert told.value.code == "rate_limited"
    return told.value.retry_ms


def test_a_bucket_starts_full_and_fills_up_again():
    bucket = Bucket(LIMIT, 100.0)
    for _ in range(3):
        bucket.take(100.0)
    assert refused(bucket, 100.0) == 500
    assert refused(bucket, 100.25) == 250
    bucket.take(100.5)
    assert refused(bucket, 100.5) == 500
    for _ in range(3):
        bucket.take(10_000.0)
    assert refused(bucket, 10_000.0) == 500


def test_each_holder_has_a_bucket_of_its_own():
    limits = Limits(off=False)
    for holder in ("one", "other"):
        for _ in range(3):
            limits.take(LIMIT, holder, 0.0)
    with pytest.raises(Rejection):
        limits.take(LIMIT, "one", 0.0)


def test_off_lifts_all_limits_but_the_tries_of_resume_codes():
    limits = Limits(off=True)
    for _ in range(2 * int(CALLS.rate.burst)):
        limits.take(CALLS, "one", 0.0)
    for _ in range(int(RESUME.rate.burst)):
        limits.take(RESUME, "one", 0.0)
    with pytest.raises(Rejection):
        limits.take(RESUME, "one", 0.0)


def test_a_player_may_make_a_room_of_every_variant_three_times_over():
    bucket = Bucket(ROOMS, 0.0)
    for _ in range(3 * len(VARIANTS)):
        bucket.take(0.0)


def test_forty_pupils_behind_one_address_may_each_try_every_variant():
    limits = Limits(off=False)
    for pupil in range(40):
        for _ in VARIANTS:
            limits.take(ROOMS_ADDRESS, "school", 0.0)
            limits.take(ROOMS, f"pupil {pupil}", 0.0)


@pytest.mark.parametrize("limit", [ROOMS, ROOMS_ADDRESS])
def test_who_made_too_many_rooms_is_told_how_long_to_wait(limit):
    bucket = Bucket(limit, 0.0)
    for _ in range(int(limit.burst)):
        bucket.take(0.0)
    for now_s in (0.0, 0.5, 1 / limit.per_s - 0.001):
        with pytest.raises(Rejection) as told:
            bucket.take(now_s)
        assert told.value.code == "too_many_rooms"
        assert told.value.message.endswith(f" wait {-(-told.value.retry_ms // 1000)} s.")
    bucket.take(1 / limit.per_s)
