"""Threads and processes that run with real-time priority."""

import os
import subprocess
import sys

import pytest

from conductor.base.realtime import (
    ENGINE_PRIORITY,
    STARTING_PRIORITY,
    leave_real_time,
    request_real_time,
    start_in_real_time,
)

JACKS_LOWEST_PRIORITY = 5
"""The priority of the clients of `jackd -P 10`, the default."""
PRINT_PRIORITY = "import os; print(os.sched_getparam(0).sched_priority)"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the scheduler of Linux")


@pytest.fixture(autouse=True)
def allowed():
    if not request_real_time():
        pytest.skip("this user may not ask for real time")
    leave_real_time()
    yield
    leave_real_time()


def child_priority() -> int:
    done = subprocess.run(
        [sys.executable, "-S", "-c", PRINT_PRIORITY], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_a_process_started_ahead_is_in_real_time_from_its_first_moment_but_after_jack():
    with start_in_real_time():
        assert child_priority() == STARTING_PRIORITY
    assert STARTING_PRIORITY < JACKS_LOWEST_PRIORITY


def test_the_thread_that_started_it_is_ordinary_again():
    with pytest.raises(ZeroDivisionError), start_in_real_time():
        raise ZeroDivisionError
    assert os.sched_getscheduler(0) == os.SCHED_OTHER


def test_the_engines_thread_keeps_its_own_priority():
    request_real_time()
    with start_in_real_time():
        assert os.sched_getparam(0).sched_priority == ENGINE_PRIORITY
    assert os.sched_getparam(0).sched_priority == ENGINE_PRIORITY
