"""The chat of a Conductor that really runs: playing to be learned, no key in any file, a kill."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.llm_server import LlmServer
from tests.support.page import Page
from tests.support.running import RunningConductor, running_conductor, short_home, wait_for

pytestmark = pytest.mark.timeout(300)
ANSWERED_WITHIN_S = 100.0
KEY = "sk-test-0123456789abcdefSECRET"
VARIABLE = "CONDUCTOR_TEST_KEY"
CONFIG = """
[[modes]]
name = "Default"

[[modes]]
name = "Live"

[llm]
default_provider = "sim"

[llm.providers.sim]
kind = "anthropic"
model = "claude-sonnet-5-5"
base_url = "{url}"
api_key_env = "CONDUCTOR_TEST_KEY"
"""
LEARNED = {
    "mode": "Default",
    "trigger": {"type": "Note", "note": 36},
    "action": {"type": "ModeChange", "mode": "Live"},
}


def test_a_control_is_learned_mapped_and_played_and_the_key_is_in_no_file(server: LlmServer):
    step = {"userMessage": "make this pad go live"}
    touched = {"userMessage": "touched it"}
    server.add(
        {"match": {**step, "sequenceIndex": 0}, "response": calls("start_midi_learn")},
        {"match": {**step, "sequenceIndex": 1}, "response": {"content": "Touch it."}},
        {"match": {**touched, "sequenceIndex": 0}, "response": calls("stop_midi_learn")},
        {"match": {**touched, "sequenceIndex": 1}, "response": calls("create_mapping", **LEARNED)},
        {"match": {**touched, "sequenceIndex": 2}, "response": {"content": "Look at the plan."}},
    )
    with running(server) as (conductor, page):
        first = ask(page, "Please make this pad go live")
        tap(page, 36)
        answer = ask(page, "I touched it", conversation_id=first["conversation_id"])
        results = [part for part in answer["parts"] if part["type"] == "tool_result"]
        assert [part["ok"] for part in results] == [True, True]
        assert '"note":36' in results[0]["content"]
        plan_id = results[1]["plan_id"]
        plan = page.call("plans.get", plan_id=plan_id)["plan"]
        assert plan["requested_by"]["caller"] == "chat"
        page.call("plans.apply", plan_id=plan_id)
        conductor.wait_status(_is_loaded)
        tap(page, 36)
        conductor.wait_status(_is_live)
        audit = conductor.cli("audit").stdout
        assert "conductor_create_mapping" in audit
        conductor.stop()
        written = [path for path in conductor.home.rglob("*") if path.is_file()]
        assert any(path.name == "conductor.db" for path in written)
        assert [str(path) for path in written if KEY.encode() in path.read_bytes()] == []
        assert KEY not in str(server.journal())
        assert KEY not in str(page.news)


def test_after_a_kill_in_mid_answer_everything_is_there_and_goes_on(server: LlmServer):
    with short_home() as home:
        with running(server, home, own_process=True) as (conductor, page):
            sent = say(page, "Please speak slowly")
            page.wait_news("chat", _is_delta)
            wait_for(lambda: saved(home), bool)
            for pid in conductor.kill():
                try:
                    os.kill(pid, 9)
                except ProcessLookupError:
                    continue
        with running(server, home) as (_, page):
            [conversation] = page.call("chat.conversations", query="")["conversations"]
            assert conversation["conversation_id"] == sent["conversation_id"]
            view = page.call("chat.open", conversation_id=sent["conversation_id"])
            user, answer = (row["message"] for row in view["messages"])
            assert user["parts"][0]["text"] == "Please speak slowly"
            assert answer["state"] == "stopped"
            [text] = [part for part in answer["parts"] if part["type"] == "text"]
            assert text["text"].startswith("One")
            # on a busy machine another note says that the answer has no reference texts
            assert answer["parts"][-1]["type"] == "note"
            assert answer["parts"][-1]["kind"] == "restarted"
            assert not view["run"]["running"]
            again = ask(page, "Please say hello", conversation_id=sent["conversation_id"])
            assert again["state"] == "complete"


def running(server: LlmServer, home: Path | None = None, *, own_process: bool = False) -> Any:
    return _Running(server, home, own_process=own_process)


class _Running:
    """A Conductor with its page open, whose provider is the simulator."""

    def __init__(self, server: LlmServer, home: Path | None, *, own_process: bool) -> None:
        self._conductor = running_conductor(
            CONFIG.format(url=server.base_url("anthropic")),
            environment={VARIABLE: KEY},
            with_page=True,
            own_process=own_process,
            home=home,
        )

    def __enter__(self) -> tuple[RunningConductor, Page]:
        conductor = self._conductor.__enter__()
        self._page = Page(conductor.address())
        return conductor, self._page

    def __exit__(self, *error: Any) -> None:
        self._page.__exit__()
        self._conductor.__exit__(*error)


def calls(tool: str, **arguments: Any) -> dict[str, Any]:
    name = f"conductor_{tool}"
    return {"toolCalls": [{"id": f"call_{tool}", "name": name, "arguments": arguments}]}


def tap(page: Page, note: int) -> None:
    """Play a pad of the virtual controller."""
    controls = page.call("virtual.layout")["controls"]
    pad = next(one["name"] for one in controls if one["number"] == note)
    page.call("virtual.play", do="press", control=pad)
    page.call("virtual.play", do="release", control=pad)


def say(page: Page, text: str, **fields: Any) -> dict[str, Any]:
    return page.call("chat.send", parts=[{"type": "text", "text": text}], **fields)


def ask(page: Page, text: str, **fields: Any) -> dict[str, Any]:
    """Send a message and return the complete answer."""
    sent = say(page, text, **fields)

    def ended(news: dict[str, Any]) -> bool:
        if news["type"] != "message":
            return False
        message = news["message"]
        return message["message_id"] == sent["message_id"] and message["state"] != "streaming"

    wait_for(lambda: _hears(page, ended), bool, ANSWERED_WITHIN_S)
    return page.wait_news("chat", ended)["message"]


def _hears(page: Page, wanted: Callable[[dict[str, Any]], bool]) -> bool:
    """Return the next event; the first request imports the provider's library, which may take a while."""
    with suppress(TimeoutError):
        page.wait_news("chat", wanted)
        return True
    return False


def saved(home: Path) -> bool:
    """Return whether the beginning of the answer is committed to the database."""
    query = 'SELECT count(*) FROM message WHERE data LIKE \'%"text":"One%\''
    with closing(sqlite3.connect(f"file:{home / 'conductor.db'}?mode=ro", uri=True)) as database:
        return bool(database.execute(query).fetchone()[0])


def _is_loaded(status: dict[str, Any]) -> bool:
    return status["mappings"] == 1 and status["config"]["active"]


def _is_live(status: dict[str, Any]) -> bool:
    return status["mode"] == "Live"


def _is_delta(news: dict[str, Any]) -> bool:
    return news["type"] == "delta"
