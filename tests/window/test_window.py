"""The real window on a real screen: what its page may do, and how it closes, crashes and restarts."""

import json
import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Playwright
from tests.support.running import short_home, wait_for
from tests.support.xserver import XServer, window_manager
from tests.window.desktop import place_of, run, tray, type_path, windows
from tests.window.rig import WindowRig, dead, window_rig

from conductor.domain.settings import UiSettings
from conductor.errors import ActionFailed
from conductor.window.supervisor import GEOMETRY_FILE_NAME, MAX_PENDING_EVENT_BATCHES

pytestmark = [pytest.mark.x11, pytest.mark.window, pytest.mark.timeout(300)]
WAIT_S = 45
SVG = "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='200'><text y='40'>é</text></svg>"


@pytest.fixture(scope="module")
def desktop(screen: XServer) -> Generator[str]:
    """Return a display with a window manager and no tray."""
    with window_manager(screen.display):
        yield screen.display


@pytest.fixture(name="tray")
def tray_of_test(desktop: str) -> Generator[None]:
    with tray(desktop):
        yield


@pytest.fixture(scope="module")
def rig_of_module(playwright: Playwright, desktop: str) -> Generator[WindowRig]:
    with short_home() as home, window_rig(playwright, desktop, home) as running:
        yield running


@pytest.fixture
def rig(rig_of_module: WindowRig) -> WindowRig:
    """Return the module's window, which a test may have closed."""
    if not rig_of_module.window.is_open:
        rig_of_module.on_loop(rig_of_module.window.start)
    return rig_of_module


def _seen(rig: WindowRig, display: str) -> list[str]:
    return windows(display, "Conductor", rig.window.pid)


def _close(rig: WindowRig, display: str) -> None:
    """Press the close button, as the window manager does."""
    window = wait_for(lambda: _seen(rig, display), bool)[0]
    run(display, "wmctrl", "-i", "-c", window)


def _rpc(rig: WindowRig, call: str) -> Any:
    return rig.page.evaluate(call)


def test_the_first_window_of_all_fits_the_screen_with_its_frame(rig: WindowRig, desktop: str):
    assert not (rig.home / GEOMETRY_FILE_NAME).exists()
    wait_for(lambda: rig.page.evaluate("innerWidth"), bool)
    window = wait_for(lambda: _seen(rig, desktop), bool)[0]
    place = wait_for(lambda: place_of(desktop, window), lambda it: it["Y"] > 0)
    assert place["X"] >= 0
    assert place["X"] + place["WIDTH"] <= 1280
    assert place["Y"] + place["HEIGHT"] <= 800


def test_the_page_is_painted_on_a_window_at_least_as_large_as_promised(rig: WindowRig):
    size = wait_for(lambda: rig.page.evaluate("[innerWidth, innerHeight]"), lambda it: it[0] >= 900)
    assert size[1] >= 600


def test_a_call_with_the_key_reaches_the_app_and_its_answer_the_page(rig: WindowRig):
    params = {"text": "é\u2028'\"\\</script>", "list": [1, None, True]}
    answer = rig.page.evaluate("(params) => rpc('echo', params)", params)
    assert answer == {"ok": True, "result": params}


def test_the_key_is_gone_from_the_address(rig: WindowRig):
    assert "#" not in rig.page.url
    assert "k=" not in rig.page.evaluate("location.href")


@pytest.mark.parametrize(
    "call",
    [
        "rpcWith('', 'secret', {})",
        "rpcWith(null, 'secret', {})",
        "rpcWith('x'.repeat(43), 'secret', {})",
        "rpcWith(['k'], 'secret', {})",
    ],
)
def test_a_call_without_the_key_is_refused_and_does_not_reach_the_app(rig: WindowRig, call: str):
    rig.calls.queue.clear()
    assert _rpc(rig, call)["error"]["code"] == "not_allowed"
    assert list(rig.calls.queue) == []


