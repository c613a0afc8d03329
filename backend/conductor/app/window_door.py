"""The door between the page in the window and the app: one method, `rpc(key, method, params)`.

It takes the place of pywebview's own call handler, which would call any attribute of an object by its
dotted name, start a thread for each call, send tracebacks to the page, and put the page's own call id
unread into a script. The page calls `pywebview._jsApiCallback("rpc", [key, method, params], id)`.
"""

import hmac
import itertools
import json
import re
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
PUSHES_KEPT = 90
"""Three seconds of events: what a busy page does not take is dropped, and it sees the gap."""
REFUSED = {
    "ok": False,
    "error": {"code": "not_allowed", "message": "this call does not carry the window's key"},
}
Envelope = dict[str, Any]


class Outbox:
    """Runs scripts in the page, one after the other; what comes while the page is busy goes together."""

    def __init__(self, run_js: Callable[[str], Any]) -> None:
        self._run_js = run_js
        self._replies: deque[str] = deque()
        self._pushes: deque[str] = deque(maxlen=PUSHES_KEPT)
        self._news = threading.Condition()
        threading.Thread(target=self._run, name="page outbox", daemon=True).start()

    def reply(self, script: str) -> None:
        with self._news:
            self._replies.append(script)
            self._news.notify()

    def push(self, batch: Any) -> None:
        """Hand a batch of events over; the oldest goes when too many wait."""
        with self._news:
            script = f"window.__conductor_push&&window.__conductor_push({json.dumps(batch)})"
            self._pushes.append(script)
            self._news.notify()

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._replies or self._pushes)
                scripts = [*self._replies, *self._pushes]
                self._replies.clear()
                self._pushes.clear()
            guarded = (f"try{{{script}}}catch(e){{console.error(e)}}" for script in scripts)
            self._run_js("".join([*guarded, ";0"]))


class Door:
    """Checks the page's calls, and hands them on. `ask` sends one to the app."""

    def __init__(
        self, key: str, outbox: Outbox, ask: Callable[[int, str, dict[str, Any]], None]
    ) -> None:
        self._key = key.encode()
        self._outbox = outbox
        self._ask = ask
        self._ids = itertools.count(1)
        self._waiting: dict[int, str] = {}

    def take(self, _window: Any, function: Any, arguments: Any, call_id: Any) -> None:
        """Take a call; what is not a call of ours is left unanswered. Never blocks."""
        if function != "rpc" or not CALL_ID.fullmatch(str(call_id)):
            return
        match arguments:
            case [str(key), str(method), dict(params)] if self._fits(key):
                number = next(self._ids)
                self._waiting[number] = str(call_id)
                self._ask(number, method, params)
            case [str(key), _, _] if self._fits(key):
                self._reply(str(call_id), _invalid())
            case _:
                self._reply(str(call_id), REFUSED)

    def answer(self, number: int, envelope: Envelope) -> None:
        """Give the page the answer to a call."""
        call_id = self._waiting.pop(number, None)
        if call_id is not None:
            self._reply(call_id, envelope)

    def _fits(self, key: str) -> bool:
        return hmac.compare_digest(key.encode(), self._key)

    def _reply(self, call_id: str, envelope: Envelope) -> None:
        value = json.dumps({"value": json.dumps(envelope)})
        back = f'window.pywebview._returnValuesCallbacks["rpc"]["{call_id}"]'
        self._outbox.reply(f"{back}({value})")


def _invalid() -> Envelope:
    message = "call rpc(key, method, params) with a text and an object"
    return {"ok": False, "error": {"code": "params_invalid", "message": message}}
