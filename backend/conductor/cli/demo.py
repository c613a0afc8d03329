"""Plays the demo config on the virtual controller and shows the events with their actions.

The actions are only shown, so no keys are pressed and no MIDI is sent.
"""

import asyncio
import shlex
import shutil
import sys

from conductor.app.build import App
from conductor.cli.monitor import OUTCOME_LEGEND, MonitorPrinter, MonitorThread
from conductor.devices.virtual.controller import build_demo_script
from conductor.domain.engine_protocol import PlayVirtual

DEMO_INTRODUCTION = f"""
No controller is connected, so the virtual controller (16 pads, 8 knobs, 8 faders) plays a short demo.
Each line shows an event and its action. Actions are only shown, not performed.
{OUTCOME_LEGEND}
"""
DEMO_NEXT_STEPS = """
End of the demo. Next steps:
  1. {program} run --browser      run your own config, {config}, and open Conductor in a browser
  2. {program} play pad1          play pad 1 of the virtual controller (in a second terminal)
  3. {program} learn              touch a control to get a suggested trigger
  4. echo "tap 36" | {program} simulate -    show what a tap of note 36 would do (once 1 has created the config)
"""


DEMO_STAYS = (
    "The page stays open, with the virtual controller to play. Press Ctrl+C to end the demo."
)


async def play_demo(
    app: App, stop: asyncio.Event, serving: "asyncio.Task[None]", *, stays: bool = False
) -> None:
    """Play the demo script once, then set `stop` so that Conductor ends; with `stays`, it keeps running for
    its page.
    """
    print(DEMO_INTRODUCTION, flush=True)
    app.watch_events(
        MonitorThread(MonitorPrinter(sys.stdout, shows_numbers=False)).queue_notification
    )
    await asyncio.to_thread(app.engine.loaded.wait, 10)
    started = asyncio.get_running_loop().time()
    for seconds, method, args in build_demo_script():
        wait_s = started + seconds - asyncio.get_running_loop().time()
        # After a delay, all later events are played later too, so that holds keep their duration.
        started -= min(0.0, wait_s)
        if await _wait_until_end(stop, serving, wait_s):
            return
        app.engine.process.send(PlayVirtual(method, list(args)))
    await _wait_until_end(stop, serving, 1.0)
    program = "conductor" if shutil.which("conductor") else shlex.quote(sys.argv[0])
    print(DEMO_NEXT_STEPS.format(config=app.home / "config.toml", program=program), flush=True)
    if stays:
        print(DEMO_STAYS, flush=True)
    else:
        stop.set()


async def _wait_until_end(
    stop: asyncio.Event, serving: "asyncio.Task[None]", seconds: float
) -> bool:
    """Wait at most this many seconds for Conductor to end. Return whether it is ending."""
    waiting = asyncio.ensure_future(stop.wait())
    await asyncio.wait({waiting, serving}, timeout=max(0.0, seconds), return_when="FIRST_COMPLETED")
    waiting.cancel()
    return stop.is_set() or serving.done()