@pytest.mark.parametrize("name", ["rpc.__globals__.clear", "take", "_ask", "__init__"])
def test_only_the_rpc_method_can_be_called(rig: WindowRig, name: str):
    rig.calls.queue.clear()
    call = "(name) => rpcOrNothing('k', 'm', {}, name)"
    assert rig.page.evaluate(call, name) == "no answer"
    assert list(rig.calls.queue) == [("echo", {})]


def test_a_call_whose_id_is_a_script_is_not_answered_with_it(rig: WindowRig):
    script = 'x"](0);window.pwned=1;//'
    rig.page.evaluate("(id) => window.pywebview._jsApiCallback('rpc', ['', 'm', {}], id)", script)
    assert _rpc(rig, "rpc('echo', {})")["ok"]
    assert rig.page.evaluate("window.pwned") is None


@pytest.mark.parametrize("params", ["'text'", "null", "[1]"])
def test_parameters_that_are_no_object_are_refused(rig: WindowRig, params: str):
    assert _rpc(rig, f"rpc('echo', {params})")["error"]["code"] == "params_invalid"


def test_events_arrive_in_batches_and_in_order(rig: WindowRig):
    rig.page.evaluate("batches.length = 0")
    for number in range(1, 31):
        rig.push((number, "notice", {"text": "é\u2028</script>"}))
    seen = wait_for(lambda: rig.page.evaluate("batches.flat()"), lambda got: len(got) == 30)
    assert [row[0] for row in seen] == list(range(1, 31))
    assert seen[0][2] == {"text": "é\u2028</script>"}


@pytest.mark.parametrize(
    ("element", "address"), [("away", ":9/elsewhere"), ("new", "example.org/new")]
)
def test_an_external_link_is_reported_instead_of_followed_and_the_bridge_still_works(
    rig: WindowRig, element: str, address: str
):
    before = rig.page.url
    rig.page.evaluate(f"document.getElementById('{element}').click()")
    assert rig.external.get(timeout=WAIT_S).endswith(address)
    assert rig.page.url == before
    assert _rpc(rig, "rpc('echo', {a: 1})") == {"ok": True, "result": {"a": 1}}


def test_the_page_may_copy_to_the_clipboard(rig: WindowRig):
    copied = "navigator.clipboard.writeText('copied').then(() => 'done', (e) => String(e))"
    assert rig.page.evaluate(copied) == "done"


def test_a_file_and_a_drawing_are_saved_where_the_user_says(
    rig: WindowRig, desktop: str, tmp_path: Path
):
    file, pdf = tmp_path / "sheet.txt", tmp_path / "sheet.pdf"
    assert _saved(rig, desktop, file, lambda: rig.window.save_file("a.txt", b"\x00\xff")) == str(
        file
    )
    assert file.read_bytes() == b"\x00\xff"
    assert _saved(rig, desktop, pdf, lambda: rig.window.save_pdf("a.pdf", SVG)) == str(pdf)
    assert pdf.read_bytes().startswith(b"%PDF-")


def test_a_save_that_the_user_cancels_writes_nothing(rig: WindowRig, desktop: str):
    asked = rig.loop.run_in_executor(None, lambda: rig.window.save_file("a.txt", b"x"))
    wait_for(lambda: windows(desktop, "Save"), bool)
    run(desktop, "wmctrl", "-c", "Save")
    assert wait_for(asked.done, bool)
    assert asked.result() is None


@pytest.mark.parametrize("kind", ["file", "pdf"])
def test_a_path_that_cannot_be_written_is_reported(
    rig: WindowRig, desktop: str, tmp_path: Path, kind: str
):
    path = tmp_path / "sheet"
    path.symlink_to(tmp_path / "gone" / "sheet")  # root may write into any folder that is there

    def ask() -> str | None:
        if kind == "file":
            return rig.window.save_file("a.txt", b"x")
        return rig.window.save_pdf("a.pdf", SVG)

    with pytest.raises(ActionFailed) as notices:
        _saved(rig, desktop, path, ask)
    words = f"{path} was not written: No such file or directory; choose another folder"
    assert str(notices.value) == words


