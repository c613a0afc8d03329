"""The demo: the virtual controller plays a set-up, and the terminal shows what becomes of it.

Nothing is done to the computer: actions are shown only. MIDI and keys stay untouched.
"""

import asyncio
import shutil
import sys
from pathlib import Path

from conductor.app.build import App
from conductor.cli.monitor import LEGEND, Printer
from conductor.devices.virtual.controller import demo_script
from conductor.domain.engine_protocol import PlayVirtual

INTRODUCTION = f"""
No controller is plugged in, so the built-in virtual one plays a short set-up: 16 pads, 8 knobs, 8 faders.
Each line is one event, and after the mark what it does. Actions are shown here, not done.
{LEGEND}
"""
GOODBYE = """
That was the demo. To make it yours:
  1. {program} run --browser      your own set-up, {config}, with the window in a browser
  2. {program} play pad1          plays pad 1 of the virtual controller (in a second terminal)
  3. {program} learn              touch a control and see which trigger it suggests
  4. echo "tap 36" | {program} simulate -    shows what a tap of note 36 would do, and does nothing
"""


async def play_demo(app: App, stop: asyncio.Event, serving: "asyncio.Task[None]") -> None:
    """Play the script once, then end."""
    print(INTRODUCTION, flush=True)
    app.on_event = Printer(sys.stdout).show
    app.watch(on=True)
    await asyncio.to_thread(app.loaded.wait, 10)
    started = asyncio.get_running_loop().time()
    for seconds, method, args in demo_script():
        left = started + seconds - asyncio.get_running_loop().time()
        if await _ended(stop, serving, left):
            return
        app.engine.send(PlayVirtual(method, list(args)))
    await _ended(stop, serving, 1.0)
    program = "conductor" if shutil.which("conductor") else str(Path(sys.argv[0]))
    print(GOODBYE.format(config=app.home / "config.toml", program=program), flush=True)
    stop.set()


async def _ended(stop: asyncio.Event, serving: "asyncio.Task[None]", seconds: float) -> bool:
    waiting = asyncio.ensure_future(stop.wait())
    await asyncio.wait({waiting, serving}, timeout=max(0.0, seconds), return_when="FIRST_COMPLETED")
    waiting.cancel()
    return stop.is_set() or serving.done()
