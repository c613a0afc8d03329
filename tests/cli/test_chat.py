"""`conductor chat`: a person at a terminal asks a model, and decides about its plans."""

import json
import os
import re
import signal
import sys
import tomllib
from collections.abc import Generator
from typing import Any

import pytest
from tests.cli.at_the_keys import at_the_keys, plans_shown
from tests.support.llm_server import LlmServer
from tests.support.processes import alive, processes_of
from tests.support.running import (
    WITH_ABILITIES,
    RunningConductor,
    conductor_environment,
    running_conductor,
    short_home,
    wait_for,
)
from tests.tools.terminal import at_terminal

from conductor.cli.answer_printer import AnswerPrinter
from conductor.cli.text import sanitize_text
from conductor.domain.keys import resolve_cmd_key
from conductor.errors import ConductorError

pytestmark = pytest.mark.timeout(300)
ALONE = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
WISH = "Create a mapping so pad 36 triggers Cmd+C"
CONFIG = """
[[modes]]
name = "Default"

[llm]
default_provider = "mock"

[llm.providers.mock]
kind = "custom"
model = "small"
base_url = "{url}"
"""


@pytest.fixture(scope="module")
def running(server: LlmServer) -> Generator[RunningConductor]:
    with running_conductor(text(server), environment=ALONE) as running:
        with at_the_keys(running.environment, "chat", "say hello") as keys:
            assert keys.ends() == 0  # what speaks to models is imported now
        yield running


@pytest.fixture
def conductor(running: RunningConductor, server: LlmServer) -> RunningConductor:
    server.reset()
    running.use(text(server))
    return running


def text(server: LlmServer) -> str:
    return CONFIG.format(url=server.base_url("custom")) + WITH_ABILITIES


def mappings(conductor: RunningConductor) -> list[dict[str, Any]]:
    return tomllib.loads(conductor.config_path.read_text())["modes"][0].get("mappings", [])


def test_a_wish_becomes_a_plan_that_the_user_applies(conductor: RunningConductor) -> None:
    with at_the_keys(conductor.environment, "chat", WISH) as keys:
        keys.wait_for("Apply? y: yes")
        assert mappings(conductor) == []
        keys.type("y")
        assert keys.ends() == 0

    assert "I will look first." in keys.shown
    assert "· Create mapping in mode Default" in keys.shown
    assert "I have prepared a mapping for pad 36." in keys.shown
    pressed = f"{resolve_cmd_key('auto').capitalize()}+C"
    # The control is named once the names are loaded, which the first plan does not wait for.
    control = r"(Note 36 \(C1\)|Pad 1)"
    assert re.search(rf"change    {control} -> {re.escape(pressed)}, in mode Default", keys.shown)
    assert "replay    " in keys.shown
    assert '+ trigger = { type = "Note", note = 36 }' in keys.shown
    assert "applied: " in keys.shown
    assert mappings(conductor)[0]["action"]["keys"] == ["cmd", "c"]


def test_a_plan_that_is_not_wanted_is_discarded_or_changed(conductor: RunningConductor) -> None:
    with at_the_keys(conductor.environment, "chat", WISH) as keys:
        keys.wait_for("Apply? y: yes")
        keys.type("e")
        keys.wait_for("What should be different?")
        keys.type("/map pad 37 to cmd+v")
        keys.wait_for("Apply? y: yes", times=2)
        keys.type("n")
        assert keys.ends() == 0

    assert "Discarded." in keys.shown
    plans = plans_shown(conductor.environment)[:2]
    assert [plan["status"] for plan in plans] == ["rejected", "rejected"]
    assert mappings(conductor) == []


def test_enter_leaves_a_plan_waiting(conductor: RunningConductor) -> None:
    with at_the_keys(conductor.environment, "chat", "/map pad 38 to f5") as keys:
        keys.wait_for("Apply? y: yes")
        keys.type("")
        assert keys.ends() == 0

    assert "the plan is still pending" in keys.shown
    assert plans_shown(conductor.environment)[0]["status"] == "pending"


def test_commands_need_no_model(conductor: RunningConductor, server: LlmServer) -> None:
    conductor.use('[[modes]]\nname = "Default"\n')
    with at_the_keys(conductor.environment, "chat", '/map pad 38 to f5 as "again"') as keys:
        keys.wait_for("Apply? y: yes")
        keys.type("y")
        assert keys.ends() == 0

    assert mappings(conductor)[0]["description"] == "again"
    assert server.bodies() == []


def test_without_a_model_a_question_says_what_to_do(conductor: RunningConductor) -> None:
    conductor.use('[[modes]]\nname = "Default"\n')
    with at_the_keys(conductor.environment, "chat", "hello") as keys:
        assert keys.ends() == 1

    assert "No model is set up yet" in keys.shown


