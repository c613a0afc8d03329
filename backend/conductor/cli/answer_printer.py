"""Prints a chat answer to a terminal while it arrives, with each tool call on a line of its own."""

import sys
from typing import TextIO

from conductor.base.json_types import JsonObject
from conductor.cli.text import sanitize_text
from conductor.cli.tool_call_text import describe_call

MAX_LINE_WIDTH = 100
BOLD_MARK = "**"
DIM_CODE, RESET_CODE = "\x1b[2m", "\x1b[0m"
SLASH_CALL_PREFIX = "slash_"
"""How the ids of calls by slash commands begin.

Their failures are not printed, because the answer already reports them.
"""


class AnswerPrinter:
    """Prints the events of a chat answer as they arrive, and keeps the final message."""

    def __init__(self, out: TextIO | None, notes: TextIO | None = None) -> None:
        """Print the answer to `out` and notes about its status to `notes`, by default standard error.

        If `out` is None, nothing is printed, and the caller uses the final message.
        """
        self._out = out
        self._notes = notes or sys.stderr
        self._printed: dict[int, int] = {}
        self._printed_parts: set[int] = set()
        self._at_start = True
        self._held_star = ""
        """A `*` at the end of the printed text, held back because it may be the first half of a `**`."""
        self.message: JsonObject | None = None
        """The latest version of the answer message, or None before the first event."""

    def on_event(self, event: JsonObject, message_id: str | None) -> bool:
        """Print an event of the conversation. Return whether the answer has ended."""
        if event["type"] == "state":
            self._print_run_state(event)
            return not event["running"]
        if message_id is not None and _find_message_id(event) != message_id:
            return False
        match event["type"]:
            case "delta":
                index = event["index"]
                self._print_text(index, self._printed.get(index, 0), event["text"])
            case "part":
                self._print_part(event["index"], event["part"])
            case "message" if event["message"]["role"] == "assistant":
                self.message = event["message"]
                for index, part in enumerate(event["message"]["parts"]):
                    self._print_part(index, part)
            case _:
                pass
        return False

    def print_sources(self) -> None:
        """Print a line that names the sources of the answer, if it has any."""
        self.end_line()
        sources = ", ".join(
            f"[K{chunk['number']}] {chunk['section_path'][-1]}" for chunk in self.list_sources()
        )
        if sources and self._out is not None:
            line = sanitize_text(f"Sources: {sources}".replace("\n", " "))
            self._out.write(
                f"{DIM_CODE}{line}{RESET_CODE}\n" if self._out.isatty() else f"{line}\n"
            )
            self._out.flush()

    def list_sources(self) -> list[JsonObject]:
        """Return the chunks of the knowledge base that the answer cites, or all chunks that the model
        received if it cites none.
        """
        parts = self.message["parts"] if self.message else []
        chunks = [
            chunk for part in parts if part["type"] == "knowledge" for chunk in part["chunks"]
        ]
        text = self.get_answer_text()
        return [chunk for chunk in chunks if f"[K{chunk['number']}]" in text] or chunks

    def end_line(self) -> None:
        """Start a new line, unless the cursor is already at the start of one."""
        star, self._held_star = self._held_star, ""
        self._write_text(star)
        if not self._at_start:
            self._write_text("\n")

    def get_answer_text(self) -> str:
        """Return the text of the answer, without tool calls and notes."""
        parts = self.message["parts"] if self.message else []
        return "\n".join(part["text"] for part in parts if part["type"] == "text")

    def list_plan_ids(self) -> list[str]:
        """Return the ids of the plans that the answer proposes, so that the user can decide on them."""
        parts = self.message["parts"] if self.message else []
        found = [part["plan_id"] for part in parts if part["type"] == "tool_result"]
        return [plan_id for plan_id in found if plan_id]

    def _print_part(self, index: int, part: JsonObject) -> None:
        match part["type"]:
            case "text":
                printed = self._printed.get(index, 0)
                self._print_text(index, printed, part["text"][printed:])
            case "tool_call" if self._mark_printed(index):
                self._print_line(f"· {describe_call(part['tool'], part['arguments'])}")
            case "tool_result" if self._mark_printed(index) and not part["ok"]:
                if not part["call_id"].startswith(SLASH_CALL_PREFIX):
                    self._print_line(f"  failed: {part['content']}")
            case "note" if self._mark_printed(index):
                self._print_line(f"({part['text']})")
            case _:
                pass

    def _mark_printed(self, index: int) -> bool:
        is_new = index not in self._printed_parts
        self._printed_parts.add(index)
        return is_new

    def _print_text(self, index: int, printed: int, text: str) -> None:
        if text and not printed:
            self.end_line()
        self._printed[index] = printed + len(text)
        shown = (self._held_star + text).replace(BOLD_MARK, "")
        self._held_star = "*" if shown.endswith("*") else ""
        self._write_text(shown.removesuffix("*"))

    def _print_line(self, text: str) -> None:
        self.end_line()
        line = sanitize_text(text.replace("\n", " "))
        self._write_text(line if len(line) <= MAX_LINE_WIDTH else f"{line[: MAX_LINE_WIDTH - 1]}…")
        self._write_text("\n")

    def _write_text(self, text: str) -> None:
        if text and self._out is not None:
            self._at_start = text.endswith("\n")
            self._out.write(sanitize_text(text))
            self._out.flush()

    def _print_run_state(self, event: JsonObject) -> None:
        if self._out is not None and event["activity"] == "retrying" and event["words"]:
            self._notes.write(f"{sanitize_text(event['words'])}\n")


def _find_message_id(event: JsonObject) -> str | None:
    message_id: str | None = event.get("message_id") or event.get("message", {}).get("message_id")
    return message_id