def test_an_invalid_drawing_is_reported_and_leaves_no_file(
    rig: WindowRig, desktop: str, tmp_path: Path
):
    with pytest.raises(ActionFailed, match="the drawing is not a valid SVG"):
        _saved(rig, desktop, tmp_path / "a.pdf", lambda: rig.window.save_pdf("a.pdf", "<svg"))
    assert list(tmp_path.iterdir()) == []


def _saved(rig: WindowRig, display: str, path: Path, ask: Any) -> str | None:
    """Start a save on another thread, type a path into the dialog, and return the result."""
    answer = rig.loop.run_in_executor(None, ask)
    type_path(display, path, answer.done)
    return answer.result()


def test_batches_are_delivered_while_the_page_reloads_and_when_it_throws(rig: WindowRig):
    for number in range(1, 61):
        if number % 20 == 0:
            rig.page.reload(wait_until="commit")
        rig.push((number, "notice", {"text": "x" * 100_000}))
    rig.page.evaluate("() => { __conductor_push = () => { throw new Error('mine') } }")
    for number in range(61, 61 + MAX_PENDING_EVENT_BATCHES):
        rig.push((number, "notice", {}))


def test_without_a_tray_closing_ends_the_window_which_comes_back_with_its_geometry(
    rig: WindowRig, desktop: str
):
    wait_for(lambda: rig.page.evaluate("innerWidth"), bool)
    assert rig.window.tray is False
    window = wait_for(lambda: _seen(rig, desktop), bool)[0]
    run(desktop, "xdotool", "windowsize", window, "1000", "700")
    run(desktop, "xdotool", "windowmove", window, "60", "50")
    wait_for(lambda: _kept(rig.home).get("width"), lambda width: width == 1000)
    _close(rig, desktop)
    assert rig.closed.get(timeout=WAIT_S) is False
    assert not rig.window.is_open
    stored = _kept(rig.home)

    rig.on_loop(rig.window.start)
    wait_for(lambda: _size(rig), lambda size: size == [1000, 700])  # not shown yet, it has another
    assert _kept(rig.home) == stored


def _size(rig: WindowRig) -> list[int]:
    return rig.page.evaluate("[innerWidth, innerHeight]")


def test_a_maximised_window_comes_back_maximised_and_remembers_its_own_size(
    rig: WindowRig, desktop: str
):
    wait_for(lambda: rig.page.evaluate("innerWidth"), bool)
    window = wait_for(lambda: _seen(rig, desktop), bool)[0]
    run(desktop, "xdotool", "windowsize", window, "1000", "700")
    wait_for(lambda: _kept(rig.home).get("width"), lambda width: width == 1000)
    run(desktop, "wmctrl", "-i", "-r", window, "-b", "add,maximized_vert,maximized_horz")
    wait_for(lambda: _kept(rig.home).get("maximized"), bool)
    _close(rig, desktop)
    assert rig.closed.get(timeout=WAIT_S) is False

    rig.on_loop(rig.window.start)
    width = wait_for(lambda: rig.page.evaluate("innerWidth"), lambda it: it > 1200)
    window = wait_for(lambda: _seen(rig, desktop), bool)[0]
    run(desktop, "wmctrl", "-i", "-r", window, "-b", "remove,maximized_vert,maximized_horz")
    wait_for(lambda: _size(rig), lambda size: size[0] < width)
    wait_for(lambda: _size(rig), lambda size: size == [1000, 700])