def test_one_talks_until_ctrl_d_and_the_model_remembers(
    conductor: RunningConductor, server: LlmServer
) -> None:
    with at_the_keys(conductor.environment, "chat") as keys:
        for number, line in enumerate(("say hello", "say hello again", "/new", "/mappings"), 1):
            keys.wait_for("> ", times=number)
            keys.type(line)
        keys.wait_for("> ", times=5)
        keys.press("d")
        assert keys.ends() == 0

    assert keys.shown.count("I can map your pads") == 2
    assert "Nothing is mapped" in keys.shown
    said = [one["content"] for one in server.bodies()[1]["messages"] if one["role"] == "user"]
    assert len(said) == 2


def test_a_conversation_goes_on(conductor: RunningConductor, server: LlmServer) -> None:
    with at_the_keys(conductor.environment, "chat", "say hello") as keys:
        assert keys.ends() == 0
    with at_the_keys(conductor.environment, "chat", "--resume", "last", "say hello more") as keys:
        assert keys.ends() == 0

    roles = [one["role"] for one in server.bodies()[1]["messages"]]
    assert roles[-3:] == ["user", "assistant", "user"]


def test_ctrl_c_stops_the_answer_and_keeps_what_has_come(
    conductor: RunningConductor,
) -> None:
    with at_the_keys(conductor.environment, "chat", "speak slowly") as keys:
        keys.wait_for("One word")
        keys.press("c")
        assert keys.ends() == 1

    assert "Stopped. The answer so far is kept." in keys.shown
    assert "all of this has come" not in keys.shown


def test_ctrl_c_at_a_question_ends_and_leaves_the_plan_waiting(
    conductor: RunningConductor,
) -> None:
    with at_the_keys(conductor.environment, "chat", "/map pad 40 to f7") as keys:
        keys.wait_for("Apply? y: yes")
        keys.press("c")
        assert keys.ends() == 1

    assert plans_shown(conductor.environment)[0]["status"] == "pending"


def test_in_a_pipe_nobody_is_asked_and_the_plan_waits(conductor: RunningConductor) -> None:
    with at_the_keys(conductor.environment, "chat", piped="/map pad 39 to f6\n") as keys:
        assert keys.ends() == 0

    assert "conductor plans approve" in keys.shown
    assert "Apply?" not in keys.shown
    assert mappings(conductor) == []


def test_json_holds_the_answer_and_its_plans(conductor: RunningConductor) -> None:
    with at_the_keys(conductor.environment, "chat", "--json", WISH) as keys:
        assert keys.ends() == 0

    answer = json.loads(keys.shown)
    assert answer["state"] == "complete"
    assert answer["provider"] == "mock"
    assert "I have prepared a mapping" in answer["text"]
    assert answer["plans"][0]["status"] == "pending"
    assert answer["usage"]["requests"] == 2


def test_a_failing_model_is_told_with_what_to_do(conductor: RunningConductor) -> None:
    with at_the_keys(conductor.environment, "chat", "a wrong key") as keys:
        assert keys.ends() == 1

    assert "conductor: " in keys.shown
    assert "key" in keys.shown.rpartition("conductor: ")[2]


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        (("--resume", "nix", "hello"), "nix", 1),
        (("--provider", "mocc", "hello"), "did you mean `mock`", 2),
        (("--provider", "openai", "hello"), "There is no key for OpenAI", 1),
        (("--json",), "needs a question", 2),
    ],
)
def test_what_cannot_be_done_is_said(
    conductor: RunningConductor, arguments: tuple[str, ...], words: str, code: int
) -> None:
    with at_the_keys(conductor.environment, "chat", *arguments) as keys:
        assert keys.ends() == code

    assert words in keys.shown


def test_only_the_user_at_a_terminal_may_chat(conductor: RunningConductor) -> None:
    done = conductor.cli("chat", "/map pad 36 to a")
    assert done.returncode == 1
    assert "`conductor chat` is for the user: it must run at a terminal" in done.stderr
    assert "use the window" in done.stderr
    for verb in ("watch", "send", "stop", "resume", "conversations", "approve", "reject"):
        with pytest.raises(ConductorError, match="is for the user"):
            conductor.call(f"terminal.chat.{verb}", plan_id="x")


