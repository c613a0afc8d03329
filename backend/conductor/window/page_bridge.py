"""Connects the page in the window with the app through one function, `rpc(key, method, params)`.

This module replaces the call handler of pywebview. That handler would call any attribute of an object by
its dotted name, start a thread for each call, send tracebacks to the page, and insert the page's call id
unchecked into a script. The page calls `pywebview._jsApiCallback("rpc", [key, method, params], id)`.
"""

import hmac
import itertools
import json
import logging
import re
import threading
from collections.abc import Callable
from typing import Any

from conductor.base.json_types import JsonObject

log = logging.getLogger(__name__)

CALL_ID_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,64}")
MAX_SCRIPT_ATTEMPTS = 3
"""How often a script is tried. pywebview raises an error if the page has not loaded after 20 s, so a slow
page has a minute.
"""
REFUSED_RESPONSE = {
    "ok": False,
    "error": {"code": "not_allowed", "message": "this call does not carry the window's key"},
}


class ScriptQueue:
    """Runs scripts in the page on a separate thread. Scripts that arrive while the page is busy are run
    together.

    If the page fails to run a script, `on_failure` is called, and no further scripts are run.
    """

    def __init__(self, run_js: Callable[[str], Any], on_failure: Callable[[], None]) -> None:
        self._run_js = run_js
        self._on_failure = on_failure
        self._queue: list[tuple[str, Callable[[], None]]] = []
        self._changed = threading.Condition()
        threading.Thread(target=self._run_queue, name="page outbox", daemon=True).start()

    def add_script(self, script: str, on_run: Callable[[], None] = lambda: None) -> None:
        """Queue a script for the page.

        `on_run` is called when the page has run it, even if the script raised an error.
        """
        with self._changed:
            # each script catches its own exceptions, because the next ones in the same batch must
            # still run
            self._queue.append((f"try{{{script}}}catch(e){{console.error(e)}}", on_run))
            self._changed.notify()

    def push_events(self, batch: Any, on_run: Callable[[], None]) -> None:
        """Queue a batch of events for the page. `on_run` is called when the page has processed them."""
        # parsed as JSON, which takes a browser less time than compiling it as a script
        text = json.dumps(json.dumps(batch))
        self.add_script(
            f"window.__conductor_push&&window.__conductor_push(JSON.parse({text}))", on_run
        )

    def _run_queue(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue)
                scripts, self._queue = self._queue, []
            # without the lock, because the call blocks until the page has run the scripts
            if not self._try_run_script("".join([*(script for script, _ in scripts), ";0"])):
                break
            for _, on_run in scripts:
                on_run()
        self._on_failure()

    def _try_run_script(self, script: str) -> bool:
        for attempt in range(1, MAX_SCRIPT_ATTEMPTS + 1):
            try:
                self._run_js(script)
            except Exception:  # an exception must not end the only thread that reaches the page
                log.exception(
                    "the page did not run a script (attempt %d of %d)", attempt, MAX_SCRIPT_ATTEMPTS
                )
            else:
                return True
        return False


class PageBridge:
    """Checks each call of the page and passes valid calls to the app with `send_call`.

    A call must contain the key of the window, so that other pages and scripts cannot call the app.
    """

    def __init__(
        self, key: str, outbox: ScriptQueue, send_call: Callable[[int, str, JsonObject], None]
    ) -> None:
        self._key = key.encode()
        self._outbox = outbox
        self._send_call = send_call
        self._ids = itertools.count(1)
        self._pending: dict[int, str] = {}
        """The page's own id of each pending call, by the number that identifies the call in messages to
        the app.
        """

    def on_page_call(self, _window: Any, function: Any, arguments: Any, call_id: Any) -> None:
        """Check a call of the page and send it to the app, or reply with an error.

        This never blocks, because pywebview calls it on the GUI thread.
        """
        if function != "rpc" or not CALL_ID_PATTERN.fullmatch(str(call_id)):
            return  # ignored, because a reply would insert the unchecked id into a script
        match arguments:
            case [str(key), str(method), dict(params)] if self._is_valid_key(key):
                call_number = next(self._ids)
                self._pending[call_number] = str(call_id)
                self._send_call(call_number, method, params)
            case [str(key), _, _] if self._is_valid_key(key):
                self._send_reply(str(call_id), _build_invalid_call_error())
            case _:
                self._send_reply(str(call_id), REFUSED_RESPONSE)

    def answer_page_call(self, call_number: int, envelope: JsonObject) -> None:
        """Send the result of a call to the page. Nothing happens if the call is not pending."""
        call_id = self._pending.pop(call_number, None)
        if call_id is not None:
            self._send_reply(call_id, envelope)

    def _is_valid_key(self, key: str) -> bool:
        return hmac.compare_digest(key.encode(), self._key)

    def _send_reply(self, call_id: str, envelope: JsonObject) -> None:
        value = json.dumps({"value": json.dumps(envelope)})
        callback = f'window.pywebview._returnValuesCallbacks["rpc"]["{call_id}"]'
        self._outbox.add_script(f"{callback}({value})")


def _build_invalid_call_error() -> JsonObject:
    message = "call rpc(key, method, params) with a string and an object"
    return {"ok": False, "error": {"code": "params_invalid", "message": message}}
