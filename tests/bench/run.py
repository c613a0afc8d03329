"""Measures everything in one run, prints one table and keeps it in `.cache/bench/latest.json`.

python -m tests.bench.run [--quick] [--only NAME] [--only NAME ...]
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from tests.bench import (
    chat,
    chat_page,
    engine_step,
    floods,
    hotplug,
    kills,
    knowledge,
    latency,
    manuals,
    plan_proof,
    plugin,
    recording,
    service,
    socket_calls,
    tokens,
    window,
)
from tests.bench.peers import install_peers
from tests.bench.rig import CACHE, ROOT, Unmeasured, build_meter, say
from tests.bench.rows import Row, table, unmeasured

BUSY = 0.7
"""A load average from which others disturb the figures of two cores."""

NOT_QUICK = ("rest",)
"""What a quick run leaves out unless it is named: idling takes its time."""

WITHOUT_METER = frozenset(("knowledge", "manuals", "plans", "step", "tokens"))
"""What measures no MIDI, so that it needs no headers of JACK."""

Section = Callable[[], list[Row]]


def sections(*, quick: bool) -> dict[str, Section]:
    """Return the measurements by name; quick ones are shorter, and their figures rougher."""
    return {
        "step": lambda: engine_step.measure(20_000 if quick else 100_000),
        "recording": lambda: recording.measure(4 if quick else 60),
        "plans": lambda: plan_proof.measure(8 if quick else 40),
        "latency": lambda: latency.measure(1 if quick else 2, 500 if quick else 1_000, quick=quick),
        "throughput": lambda: service.throughput(2 if quick else 8),
        "reload": lambda: service.reload_time(
            3 if quick else 5, [10, 2_250] if quick else list(service.RELOADS)
        ),
        "start": lambda: service.start_up(1 if quick else 3, warm=not quick),
        "hotplug": lambda: hotplug.measure(5 if quick else 20),
        "floods": lambda: floods.measure(*((1, 200) if quick else (5, 600))),
        "kills": lambda: kills.measure(6 if quick else 20),
        "mcp": lambda: socket_calls.measure(*((0.4, 1, 400) if quick else (2, 3, 1_000))),
        "chat": lambda: [
            *chat.measure(10 if quick else 50),
            *chat_page.measure(*((10, 1, 3) if quick else (30, 3, 8))),
        ],
        "knowledge": lambda: knowledge.measure(60 if quick else 300),
        "manuals": lambda: manuals.measure(10_000 if quick else 100_000),
        "plugin": lambda: plugin.measure(*((2, 800) if quick else (4, 2_000))),
        "tokens": tokens.measure,
        "rest": lambda: service.rest(3 if quick else 10),
        "window": lambda: window.measure(*((1, 2, 200) if quick else (2, 5, 1_000)), quick=quick),
    }


def main(arguments: list[str]) -> int:
    """Measure; the exit code is 1 when an aim is missed or a figure could not be had."""
    args = _parser().parse_args(arguments)
    began = time.monotonic()
    if not args.only or set(args.only) - WITHOUT_METER:
        build_meter()
    if not args.only or "latency" in args.only:
        install_peers()
    rows: list[Row] = []
    lasted: dict[str, float] = {}
    before = os.getloadavg()[0]
    for name, section in sections(quick=args.quick).items():
        if name in args.only or not (args.only or (args.quick and name in NOT_QUICK)):
            say(f"{name} ...")
            started = time.monotonic()
            rows += _measured(name, section)
            lasted[name] = round(time.monotonic() - started, 1)
    facts = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "machine": f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load_before_after": [round(before, 2), round(os.getloadavg()[0], 2)],
        "took_s": round(time.monotonic() - began, 1),
        "sections_s": lasted,
        "quick": args.quick,
    }
    _show(rows, facts)
    _keep(rows, facts)
    return (
        0 if all(row.met is not False and "not measured" not in row.measured for row in rows) else 1
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="make bench", description="Measure Conductor beside other programs."
    )
    parser.add_argument("--quick", action="store_true", help="shorter and rougher, under 90 s")
    names = list(sections(quick=True))
    parser.add_argument(
        "--only", action="append", choices=names, default=[], help="just this; may be repeated"
    )
    return parser


def _measured(name: str, section: Section) -> list[Row]:
    try:
        return section()
    except Unmeasured as problem:
        return [unmeasured(name, problem)]
    except Exception as error:  # noqa: BLE001 - the other measurements go on
        traceback.print_exc()
        return [unmeasured(name, f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")]


def _commit() -> str:
    asked = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return asked.stdout.strip() or "unknown"


def _show(rows: list[Row], facts: dict[str, Any]) -> None:
    say()
    say(table(rows))
    say()
    say(
        "latency: JACK 32 frames at 192 kHz, so nothing is finer than 0.167 ms; medians of interleaved rounds."
    )
    say("A note that a stalled JACK graph let out late counts from when it should have left.")
    missed = [row.name for row in rows if row.met is False]
    met = sum(row.met is True for row in rows)
    say(f"{met} aims met, {len(missed)} not{': ' if missed else ''}{'; '.join(missed)}")
    load, took = facts["load_before_after"], facts["took_s"]
    if load[0] > BUSY:
        say("Others were using this machine: the figures are rougher than they could be.")
    say("seconds: " + ", ".join(f"{name} {s}" for name, s in facts["sections_s"].items()))
    say(
        f"{facts['machine']}; load {load[0]} before, {load[1]} after; {took} s; commit {facts['commit']}"
    )


def _keep(rows: list[Row], facts: dict[str, Any]) -> None:
    kept = {**facts, "rows": [{**row._asdict(), "verdict": row.verdict} for row in rows]}
    CACHE.mkdir(parents=True, exist_ok=True)
    (CACHE / "latest.json").write_text(json.dumps(kept, indent=1))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