def test_what_is_asked_at_a_terminal_is_in_the_audit_log_without_its_words(
    conductor: RunningConductor,
) -> None:
    with at_the_keys(conductor.environment, "chat", "/help me") as keys:
        keys.ends()

    def sent() -> list[dict[str, Any]]:
        rows = json.loads(conductor.cli("audit", "--json", "--limit", "5").stdout)
        return [row for row in rows if row["tool"] == "terminal.chat.send"]

    row = wait_for(sent, bool)[0]
    assert row["outcome"] == "ok"
    assert "/help me" not in json.dumps(row)


def test_it_starts_a_conductor_that_outlives_it() -> None:
    with short_home() as home:
        environment = conductor_environment(home, ALONE)
        try:
            with at_the_keys(environment, "chat", "/mappings") as keys:
                assert keys.ends() == 0, keys.shown
            assert "Nothing is mapped" in keys.shown
            assert alive(processes_of(home))
        finally:
            for pid in processes_of(home):
                os.kill(pid, signal.SIGINT)
            wait_for(lambda: alive(processes_of(home)), lambda left: not left)


def test_a_models_control_characters_are_shown_not_obeyed() -> None:
    assert sanitize_text("a\x1b[2Jb\nc\td\x07") == "a\\u001b[2Jb\nc\td\\u0007"
    assert sanitize_text("\x9b1m\u202e\u200b\U000e0041") == "\\u009b1m\\u202e\\u200b\\U000e0041"


def test_emoji_and_the_spaces_of_other_languages_are_printed_as_they_are() -> None:
    assert sanitize_text("Heart \u2764\ufe0f, 10\u00a0%") == "Heart \u2764\ufe0f, 10\u00a0%"


def test_pieces_are_printed_once_whatever_order_news_come_in(
    capsys: pytest.CaptureFixture[str],
) -> None:
    printer = AnswerPrinter(sys.stdout)
    part = {"type": "part", "message_id": "m", "index": 0, "part": {"type": "text", "text": "He"}}
    delta = {"type": "delta", "message_id": "m", "index": 0, "text": "llo"}
    parts = [{"type": "text", "text": "Hello!"}]
    whole = {"message_id": "m", "role": "assistant", "parts": parts}

    for news in (part, delta, {"type": "message", "message": whole}):
        assert not printer.on_event(news, "m")
    assert not printer.on_event({**delta, "message_id": "other"}, "m")
    printer.end_line()

    assert capsys.readouterr().out == "Hello!\n"
    assert printer.get_answer_text() == "Hello!"


def deletes(server: LlmServer, conductor: RunningConductor) -> tuple[str, str]:
    """Make the model delete a note when it is asked to, and return the note and the words that ask."""
    note_id = conductor.call("conductor_add_note", title="mine", text="x")["note_id"]
    words = f"delete {note_id}"
    call = {"id": "call_note", "name": "conductor_delete_note", "arguments": {"note_id": note_id}}
    server.add(
        {
            "match": {"userMessage": words, "hasToolResult": False},
            "response": {"toolCalls": [call]},
        },
        {"match": {"userMessage": words, "hasToolResult": True}, "response": {"content": "Well."}},
    )
    return note_id, words


def is_kept(conductor: RunningConductor, note_id: str) -> bool:
    try:
        return bool(conductor.call("conductor_read_note", note_id=note_id))
    except ConductorError:
        return False


@pytest.mark.parametrize(
    ("typed", "words", "kept"),
    [
        ("y", "allowed (once)", False),
        ("a", "allowed (always)", False),
        ("", "denied (deny)", True),
    ],
)
def test_a_call_of_a_skill_asks_at_the_terminal_of_its_chat(
    conductor: RunningConductor, server: LlmServer, typed: str, words: str, kept: bool
) -> None:
    note_id, wish = deletes(server, conductor)
    with at_the_keys(conductor.environment, "chat", wish) as keys:
        keys.wait_for("[y/c/a/N/v]")
        assert f'"note_id": "{note_id}"' in keys.shown
        assert is_kept(conductor, note_id)
        keys.type(typed)
        assert keys.ends() == 0
    assert words in keys.shown
    assert "Well." in keys.shown
    assert is_kept(conductor, note_id) is kept


def test_in_a_pipe_a_call_of_a_skill_says_where_it_can_be_allowed(
    conductor: RunningConductor, server: LlmServer
) -> None:
    note_id, wish = deletes(server, conductor)
    with at_the_keys(conductor.environment, "chat", piped=wish) as keys:
        keys.wait_for("conductor approvals allow ")
        keys.wait_for("\n")
        approval_id = keys.shown.split("conductor approvals allow ")[1].split()[0]
        done = at_terminal(conductor, "approvals", "allow", approval_id, "--yes")
        assert "allowed (once)" in done.stdout
        assert keys.ends() == 0
    assert not is_kept(conductor, note_id)
