"""The window and its page: start, bridge, events and frames under load, memory, sizes."""

import gzip
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Page, Playwright, expect, sync_playwright
from tests.bench.desktop import (
    ONE_FILE,
    ONE_FOLDER,
    ROUTE,
    SOURCE,
    Build,
    Shown,
    Start,
    browsed,
    shown,
)
from tests.bench.processes import Sample, sample
from tests.bench.rig import ROOT, Server, Unmeasured, finish_meter, jack_server, say, start_meter
from tests.bench.rows import Row, ms, unmeasured
from tests.bench.service import pause
from tests.journeys.stage import go
from tests.support.running import wait_for
from tests.support.xserver import x_server

from conductor.base.clock import now

RATE = 2_000
FPS_AIM = 55.0
LOOK_FOR_MS = 15_000
CALL = "app.hello"
UI = ROOT / "backend" / "conductor" / "ui"
SOURCE_OF_PUBLISHED = "gethopp.app/blog/tauri-vs-electron, published, six windows"
PUBLISHED_MEMORY = "published: Electron ~409, Tauri ~172 MB"
PUBLISHED_SIZE = "published: Electron ~244, Tauri ~8.6 MiB"


class Pace(NamedTuple):
    """The frames of a page for some seconds."""

    fps: float
    p50_ms: float
    p99_ms: float
    max_ms: float

    @property
    def words(self) -> str:
        return f"{self.fps:.1f} fps, frame p50 {ms(self.p50_ms)} p99 {ms(self.p99_ms)} max {ms(self.max_ms)} ms"


def measure(starts: int, seconds: float, calls: int, *, quick: bool = False) -> list[Row]:
    """Measure starts of everything that is built, and the page in the window and in a browser.

    Quick leaves out the browser and the one folder.
    """
    expect.set_options(timeout=LOOK_FOR_MS)
    with sync_playwright() as playwright, x_server() as screen, jack_server(48_000, 64) as server:
        rows = _window_rows(starts, seconds, calls, server, screen.display, playwright)
        rows += [
            _start_row(build, starts, server, screen.display, playwright)
            for build in ((ONE_FILE,) if quick else (ONE_FILE, ONE_FOLDER))
        ]
        if not quick:
            rows += _browser_rows(seconds, calls, server, playwright)
    return [*rows, *sizes()]


def _start_row(
    build: Build, times: int, server: Server, display: str, playwright: Playwright
) -> Row:
    name = f"window start: {build.name}"
    if not build.is_built():
        return Row(name, "not built: make package")
    taken: list[Start] = []
    try:
        for _ in range(times):
            say(f"  {name}")
            with shown(build, server, display, playwright) as it:
                taken.append(it.start)
    except (Unmeasured, TimeoutError) as problem:
        return unmeasured(name, problem)
    return _starts(name, taken)


def _starts(name: str, taken: Sequence[Start]) -> Row:
    paint, content, event = (statistics.median(times) for times in zip(*taken, strict=True))
    measured = (
        f"first paint {paint:.0f} ms, first words {content:.0f} ms, first mapped event {event:.0f} ms, "
        f"median of {len(taken)}"
    )
    figures = {"paint_ms": paint, "content_ms": content, "event_ms": event, "all": taken}
    return Row(name, measured, "", None, figures)


def _window_rows(
    starts: int, seconds: float, calls: int, server: Server, display: str, playwright: Playwright
) -> list[Row]:
    """Start it often; the last start stays for the rest."""
    name, taken = f"window start: {SOURCE.name}", list[Start]()
    for _ in range(starts - 1):
        say(f"  {name}")
        with shown(SOURCE, server, display, playwright) as it:
            taken.append(it.start)
    say(f"  {name}")
    with shown(SOURCE, server, display, playwright) as it:
        rest = _shown_rows(it, seconds, calls, server)
    return [_starts(name, [*taken, it.start]), *rest]


def _shown_rows(it: Shown, seconds: float, calls: int, server: Server) -> list[Row]:
    say("  window: bridge, memory, events")
    go(it.page, "History")  # which calls, so that the meter learns the window's key
    go(it.page, "Monitor")
    bridge = _round_trips("bridge round trip: window", it.page, calls)
    pause(2)
    memory = _memory_rows(it)
    before, began = sample(it.it.process.pid), now()
    events = _events_rows("window", it.page, seconds, server)
    cpu = _cpu_row(before, sample(it.it.process.pid), now() - began, seconds)
    return [bridge, *events, cpu, *memory]


def _cpu_row(
    before: dict[int, Sample], after: dict[int, Sample], lasted_s: float, idle_s: float
) -> Row:
    """Return the busiest processes; a shared machine affects the frames more than this list."""
    by_role: dict[str, float] = {}
    for pid, one in after.items():
        used_s = one.cpu_s - (before[pid].cpu_s if pid in before else 0)
        by_role[one.role] = by_role.get(one.role, 0) + 100 * used_s / lasted_s
    parts = ", ".join(f"{role} {share:.0f}" for role, share in by_role.items())
    measured = (
        f"{parts} % of a core, over {lasted_s:.0f} s; nothing came in the first {idle_s:.0f} s"
    )
    return Row("window CPU: idle, then events", measured, "", None, by_role)


def _browser_rows(seconds: float, calls: int, server: Server, playwright: Playwright) -> list[Row]:
    say("  browser: WebSocket, events")
    try:
        with browsed(server, playwright) as page:
            go(page, "Monitor")
            rows = [_round_trips("bridge round trip: WebSocket in Chromium", page, calls)]
            return [*rows, *_events_rows("Chromium", page, seconds, server)]
    except (Unmeasured, TimeoutError) as problem:
        return [unmeasured("page in Chromium", problem)]


