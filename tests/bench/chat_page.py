"""The chat in Chromium: first token to pixels, and 300 tokens a second beside frames and the engine."""

import json
import statistics
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import NamedTuple

from playwright.sync_api import Page, expect, sync_playwright
from tests.bench import chat
from tests.bench.configs import config_text
from tests.bench.desktop import METER, ROUTE
from tests.bench.rig import Server, Unmeasured, finish_meter, jack_server, say, start_meter
from tests.bench.rows import Row, ms
from tests.bench.window import at
from tests.journeys.conftest import OPTIONS
from tests.journeys.stage import go
from tests.support.chromium import find_chromium
from tests.support.running import running_conductor

AIM_MS, AIM_RATIO = 50.0, 1.2
TOKENS_PER_S, NOTES_PER_S = 300, 500
NOTES_WAIT_S = 10
WARM_UP = 3
ANSWER_WITHIN_MS = 60_000
MANY = "Stream for seconds:"
PAINTED = """word => {
  bench.painted = new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      const answers = document.querySelectorAll('[aria-label="Answer"]');
      if (!answers.length || !answers[answers.length - 1].textContent.includes(word)) return;
      watch.disconnect();
      requestAnimationFrame(() => {
        const after = new MessageChannel();
        after.port1.onmessage = () => resolve(performance.timeOrigin + performance.now());
        after.port2.postMessage(null);
      });
    });
    watch.observe(document.body, { childList: true, subtree: true, characterData: true });
  });
}"""


class Talker(chat.Model):
    """Answers with the last word of what it is told, or with many words, a few at a time."""

    spoken_ms: dict[str, float]
    rates: list[float]

    def do_POST(self) -> None:  # noqa: N802 - the library's name
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        told = [one["content"] for one in body["messages"] if one["role"] == "user"][-1]
        text = told if isinstance(told, str) else told[0]["text"]
        self._head("text/event-stream")
        self._chunk({"role": "assistant"}, None)
        if text.startswith(MANY):
            self._stream(float(text.removeprefix(MANY).split()[0]))
        else:
            word = text.split()[0]
            self.spoken_ms[word] = time.time() * 1000
            self._chunk({"content": word}, None)
        self._chunk({}, "stop")
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _stream(self, seconds: float) -> None:
        began, pausing = time.monotonic(), threading.Event()
        count = int(seconds * TOKENS_PER_S)
        for number in range(count):
            pausing.wait(began + number / TOKENS_PER_S - time.monotonic())
            self._chunk({"content": "pads\n\n" if number % 40 == 39 else "pad "}, None)
        self.rates.append(count / (time.monotonic() - began))


class Beside(NamedTuple):
    """How the page and the engine did for some seconds."""

    frame_p50_ms: float
    frame_p99_ms: float
    engine_p99_ms: float
    lost: int


def measure(messages: int, rounds: int, seconds: float) -> list[Row]:
    """Send this many messages, then receive long answers, each followed by an equally long pause."""
    with jack_server() as server, _talker() as (model, port), _opened(server, port) as page:
        say("  chat: first token to pixels")
        painted = [_painted(page, model, n) for n in range(WARM_UP + messages)][WARM_UP:]
        quiet, busy = list[Beside](), list[Beside]()
        for number in range(rounds):
            say(f"  chat: {TOKENS_PER_S} tokens/s, round {number + 1} of {rounds}")
            quiet.append(_beside(page, server, seconds))
            _say(page, f"{MANY}{seconds + 4} {number}")
            expect(page.get_by_role("button", name="Stop")).to_be_visible()
            busy.append(_beside(page, server, seconds))
            expect(page.get_by_role("button", name="Stop")).to_have_count(
                0, timeout=ANSWER_WITHIN_MS
            )
        rate = min(model.rates)
    median = statistics.median(painted)
    measured = f"p50 {ms(median)} max {ms(max(painted))} ms of {len(painted)}"
    first = Row(
        "chat: first token to pixels, Chromium",
        measured,
        f"{AIM_MS:g} ms",
        median <= AIM_MS,
        {"ms": painted},
    )
    return [first, *_beside_rows(quiet, busy, rate)]


