"""What a terminal shows of calls, plans and answers: plain words, and nothing that it would obey."""

import io
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from conductor.cli.answer_printer import AnswerPrinter
from conductor.cli.plans import format_plan
from conductor.cli.tool_call_text import describe_call

EVIL = "\x1b]0;x\x07\u202e\u200b"


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        (
            "conductor_create_mapping",
            {"mode": "Default", "trigger": {"type": "Note"}},
            "Create mapping in mode Default",
        ),
        ("conductor_switch_mode", {"mode": "Live"}, "Switch mode Live"),
        ("conductor_create_mode", {"name": "Live"}, "Create mode: name Live"),
        ("conductor_get_status", {}, "Check status"),
        ("conductor_list_plans", {}, "List plans"),
        ("conductor_explain_event", {"sequence": 3}, "Explain event: sequence 3"),
    ],
)
def test_a_call_is_said_in_words(tool: str, arguments: dict[str, Any], words: str) -> None:
    assert describe_call(tool, arguments) == words


def test_bold_loses_its_marks_however_it_is_cut() -> None:
    out = io.StringIO()
    printer = AnswerPrinter(out)
    for text in ("a *", "*bold*", "* and 2*", "3"):
        printer.on_event({"type": "delta", "message_id": "m", "index": 0, "text": text}, "m")
    printer.on_event({"type": "delta", "message_id": "m", "index": 0, "text": " end*"}, "m")
    printer.end_line()

    assert out.getvalue() == "a bold and 2*3 end*\n"


def test_a_failed_command_is_told_once() -> None:
    out = io.StringIO()
    printer = AnswerPrinter(out)
    result = {"type": "tool_result", "call_id": "slash_1", "ok": False, "content": "no"}
    printer.on_event({"type": "part", "message_id": "m", "index": 0, "part": result}, "m")
    printer.on_event(
        {"type": "part", "message_id": "m", "index": 1, "part": {**result, "call_id": "c"}}, "m"
    )

    assert out.getvalue() == "  failed: no\n"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("64 [K2].", "64 [K2].\nSources: [K2] Pedals\n"),
        ("64.", "64.\nSources: [K1] CC 64, [K2] Pedals\n"),
    ],
)
def test_the_sources_of_an_answer_are_in_one_line_below_it(said: str, told: str) -> None:
    out = io.StringIO()
    printer = AnswerPrinter(out)
    chunks = [
        {"number": 1, "section_path": ["MIDI 1.0", "CC 64"]},
        {"number": 2, "section_path": ["MIDI 1.0", "Pedals"]},
    ]
    parts = [{"type": "knowledge", "chunks": chunks}, {"type": "text", "text": said}]
    message = {"message_id": "m", "role": "assistant", "parts": parts}
    printer.on_event({"type": "message", "message": message}, "m")
    printer.print_sources()

    assert out.getvalue() == told


def plan(**more: Any) -> dict[str, Any]:
    ends = datetime.now(UTC) + timedelta(seconds=230)
    asked = {"client": EVIL, "executable": None, "pid": None, "caller": "mcp"}
    return {
        "plan_id": "12345678-aaaa",
        "status": "pending",
        "expires_at": ends.isoformat(),
        "requested_by": asked,
        "changes": [{"description": f"Add {EVIL}\nplan"}],
        "privileged": False,
        "warnings": [EVIL],
        "overlaps": [{"message": EVIL}],
        "replay": {"summary": EVIL},
        "examples": [],
        "reason": EVIL,
        "diff_preview": f"--- config.toml\n+++ config.toml\n@@ -1 +1 @@\n--- a\n+{EVIL}\u2028x\n",
        **more,
    }


def test_a_plan_is_shown_in_lines_of_its_own_with_its_time_and_nothing_to_obey() -> None:
    printer = format_plan(plan())

    assert printer[0] == "plan      12345678 (pending, 4 min left)"
    assert printer[-4:-1] == ["", "@@ -1 +1 @@", "--- a"]
    assert all(line.isprintable() for line in printer)
    assert "change    Add \\u001b]0;x\\u0007\\u202e\\u200b\\nplan" in printer
    assert format_plan(plan(status="applied"))[0] == "plan      12345678 (applied)"
