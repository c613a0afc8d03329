"""`conductor run`: runs the app and the engine, and prints events to the terminal.

The code that prints is imported after the engine process was started, so that both load at the same time.
"""

import argparse
import asyncio
import faulthandler
import logging
import os
import signal
import sys
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from conductor.app.build import App
from conductor.base.core_dumps import disable_core_dumps
from conductor.base.detached import exit_process
from conductor.base.logs import log_to_file, log_to_stderr
from conductor.base.paths import get_home_folder
from conductor.bridge.browser_pages import BrowserPages
from conductor.cli.second_start import request_page_address, show_window
from conductor.cli.text import format_load_message, format_mapping_count
from conductor.errors import AlreadyRunning, ConfigNotFound, NotAvailable
from conductor.runtime.events import CONFIG_LOADED_TOPIC
from conductor.window.browsers import describe_window, find_browser_reason

if TYPE_CHECKING:
    from conductor.domain.wire_rows import ConfigLoadedRow

log = logging.getLogger(__name__)

T = TypeVar("T")
EXIT_TIMEOUT_S = 17.0
"""The time after which a process that has not exited is killed.

The stack of each thread is written to standard error.
"""
BLOCKED_EXIT_GRACE_S = 2.0
"""The additional time after which `faulthandler` kills the process, in case a thread blocks the interpreter."""
MAX_WORKER_THREADS = 32
"""The number of threads for blocking work.

There are enough of them to go on if some hang, for example on a network folder.
"""
ONE_TIME_ADDRESS_NOTE = (
    "The address works once, for one page; run `conductor run --browser` again for another."
)


def run(args: argparse.Namespace) -> int:
    """Run Conductor until Ctrl+C, a signal, the closing of the terminal or the end of the demo.

    Return the exit code.
    """
    disable_core_dumps()
    log_to_stderr()
    if args.config is not None and args.config.is_dir():
        raise ConfigNotFound(
            f"{args.config} is a folder; name a file, such as --config {args.config / 'config.toml'}"
        )
    if args.config is not None and not args.config.is_file():
        raise ConfigNotFound(
            f"there is no config at {args.config}; check the path after --config, create an empty file there to"
            " start without mappings, or leave --config out to use the config in the home folder"
        )
    folder = get_home_folder()
    log_to_file(folder / "logs")
    killer = threading.Timer(EXIT_TIMEOUT_S, _kill_process)
    killer.daemon = True
    try:
        asyncio.run(_run_app(args, folder, killer))
    except AlreadyRunning:
        if args.browser:
            return _print_new_address()
        if not args.window:
            raise
        show_window()
        print("Conductor is already running; showing its window.")
        return 0
    code = exit_process(0)
    killer.cancel()
    faulthandler.cancel_dump_traceback_later()
    return code


def _print_new_address() -> int:
    """Print a new address of the running Conductor's page, with the command that confirms the page.

    Return the exit code.
    """
    address, number = request_page_address()
    print(f"Conductor is already running. Open {address}")
    print(ONE_TIME_ADDRESS_NOTE)
    print(f"The page is read-only until you confirm it: `conductor pages confirm {number}`")
    return 0


async def _run_app(args: argparse.Namespace, folder: Path, killer: threading.Timer) -> None:
    stop = asyncio.Event()
    loop, threads = asyncio.get_running_loop(), ThreadPoolExecutor(MAX_WORKER_THREADS)
    loop.set_default_executor(threads)
    exit_watcher = asyncio.create_task(_enforce_exit(stop, killer))
    for number in _list_exit_signals():
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # the event loop of Windows cannot do this
            signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(stop.set))
    demo = args.demo or (
        _is_first_run(args, folder) and not await asyncio.to_thread(_has_connected_hardware)
    )
    app = App(
        folder,
        stop,
        config_path=_find_demo_config() if demo else args.config,
        demo=demo,
        owns_window=args.window,
        hidden=args.hidden,
    )
    serving = asyncio.create_task(app.run())
    try:
        if args.browser:
            await _print_address(args, app.browser, serving)
        if args.window:
            await _wait_for_first(app.window.open_window(), serving)
            if not serving.done():
                _print_window(args)
        if demo:
            from conductor.cli.demo import play_demo

            await play_demo(app, stop, serving, stays=args.browser or args.window)
        elif not (args.browser or args.window):
            _print_status(args, app)
        await serving
        if app.window.failure is not None:
            raise NotAvailable(app.window.failure)
    finally:
        stop.set()
        await asyncio.gather(serving, return_exceptions=True)
        exit_watcher.cancel()
        threads.shutdown(wait=False, cancel_futures=True)
        # `asyncio.run` waits for all threads of the default executor, some of which may hang, so
        # the executor is replaced.
        loop.set_default_executor(ThreadPoolExecutor(1))


