"""An answer of the chat as it streams to a terminal: words at once, each call of a tool on its own line."""

import sys
from typing import Any, TextIO

from conductor.cli.chat_words import call_words
from conductor.cli.words import plain

Plain = dict[str, Any]
WIDTH = 100
BOLD = "**"
DIM, PLAIN = "\x1b[2m", "\x1b[0m"
COMMAND = "slash_"
"""How the ids of calls begin that a slash command made: its answer says how it went."""


class Shown:
    """Prints the news of one answer, and keeps what became of it."""

    def __init__(self, out: TextIO | None, notes: TextIO | None = None) -> None:
        """Take where words and notes go; None shows nothing."""
        self._out = out
        self._notes = notes or sys.stderr
        self._printed: dict[int, int] = {}
        self._told: set[int] = set()
        self._at_start = True
        self._star = ""
        """Half a mark of bold, until the other half has come or has not."""
        self.message: Plain | None = None
        """The answer as it was told last."""

    def hear(self, news: Plain, message_id: str | None) -> bool:
        """Take news of the conversation; say whether the answer has ended."""
        if news["type"] == "state":
            self._state(news)
            return not news["running"]
        if message_id is not None and _message_of(news) != message_id:
            return False
        match news["type"]:
            case "delta":
                self._more(news["index"], self._printed.get(news["index"], 0), news["text"])
            case "part":
                self._part(news["index"], news["part"])
            case "message" if news["message"]["role"] == "assistant":
                self.message = news["message"]
                for index, part in enumerate(news["message"]["parts"]):
                    self._part(index, part)
            case _:
                pass
        return False

    def finish(self) -> None:
        """End the answer, with its sources in one line."""
        self.end()
        named = ", ".join(f"[K{one['number']}] {one['section_path'][-1]}" for one in self.sources())
        if named and self._out is not None:
            line = plain(f"Sources: {named}".replace("\n", " "))
            self._out.write(f"{DIM}{line}{PLAIN}\n" if self._out.isatty() else f"{line}\n")
            self._out.flush()

    def sources(self) -> list[Plain]:
        """Return the reference texts that the answer cites; all it was given when it cites none."""
        parts = self.message["parts"] if self.message else []
        given = [one for part in parts if part["type"] == "knowledge" for one in part["chunks"]]
        said = self.text()
        return [one for one in given if f"[K{one['number']}]" in said] or given

    def end(self) -> None:
        """Leave the cursor at the start of a line."""
        star, self._star = self._star, ""
        self._print(star)
        if not self._at_start:
            self._print("\n")

    def text(self) -> str:
        """Return the words of the answer."""
        parts = self.message["parts"] if self.message else []
        return "\n".join(part["text"] for part in parts if part["type"] == "text")

    def plans(self) -> list[str]:
        """Return the ids of the plans that the answer made."""
        parts = self.message["parts"] if self.message else []
        found = [part["plan_id"] for part in parts if part["type"] == "tool_result"]
        return [plan_id for plan_id in found if plan_id]

    def _part(self, index: int, part: Plain) -> None:
        match part["type"]:
            case "text":
                begun = self._printed.get(index, 0)
                self._more(index, begun, part["text"][begun:])
            case "tool_call" if self._is_new(index):
                self._line(f"· {call_words(part['tool'], part['arguments'])}")
            case "tool_result" if self._is_new(index) and not part["ok"]:
                if not part["call_id"].startswith(COMMAND):
                    self._line(f"  failed: {part['content']}")
            case "note" if self._is_new(index):
                self._line(f"({part['text']})")
            case _:
                pass

    def _is_new(self, index: int) -> bool:
        is_new = index not in self._told
        self._told.add(index)
        return is_new

    def _more(self, index: int, begun: int, text: str) -> None:
        if text and not begun:
            self.end()
        self._printed[index] = begun + len(text)
        shown = (self._star + text).replace(BOLD, "")
        self._star = "*" if shown.endswith("*") else ""
        self._print(shown.removesuffix("*"))

    def _line(self, text: str) -> None:
        self.end()
        line = plain(text.replace("\n", " "))
        self._print(line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…")
        self._print("\n")

    def _print(self, text: str) -> None:
        if text and self._out is not None:
            self._at_start = text.endswith("\n")
            self._out.write(plain(text))
            self._out.flush()

    def _state(self, news: Plain) -> None:
        if self._out is not None and news["activity"] == "retrying" and news["words"]:
            self._notes.write(f"{plain(news['words'])}\n")


def _message_of(news: Plain) -> str | None:
    message_id: str | None = news.get("message_id") or news.get("message", {}).get("message_id")
    return message_id
