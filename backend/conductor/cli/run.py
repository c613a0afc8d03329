"""`conductor run`: the engine, its app, and what a terminal shows of them."""

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from conductor.app.build import App
from conductor.base.logs import to_file, to_stderr
from conductor.base.paths import home
from conductor.cli.monitor import Printer
from conductor.errors import ConfigNotFound

DEVICES_WITHIN_S = 5.0


def run(args: argparse.Namespace) -> int:
    """Run until Ctrl+C or SIGTERM; with the demo, until it has been played when nobody watches."""
    to_stderr()
    if args.config is not None and not args.config.is_file():
        raise ConfigNotFound(f"there is no file {args.config}")
    folder = home()
    to_file(folder / "logs")
    asyncio.run(_run(args, folder))
    return 0


async def _run(args: argparse.Namespace, folder: Path) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
    fresh = args.config is None and not (folder / "config.toml").exists()
    app = App(folder, config_path=_demo_config() if args.demo else args.config, demo=args.demo)
    serving = asyncio.create_task(app.run(stop))
    try:
        if args.demo or (fresh and not args.headless and not await _has_hardware(app)):
            await _demo(app, stop, serving)
        else:
            _show(args, app)
        await serving
    finally:
        stop.set()
        await asyncio.gather(serving, return_exceptions=True)


def _show(args: argparse.Namespace, app: App) -> None:
    """Say what is there, and show events where somebody looks."""
    if args.quiet:
        return
    store = app.store
    print(f"Conductor runs {store.path}: {_count(store.current.all_mappings())} mappings.")
    print(f"Its socket is {app.socket_path()}. Ctrl+C ends it.", flush=True)
    for warning in store.report.warnings:
        print(f"warning: {warning.text()}", file=sys.stderr)
    if args.monitor or sys.stdout.isatty():
        app.on_event = Printer(sys.stdout).show
        app.watch(on=True)


def _count(items: object) -> int:
    return sum(1 for _ in items)  # type: ignore[attr-defined]


async def _has_hardware(app: App) -> bool:
    await asyncio.to_thread(app.devices_known.wait, DEVICES_WITHIN_S)
    return any(
        device["connected"] and device["kind"] in ("midi_input", "gamepad")
        for device in app.devices
        if not device["port_name"].startswith("Conductor")
    )


def _demo_config() -> Path:
    return Path(__file__).parent.parent / "config" / "demo.toml"


async def _demo(app: App, stop: asyncio.Event, serving: "asyncio.Task[None]") -> None:
    from conductor.cli.demo import play_demo

    await play_demo(app, stop, serving)