async def _enforce_exit(stop: asyncio.Event, killer: threading.Timer) -> None:
    """Start a timer when `stop` is set, which kills the process if it does not exit in time.

    The engine process releases its keys when this process is gone.
    """
    await stop.wait()
    killer.start()
    if sys.stderr is not None:
        # `faulthandler` reads the stacks of running threads without a lock and may crash. Therefore
        # it is only the fallback for a blocked interpreter, in which `_kill_process` cannot run.
        faulthandler.dump_traceback_later(EXIT_TIMEOUT_S + BLOCKED_EXIT_GRACE_S, exit=True)
    await asyncio.sleep(EXIT_TIMEOUT_S - 1)
    for task in asyncio.all_tasks():
        log.error("task still running at exit: %s", task)


def _kill_process() -> None:
    """Write the stack of each thread to standard error, and end the process with exit code 1."""
    if sys.stderr is not None:
        faulthandler.dump_traceback(all_threads=True)
    os._exit(1)


def _list_exit_signals() -> list[signal.Signals]:
    """Return the signals that end Conductor.

    SIGHUP, which reports that the terminal was closed, is one of them unless `nohup` has disabled it.
    """
    signals = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signals.append(signal.SIGHUP)
    return signals


async def _print_address(
    args: argparse.Namespace, pages: BrowserPages, serving: asyncio.Task[None]
) -> None:
    """Print an address that opens one page in a browser, unless Conductor ends before the address is known."""
    address = await _wait_for_first(pages.create_address(args.port), serving)
    if address is not None:
        print(f"Open {address}\n{ONE_TIME_ADDRESS_NOTE}", flush=True)


def _print_window(args: argparse.Namespace) -> None:
    """Print where the page was opened, if it is not in the Qt window."""
    if find_browser_reason() is None or args.hidden or args.quiet:
        return
    print(f"Conductor is open in the {describe_window()}.", flush=True)


async def _wait_for_first(
    coroutine: Coroutine[Any, Any, T], serving: asyncio.Task[None]
) -> T | None:
    """Return the result of a coroutine, or None if Conductor ends first."""
    task = asyncio.create_task(coroutine)
    await asyncio.wait((task, serving), return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        return task.result()
    task.cancel()
    return None


def _print_status(args: argparse.Namespace, app: App) -> None:
    """Print the paths of the config and the socket. If standard output is a terminal, events follow."""
    if args.quiet:
        return
    store = app.store
    mappings = format_mapping_count(sum(1 for _ in store.current_config.list_all_mappings()))
    if store.fallback:
        until = f"until you fix and save {store.path}"
        print(f"Running {store.fallback} ({mappings}) {until}.")
    else:
        print(f"Running {store.path} ({mappings}).")
    print(f"Socket: {app.find_socket_path()}. Ctrl+C to stop.", flush=True)
    if app.engine.state.paused:
        print("Mappings are still paused, as when Conductor last ended. Resume them in the window.")
    for warning in store.snapshot.report.warnings:
        print(f"warning: {warning.format()}", file=sys.stderr)
    if args.monitor or sys.stdout.isatty():
        from conductor.cli.monitor import (
            EVENT_NUMBER_LEGEND,
            OUTCOME_LEGEND,
            MonitorPrinter,
            MonitorThread,
        )

        print(f"{OUTCOME_LEGEND}   {EVENT_NUMBER_LEGEND}", flush=True)
        printer = MonitorPrinter(sys.stdout, is_running=app.engine.loaded.is_set())
        app.watch_events(MonitorThread(printer).queue_notification)
    else:
        app.bus.subscribe(
            CONFIG_LOADED_TOPIC, LoadPrinter(is_running=app.engine.loaded.is_set()).on_load
        )


class LoadPrinter:
    """Prints a line whenever the engine has loaded a config, if the output shows no events."""

    def __init__(self, *, is_running: bool) -> None:
        self._is_running = is_running

    def on_load(self, loaded: "ConfigLoadedRow") -> None:
        print(format_load_message(loaded["mappings"], is_reload=self._is_running), flush=True)
        self._is_running = True


def _is_first_run(args: argparse.Namespace, folder: Path) -> bool:
    """Return whether there is no config file yet and no argument rules out the demo."""
    has_choice = args.headless or args.browser or args.window or args.config is not None
    return not has_choice and not (folder / "config.toml").exists()


def _has_connected_hardware() -> bool:
    from conductor.devices.listing import list_gamepads, list_midi_ports

    return any(device.is_hardware() for device in [*list_midi_ports()[0], *list_gamepads()[0]])


def _find_demo_config() -> Path:
    return Path(__file__).parent.parent / "config" / "demo.toml"
