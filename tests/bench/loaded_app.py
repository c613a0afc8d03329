"""Runs Conductor with a thread that burns the app process's CPU, as a chat turn or an index would.

It burns from SIGUSR1 on: not while it starts, for that is not what is measured.
"""

import json
import re
import signal
import threading

from conductor.__main__ import main

BURN = signal.SIGUSR1


def burn(begin: threading.Event) -> None:
    """Parse JSON and match words for ever: both keep the GIL for milliseconds at a time."""
    text = json.dumps([{"note": n, "words": "the quick brown fox " * 20} for n in range(400)])
    word = re.compile(r"\b(\w+)\s+\1?\w*n\b")
    begin.wait()
    while True:
        json.loads(text)
        word.findall(text)


if __name__ == "__main__":  # the engine process may import this file, and must not burn
    begin = threading.Event()
    signal.signal(BURN, lambda _signal, _frame: begin.set())
    threading.Thread(target=burn, args=(begin,), name="burn", daemon=True).start()
    raise SystemExit(main(["run", "--headless"]))