def _beside_rows(quiet: list[Beside], busy: list[Beside], rate: float) -> list[Row]:
    without, during = _median(quiet), _median(busy)
    name = f"chat: {TOKENS_PER_S} tokens/s"
    frames = (
        f"frame p50 {ms(during.frame_p50_ms)} p99 {ms(during.frame_p99_ms)} ms at {rate:.0f} tokens/s; "
        f"without p50 {ms(without.frame_p50_ms)} p99 {ms(without.frame_p99_ms)} ms"
    )
    engine = (
        f"p99 {ms(during.engine_p99_ms)} ms, {during.lost} lost; "
        f"without {ms(without.engine_p99_ms)} ms, {without.lost} lost"
    )
    page = max(
        during.frame_p50_ms / without.frame_p50_ms, during.frame_p99_ms / without.frame_p99_ms
    )
    notes = during.engine_p99_ms / without.engine_p99_ms
    return [
        _ratio_row(f"{name}: page's frames", frames, page, during, without),
        _ratio_row(f"{name}: engine's p99", engine, notes, during, without),
    ]


def _ratio_row(name: str, measured: str, ratio: float, during: Beside, without: Beside) -> Row:
    figures = {"during": during._asdict(), "without": without._asdict(), "ratio": ratio}
    whole = during.lost == 0
    return Row(
        name, measured, f"{ratio:.2f}x (<= {AIM_RATIO})", whole and ratio <= AIM_RATIO, figures
    )


def _median(each: list[Beside]) -> Beside:
    return Beside(
        statistics.median(one.frame_p50_ms for one in each),
        statistics.median(one.frame_p99_ms for one in each),
        statistics.median(one.engine_p99_ms for one in each),
        sum(one.lost for one in each),
    )


def _beside(page: Page, server: Server, seconds: float) -> Beside:
    """Play notes and count frames for some seconds."""
    options = {**ROUTE, "count": int(seconds * NOTES_PER_S), "rate": NOTES_PER_S}
    page.evaluate("bench.frames.length = 0")
    meter = start_meter(server, "stream", {**options, "wait": NOTES_WAIT_S})
    heard = finish_meter(meter, seconds * 3 + 30)
    frames: list[float] = page.evaluate("bench.frames")
    if not frames:
        raise Unmeasured("the page draws no frames")
    return Beside(at(frames, 0.5), at(frames, 0.99), heard.p99_ms, heard.lost)


def _painted(page: Page, model: type[Talker], number: int) -> float:
    """Return the ms from a word on the wire to the word on the screen."""
    word = f"word{number}."
    page.evaluate(PAINTED, word)
    _say(page, f"{word} Say that.")
    seen: float = page.evaluate("bench.painted")
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    return seen - model.spoken_ms[word]


def _say(page: Page, words: str) -> None:
    box = page.get_by_role("textbox", name="Message")
    box.fill(words)
    box.press("Enter")


@contextmanager
def _opened(server: Server, port: int) -> Generator[Page]:
    """Open the chat of a Conductor that also answers notes."""
    expect.set_options(timeout=ANSWER_WITHIN_MS)
    text = chat.CONFIG.format(port=port) + config_text(128)
    with (
        running_conductor(
            text, environment=server.environment, with_page=True, own_process=True
        ) as conductor,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=find_chromium(), args=OPTIONS) as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(ANSWER_WITHIN_MS)
        page.add_init_script(METER)
        page.goto(conductor.address())
        go(page, "Chat")
        page.evaluate("bench.countFrames()")
        yield page


@contextmanager
def _talker() -> Generator[tuple[type[Talker], int]]:
    handler = type("BenchTalker", (Talker,), {"spoken_ms": {}, "rates": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, name="talker", daemon=True)
        thread.start()
        try:
            yield handler, server.server_port
        finally:
            server.shutdown()
            thread.join()
