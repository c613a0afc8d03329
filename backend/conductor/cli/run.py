"""`conductor run`: the engine, its app, and what a terminal shows of them.

What is shown is imported after the engine process has been started: it comes up meanwhile.
"""

import argparse
import asyncio
import faulthandler
import logging
import signal
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from conductor.app.browser import BrowserPage
from conductor.app.build import App
from conductor.app.window_app import WindowApp
from conductor.base.core_dumps import forbid_core_dumps
from conductor.base.detached import exit_process
from conductor.base.logs import log_to_stderr, to_file
from conductor.base.paths import home
from conductor.cli.second_start import page_address, show_window
from conductor.cli.words import counted, loaded
from conductor.errors import AlreadyRunning, ConfigNotFound

log = logging.getLogger(__name__)

T = TypeVar("T")
ENDS_WITHIN_S = 17.0
"""From being told to end: then it is cut off, and standard error has where each thread was."""
THREADS = 32
"""Work that waits shares them; some of it may hang, on a network folder for one."""
ONCE = "The address opens one page, once; `conductor run --browser` gives another."


def run(args: argparse.Namespace) -> int:
    """Run until Ctrl+C, a signal or the end of the terminal; a demo ends alone when nobody watches."""
    forbid_core_dumps()
    log_to_stderr()
    if args.config is not None and not args.config.is_file():
        raise ConfigNotFound(f"there is no file {args.config}")
    folder = home()
    to_file(folder / "logs")
    try:
        asyncio.run(_run(args, folder))
    except AlreadyRunning:
        if args.browser:
            return _print_another_address()
        if not args.window:
            raise
        show_window()
        print("Conductor was already running; its window is shown.")
        return 0
    code = exit_process(0)
    faulthandler.cancel_dump_traceback_later()
    return code


def _print_another_address() -> int:
    """Print an address of the Conductor that already runs, and how its page comes to change things."""
    address, number = page_address()
    print(f"Conductor was already running. Open {address}")
    print(ONCE)
    print(f"Its page only shows things until you confirm it: `conductor pages confirm {number}`")
    return 0


async def _run(args: argparse.Namespace, folder: Path) -> None:
    stop = asyncio.Event()
    loop, threads = asyncio.get_running_loop(), ThreadPoolExecutor(THREADS)
    loop.set_default_executor(threads)
    ending = asyncio.create_task(_end_in_time(stop))
    for number in _ending_signals():
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(stop.set))
    demo = args.demo or (_is_new_here(args, folder) and not await asyncio.to_thread(_has_hardware))
    app = App(folder, config_path=_demo_config() if demo else args.config, demo=demo)
    serving = asyncio.create_task(app.run(stop))
    try:
        windowed = WindowApp(app, owns=args.window, hidden=args.hidden)
        if args.browser:
            await _open_browser(args, app.starts.browser, serving)
        if args.window:
            await _first_of(windowed.open(), serving)
        if demo:
            from conductor.cli.demo import play_demo

            await play_demo(app, stop, serving)
        elif not (args.browser or args.window):
            _show(args, app)
        await serving
    finally:
        stop.set()
        await asyncio.gather(serving, return_exceptions=True)
        ending.cancel()
        threads.shutdown(wait=False, cancel_futures=True)
        loop.set_default_executor(ThreadPoolExecutor(1))  # asyncio waits for it, and for what hangs


async def _end_in_time(stop: asyncio.Event) -> None:
    """Have it end, whatever hangs then: what is its own lets go when it is gone."""
    await stop.wait()
    if sys.stderr is not None:
        faulthandler.dump_traceback_later(ENDS_WITHIN_S, exit=True)
    await asyncio.sleep(ENDS_WITHIN_S - 1)
    for task in asyncio.all_tasks():
        log.error("Conductor does not end: %s", task)


def _ending_signals() -> list[signal.Signals]:
    """Return what ends Conductor in order: a closed terminal too, unless `nohup` says otherwise."""
    signals = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signals.append(signal.SIGHUP)
    return signals


async def _open_browser(
    args: argparse.Namespace, page: BrowserPage, serving: asyncio.Task[None]
) -> None:
    """Print the address of the page; it holds for one page, which keeps it open."""
    address = await _first_of(page.address(args.port), serving)
    if address is not None:
        print(f"Open {address}\n{ONCE}", flush=True)


async def _first_of(opening: Coroutine[Any, Any, T], serving: asyncio.Task[None]) -> T | None:
    """Wait until something is open; None when Conductor has ended first."""
    task = asyncio.create_task(opening)
    await asyncio.wait((task, serving), return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        return task.result()
    task.cancel()
    return None


def _show(args: argparse.Namespace, app: App) -> None:
    """Say what is there, and show events where somebody looks."""
    if args.quiet:
        return
    store = app.store
    mappings = counted(sum(1 for _ in store.current.all_mappings()))
    if store.fallback:
        until = f"until you mend {store.path} and save it"
        print(f"Conductor runs {store.fallback}, {mappings}, {until}.")
    else:
        print(f"Conductor runs {store.path}: {mappings}.")
    print(f"Its socket is {app.socket_path()}. Ctrl+C ends it.", flush=True)
    for warning in store.snapshot.report.warnings:
        print(f"warning: {warning.text()}", file=sys.stderr)
    if args.monitor or sys.stdout.isatty():
        from conductor.cli.monitor import LEGEND, Printer

        print(LEGEND, flush=True)
        app.on_event = Printer(sys.stdout, is_running=app.loaded.is_set()).show
        app.watch(on=True)
    else:
        app.on_event = Loads(is_running=app.loaded.is_set()).say


class Loads:
    """Says, where no events are shown, that the engine took over a config."""

    def __init__(self, *, is_running: bool) -> None:
        self._is_running = is_running

    def say(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "loaded":
            print(loaded(data, again=self._is_running), flush=True)
            self._is_running = True


def _is_new_here(args: argparse.Namespace, folder: Path) -> bool:
    """Return whether this is somebody's first run, who has not said what should run."""
    said = args.headless or args.browser or args.window or args.config is not None
    return not said and not (folder / "config.toml").exists()


def _has_hardware() -> bool:
    from conductor.devices.listing import list_gamepads, list_midi

    return any(device.is_hardware() for device in [*list_midi()[0], *list_gamepads()[0]])


def _demo_config() -> Path:
    return Path(__file__).parent.parent / "config" / "demo.toml"
