"""The outbox runs scripts in the page one after the other, whatever the page does."""

import queue
import threading

from conductor.window.page_bridge import MAX_SCRIPT_ATTEMPTS, ScriptQueue

WAIT_S = 30.0


class Page:
    """Runs scripts as pywebview does: waits for the page, and may raise."""

    def __init__(self, raises: int = 0) -> None:
        self.raises = raises
        self.free = threading.Event()
        self.tried: queue.Queue[str] = queue.Queue()
        self.ran: queue.Queue[str] = queue.Queue()
        self.lost = threading.Event()

    def run_js(self, script: str) -> None:
        self.tried.put(script)
        assert self.free.wait(WAIT_S)
        if self.raises:
            self.raises -= 1
            raise RuntimeError("Main window failed to start")
        self.ran.put(script)


def test_a_batch_counts_as_delivered_only_once_the_page_has_run_it() -> None:
    page, delivered = Page(), threading.Event()
    ScriptQueue(page.run_js, page.lost.set).push_events([[1, "notice", {}]], delivered.set)
    page.tried.get(timeout=WAIT_S)
    assert not delivered.is_set()
    page.free.set()
    assert delivered.wait(WAIT_S)


def test_scripts_that_arrive_while_the_page_is_busy_run_together_and_in_order() -> None:
    page, delivered = Page(), threading.Event()
    outbox = ScriptQueue(page.run_js, page.lost.set)
    outbox.add_script("first")
    page.tried.get(timeout=WAIT_S)
    for word in ("second", "third"):
        outbox.add_script(word)
    outbox.push_events(["fourth"], delivered.set)
    page.free.set()
    assert delivered.wait(WAIT_S)
    assert "first" in page.ran.get_nowait()
    together = page.ran.get_nowait()
    places = [together.index(word) for word in ("second", "third", "fourth")]
    assert places == sorted(places)
    assert page.ran.empty()


def test_a_script_that_could_not_be_run_is_run_again_and_nothing_is_lost() -> None:
    page, delivered = Page(raises=MAX_SCRIPT_ATTEMPTS - 1), threading.Event()
    page.free.set()
    outbox = ScriptQueue(page.run_js, page.lost.set)
    outbox.push_events(["first"], delivered.set)
    assert delivered.wait(WAIT_S)
    assert "first" in page.ran.get_nowait()
    assert not page.lost.is_set()


def test_a_page_that_runs_nothing_is_given_up_and_its_batches_never_count_as_delivered() -> None:
    page, delivered = Page(raises=MAX_SCRIPT_ATTEMPTS), threading.Event()
    page.free.set()
    ScriptQueue(page.run_js, page.lost.set).push_events(["first"], delivered.set)
    assert page.lost.wait(WAIT_S)
    assert page.ran.empty()
    assert not delivered.is_set()
