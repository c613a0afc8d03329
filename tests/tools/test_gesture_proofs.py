"""What a change can affect, and its gestures in the background: published as they are played, and stopped."""

import queue

import pytest
from tests.support.simulate import config

from conductor.domain.coverage import Coverage
from conductor.engine.gestures.exhaustive import ProofBudget
from conductor.engine.touches import PlayedTouches
from conductor.tools.gesture_proofs import GestureProofQueue

OLD, NEW = config("Note note=36 -> a"), config("Note note=36 -> b")
NOTHING = PlayedTouches(frozenset(), frozenset(), frozenset())
TIMEOUT_S = 20


def started(budget: ProofBudget = ProofBudget(gestures=500)) -> GestureProofQueue:  # noqa: B008
    return GestureProofQueue(budget, pause_s=0)


def test_the_impact_is_there_at_once_and_no_gesture_was_played_yet():
    impact, coverage = started().start_proof(OLD, NEW, NOTHING)
    assert impact.summary == "May change: note 36 (C1). Everything else stays the same."
    assert (coverage.finished, coverage.gestures_played) == (False, 0)
    assert [one.played for one in coverage.changed] == [False, False]


def test_what_was_played_is_left_open_once_the_recording_is_cleared():
    proof = started()
    proof.start_proof(OLD, NEW, NOTHING)
    last = proof._last  # pyright: ignore[reportPrivateUsage]
    assert last is not None
    proof.forget_played_controls()
    assert [one.played for one in last[2].coverage.changed] == [None, None]


def test_what_was_played_is_left_open_when_the_recording_cannot_be_read():
    _, coverage = GestureProofQueue().start_proof(OLD, NEW, None)
    assert [one.played for one in coverage.changed] == [None, None]


def test_gestures_are_played_in_the_background_until_they_are_finished():
    found: queue.Queue[tuple[str, Coverage]] = queue.Queue()

    def publish(plan_id: str, coverage: Coverage) -> bool:
        found.put((plan_id, coverage))
        return True

    proof = started()
    for name in ("one", "two"):
        proof.start_proof(OLD, NEW, NOTHING)
        proof.queue_proof(name, OLD, NEW, lambda: NOTHING, publish)
    finished: dict[str, Coverage] = {}
    while len(finished) < 2:
        name, coverage = found.get(timeout=TIMEOUT_S)
        if coverage.finished:
            finished[name] = coverage
    proof.close()
    for coverage in finished.values():
        assert coverage.differing > 0
        assert coverage.counterexamples[0].gesture == "down 36"


def test_gestures_wait_while_a_proof_is_worked_out_and_go_on_afterwards():
    found: queue.Queue[Coverage] = queue.Queue()

    def publish(_plan_id: str, coverage: Coverage) -> bool:
        found.put(coverage)
        return True

    proof = started(ProofBudget(gestures=10))
    with proof.pause_playing():
        with proof.pause_playing():
            proof.queue_proof("one", OLD, NEW, lambda: NOTHING, publish)
        with pytest.raises(queue.Empty):
            found.get(timeout=0.1)
    assert found.get(timeout=TIMEOUT_S).finished
    proof.close()


def test_gestures_that_wait_end_when_the_proofs_are_closed():
    proof = started()
    with proof.pause_playing():
        proof.queue_proof("one", OLD, NEW, lambda: NOTHING, lambda _plan_id, _coverage: True)
        proof.close()
    assert proof._thread is not None  # pyright: ignore[reportPrivateUsage]
    assert not proof._thread.is_alive()  # pyright: ignore[reportPrivateUsage]


def test_a_plan_that_is_decided_is_not_played_any_further():
    calls: queue.Queue[str] = queue.Queue()

    def refuse(plan_id: str, _coverage: Coverage) -> bool:
        calls.put(plan_id)
        return False

    proof = started()
    proof.queue_proof("decided", OLD, NEW, lambda: NOTHING, refuse)
    proof.queue_proof("next", OLD, NEW, lambda: NOTHING, refuse)
    assert [calls.get(timeout=TIMEOUT_S) for _ in range(2)] == ["decided", "next"]
    proof.close()


def test_closing_ends_the_thread_and_nothing_is_played_afterwards():
    proof = started(ProofBudget(gestures=10**9, seconds=10**6))
    proof.queue_proof("long", OLD, NEW, lambda: NOTHING, lambda _plan_id, _coverage: True)
    proof.close()
    assert proof._thread is not None  # pyright: ignore[reportPrivateUsage]
    assert not proof._thread.is_alive()  # pyright: ignore[reportPrivateUsage]
    proof.queue_proof("late", OLD, NEW, lambda: NOTHING, lambda _plan_id, _coverage: True)


def test_a_new_proof_of_a_plan_replaces_the_one_that_is_being_played():
    found: queue.Queue[str] = queue.Queue()
    proof = started()

    def queue_proof(name: str) -> None:
        proof.queue_proof(
            "one", OLD, NEW, lambda: NOTHING, lambda _id, coverage: play(name, coverage)
        )

    def play(name: str, coverage: Coverage) -> bool:
        if coverage.finished:
            found.put(name)
        return True

    with proof.pause_playing():
        queue_proof("first")
        queue_proof("second")
    assert found.get(timeout=TIMEOUT_S) == "second"
    proof.close()
    assert found.empty()