def _round_trips(name: str, page: Page, calls: int) -> Row:
    page.evaluate("([count, method]) => bench.roundTrips(count, method)", [calls // 10, CALL])
    taken: list[float] = page.evaluate(
        "([count, method]) => bench.roundTrips(count, method)", [calls, CALL]
    )
    p50, p99 = at(taken, 0.5), at(taken, 0.99)
    measured = (
        f"p50 {ms(p50)} p99 {ms(p99)} max {ms(max(taken))} ms of {calls}, nothing else going on"
    )
    return Row(name, measured, "", None, {"p50_ms": p50, "p99_ms": p99, "max_ms": max(taken)})


def _events_rows(where: str, page: Page, seconds: float, server: Server) -> list[Row]:
    """Count frames while nothing comes, then while 2,000 notes a second do, each of them mapped."""
    page.evaluate("bench.countFrames()")
    idle = _pace(page, seconds)
    page.evaluate("bench.reset()")
    count = int(RATE * (seconds + 1))
    options = {**ROUTE, "count": count, "rate": RATE, "steady": True, "warm-up": 0}
    meter = start_meter(server, "stream", options)
    wait_for(lambda: page.evaluate("bench.counted.events"), lambda seen: seen > RATE / 4)
    busy = _pace(page, seconds)
    heard = finish_meter(meter, seconds + 30)
    seen = _all_of(page, heard.sent)
    return [
        _pushed_row(where, seen, heard.sent, heard.rate, heard.lost),
        _frames_row(where, idle, busy),
    ]


def _all_of(page: Page, sent: int) -> dict[str, Any]:
    """Return what was counted once everything has come, or long after it should have."""

    def come(seen: dict[str, Any]) -> bool:
        return seen["events"] + seen["skipped"] >= sent

    try:
        return wait_for(lambda: page.evaluate("bench.counted"), come, 5)
    except TimeoutError:
        return page.evaluate("bench.counted")


def _pushed_row(where: str, seen: dict[str, Any], sent: int, rate: float, lost: int) -> Row:
    missing = max(0, sent - seen["events"])
    measured = (
        f"{sent:,} in at {rate:,.0f}/s: {missing} not told ({seen['skipped']} left out and counted), "
        f"{seen['gaps']} gaps, {seen['batches']} batches; {lost} without an answer"
    )
    met = missing == 0 and seen["gaps"] == 0 and lost == 0 and rate > RATE * 0.99
    figures = {**seen, "sent": sent, "rate": rate, "missing": missing, "lost": lost}
    return Row(f"events to the page: {where}", measured, f"{RATE:,}/s, none lost", met, figures)


def _frames_row(where: str, idle: Pace, busy: Pace) -> Row:
    measured = f"{busy.words}; idle {idle.words}"
    figures = {"busy": busy._asdict(), "idle": idle._asdict()}
    aim = f">= {FPS_AIM:.0f} fps"
    return Row(f"frames at {RATE:,}/s: {where}", measured, aim, busy.fps >= FPS_AIM, figures)


def _pace(page: Page, seconds: float) -> Pace:
    page.evaluate("bench.frames.length = 0")
    pause(seconds)
    frames: list[float] = page.evaluate("bench.frames")
    if not frames:
        raise Unmeasured("the page draws no frames")
    return Pace(1000 * len(frames) / sum(frames), at(frames, 0.5), at(frames, 0.99), max(frames))


def _memory_rows(it: Shown) -> list[Row]:
    by_role: dict[str, list[float]] = {}
    for one in sample(it.it.process.pid).values():
        by_role.setdefault(one.role, []).append(one.pss_mb)
    rows = [
        Row(f"window memory: {role}", _pss(each), "", None, {"pss_mb": each})
        for role, each in by_role.items()
    ]
    total = [pss for each in by_role.values() for pss in each]
    aim = f"{PUBLISHED_MEMORY} ({SOURCE_OF_PUBLISHED})"
    figures = {"pss_mb": sum(total)}
    return [*rows, Row("window memory: all, monitor open", _pss(total), aim, None, figures)]


def _pss(each: Sequence[float]) -> str:
    several = f" in {len(each)} processes" if len(each) > 1 else ""
    return f"PSS {sum(each):.1f} MB{several}"


def sizes() -> list[Row]:
    """Return what the page and the packages weigh."""
    rows = [_bundle_row(kind) for kind in ("js", "css", "woff2")]
    return [*rows, _package_row(ONE_FILE, [Path(ONE_FILE.command[0])]), _folder_row()]


def _bundle_row(kind: str) -> Row:
    texts = [path.read_bytes() for path in UI.rglob(f"*.{kind}")]
    raw = sum(len(text) for text in texts) / 1000
    packed = sum(len(gzip.compress(text, 9)) for text in texts) / 1000
    figures = {"kb": raw, "gzip_kb": packed, "files": len(texts)}
    return Row(f"page size: {kind}", f"{raw:.0f} kB, gzip {packed:.0f} kB", "", None, figures)


def _folder_row() -> Row:
    files = Path(ONE_FOLDER.command[0]).parent.rglob("*")
    return _package_row(ONE_FOLDER, (path for path in files if not path.is_symlink()))


def _package_row(build: Build, files: Iterable[Path]) -> Row:
    name = f"package size: {build.name}"
    if not build.is_built():
        return Row(name, "not built: make package")
    size_mb = sum(path.stat().st_size for path in files if path.is_file()) / 1e6
    aim = f"{PUBLISHED_SIZE} ({SOURCE_OF_PUBLISHED.split(',')[0]})"
    return Row(name, f"{size_mb:.0f} MB", aim, None, {"mb": size_mb})


def at(values: Sequence[float], share: float) -> float:
    """Return the value that this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[round(share * (len(ordered) - 1))]
