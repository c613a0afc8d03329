"""The demo: the virtual controller plays a set-up, and the terminal shows what becomes of it.

Nothing is done to the computer: actions are shown only. MIDI and keys stay untouched.
"""

import asyncio
import sys

from conductor.app.build import App
from conductor.cli.monitor import LEGEND, Printer
from conductor.devices.virtual import demo_script

INTRODUCTION = f"""
No controller is plugged in, so the built-in virtual one plays a short set-up: 16 pads, 8 knobs, 8 faders.
Each line is one event, and after the mark what it does. Actions are shown here, not done.
{LEGEND}
"""
GOODBYE = """
That was the demo. To make it yours:
  1. conductor run --headless      runs your own set-up, {config}
  2. conductor learn               touch a control and see which trigger it suggests
  3. conductor simulate EVENTS     shows what a change would do before you make it
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
        app.engine.send("virtual", do=method, args=list(args))
    await _ended(stop, serving, 1.0)
    print(GOODBYE.format(config=app.home / "config.toml"), flush=True)
    stop.set()


async def _ended(stop: asyncio.Event, serving: "asyncio.Task[None]", seconds: float) -> bool:
    waiting = asyncio.ensure_future(stop.wait())
    await asyncio.wait({waiting, serving}, timeout=max(0.0, seconds), return_when="FIRST_COMPLETED")
    waiting.cancel()
    return stop.is_set() or serving.done()