def test_a_window_is_stuck_until_it_continues_and_loses_nothing(
    rig: WindowRig, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("conductor.window.supervisor.STUCK_PAGE_TIMEOUT_S", 0.5)
    last = MAX_PENDING_EVENT_BATCHES
    assert rig.page.evaluate("rpc('echo', {})")["ok"]
    rig.page.evaluate("batches.length = 0")
    pid = rig.window.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        for number in range(1, last):
            rig.push((number, "notice", {}))
        with pytest.raises(TimeoutError):
            rig.push((last, "notice", {}))
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_for(rig.window.has_room.is_set, bool)
    rig.push((last + 1, "notice", {}))
    seen = wait_for(lambda: rig.page.evaluate("batches.flat()"), lambda it: len(it) > last)
    assert [row[0] for row in seen] == list(range(1, last + 2))


def _kept(home: Path) -> dict[str, Any]:
    try:
        return json.loads((home / GEOMETRY_FILE_NAME).read_text())
    except (OSError, ValueError):
        return {}


@pytest.mark.parametrize(("x", "y"), [(5_000, 100), (-3_000, -3_000), (100, 4_000)])
def test_a_place_on_a_screen_that_is_gone_is_given_up(
    playwright: Playwright, desktop: str, x: int, y: int
):
    stored = {"x": x, "y": y, "width": 1000, "height": 700, "maximized": False}
    with short_home() as home:
        (home / GEOMETRY_FILE_NAME).write_text(json.dumps(stored))
        with window_rig(playwright, desktop, home) as rig:
            wait_for(lambda: rig.page.evaluate("innerWidth"), bool)
            window = wait_for(lambda: _seen(rig, desktop), bool)[0]
            place = place_of(desktop, window)
    assert (place["WIDTH"], place["HEIGHT"]) == (1000, 700)
    assert 0 <= place["X"] <= 1280 - 1000
    assert 0 <= place["Y"] <= 800 - 700


@pytest.mark.usefixtures("tray")
def test_with_a_tray_closing_hides_the_window_and_its_page_keeps_running(
    playwright: Playwright, desktop: str
):
    with short_home() as home, window_rig(playwright, desktop, home) as rig:
        page = rig.page
        wait_for(lambda: rig.window.tray, bool)
        _close(rig, desktop)
        wait_for(lambda: _seen(rig, desktop), lambda seen: not seen)
        assert page.evaluate("rpc('echo', {a: 1})") == {"ok": True, "result": {"a": 1}}
        assert rig.closed.empty()
        rig.window.show_window()
        wait_for(lambda: _seen(rig, desktop), bool)


@pytest.mark.usefixtures("tray")
def test_with_a_tray_closing_ends_the_window_when_that_is_set(playwright: Playwright, desktop: str):
    ui = UiSettings(close_to_tray=False)
    with short_home() as home, window_rig(playwright, desktop, home, ui) as rig:
        wait_for(lambda: rig.page.evaluate("innerWidth"), bool)
        _close(rig, desktop)
        assert rig.closed.get(timeout=WAIT_S) is False


def test_a_killed_window_is_restarted_with_a_new_key_but_not_a_third_time(
    rig: WindowRig, monkeypatch: pytest.MonkeyPatch
):
    # on a busy machine a restart takes longer than a window lives between quick crashes
    monkeypatch.setattr("conductor.window.supervisor.QUICK_CRASH_LIMIT_S", 3_600)
    words = ""
    for number in range(3):
        assert rig.page.evaluate("rpc('echo', {})")["ok"]
        pid = rig.window.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda pid=pid: dead(pid), bool)
        words = rig.notices.get(timeout=WAIT_S)
        assert ("reopened" in words) == (number < 2), words
        wait_for(lambda pid=pid, number=number: number == 2 or rig.window.pid != pid, bool)
    assert "conductor run --browser" in words
    assert not rig.window.is_open


def test_a_display_that_does_not_answer_is_reported(playwright: Playwright):
    with short_home() as home, window_rig(playwright, ":9", home) as rig:
        words = rig.window.wait_until_open(WAIT_S) or ""
        assert "display :9 does not answer" in words
        assert "conductor run --browser" in words
        assert rig.closed.get(timeout=WAIT_S) is False
