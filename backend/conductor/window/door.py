"""The door between the page in the window and the app: one method, `rpc(key, method, params)`.

It takes the place of pywebview's own call handler, which would call any attribute of an object by its
dotted name, start a thread for each call, send tracebacks to the page, and put the page's own call id
unread into a script. The page calls `pywebview._jsApiCallback("rpc", [key, method, params], id)`.
"""

import hmac
import itertools
import json
import logging
import re
import threading
from collections.abc import Callable
from typing import Any

log = logging.getLogger(__name__)

CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
TRIES = 3
"""pywebview waits 20 s for a page that loads slowly, and then raises."""
REFUSED = {
    "ok": False,
    "error": {"code": "not_allowed", "message": "this call does not carry the window's key"},
}
Envelope = dict[str, Any]


class Outbox:
    """Runs scripts in the page, one after the other; what comes while the page is busy goes together.

    `give_up` is called, and nothing more is run, when the page runs none.
    """

    def __init__(self, run_js: Callable[[str], Any], give_up: Callable[[], None]) -> None:
        self._run_js = run_js
        self._give_up = give_up
        self._waiting: list[tuple[str, Callable[[], None]]] = []
        self._news = threading.Condition()
        threading.Thread(target=self._run, name="page outbox", daemon=True).start()

    def put(self, script: str, ran: Callable[[], None] = lambda: None) -> None:
        """Have a script run, and `ran` called once it has; what it throws is the page's own matter."""
        with self._news:
            self._waiting.append((f"try{{{script}}}catch(e){{console.error(e)}}", ran))
            self._news.notify()

    def push(self, batch: Any, taken: Callable[[], None]) -> None:
        """Hand a batch of events over."""
        self.put(f"window.__conductor_push&&window.__conductor_push({json.dumps(batch)})", taken)

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._waiting)
                going, self._waiting = self._waiting, []
            if not self._has_run("".join([*(script for script, _ in going), ";0"])):
                break
            for _, ran in going:
                ran()
        self._give_up()

    def _has_run(self, script: str) -> bool:
        for attempt in range(1, TRIES + 1):
            try:
                self._run_js(script)
            except Exception:  # this thread is all that speaks to the page
                log.exception("the page ran no script, at try %d of %d", attempt, TRIES)
            else:
                return True
        return False


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
        self._outbox.put(f"{back}({value})")


def _invalid() -> Envelope:
    message = "call rpc(key, method, params) with a text and an object"
    return {"ok": False, "error": {"code": "params_invalid", "message": message}}
