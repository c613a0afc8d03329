"""Implements `tools.capabilities.Abilities`, the capabilities of the assistant, for a running Conductor."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.errors import BadScript, NotAvailable

if TYPE_CHECKING:
    cached_property = property  # a cached property does not satisfy a property of a protocol
    from conductor.app.lazy_knowledge import LazyKnowledge
    from conductor.bridge.code_runner import CodeRunner
    from conductor.capabilities.files import Files
    from conductor.capabilities.pitch import MiddleC
    from conductor.capabilities.web_fetch import WebPages
    from conductor.capabilities.web_search import WebSearch
    from conductor.capabilities.words import CalculatorAnswer
    from conductor.domain.settings import SkillsSettings
    from conductor.runtime.events import Publish
    from conductor.runtime.open_pages import OpenPages
    from conductor.storage.notes import Notes
    from conductor.storage.records import Records
    from conductor.storage.tasks import Tasks
    from conductor.tools.recall import RecordSearch
    from conductor.tools.registry import Tool
else:
    from functools import cached_property


class AppAbilities:
    """Creates each capability of the assistant on first use, and imports the library of that capability
    only then.
    """

    def __init__(
        self,
        home: Path,
        settings: "Callable[[], SkillsSettings]",
        records: "Records",
        knowledge: "LazyKnowledge",
        pages: "OpenPages",
        publish: "Publish",
        tools: "Callable[[], Sequence[Tool]]",
    ) -> None:
        self._home = home
        self._settings = settings
        self._records = records
        self._knowledge = knowledge
        self._pages = pages
        self._publish = publish
        self._tools = tools

    @cached_property
    def code(self) -> "CodeRunner":
        from conductor.bridge.code_runner import CodeRunner

        return CodeRunner(self._pages, self._publish)

    @cached_property
    def files(self) -> "Files":
        from conductor.capabilities.files import Files

        return Files(lambda: self._settings().folders, self._home, _describe_midi)

    @cached_property
    def web_pages(self) -> "WebPages":
        from conductor.capabilities.web_fetch import WebPages

        return WebPages()

    @cached_property
    def web_search(self) -> "WebSearch":
        from conductor.capabilities.web_search import WebSearch

        return WebSearch(lambda: self._settings().search_url)

    @cached_property
    def notes(self) -> "Notes":
        from conductor.storage.notes import Notes

        return Notes(self._records.open_database)

    @cached_property
    def tasks(self) -> "Tasks":
        from conductor.storage.tasks import Tasks

        return Tasks(self._records.open_database)

    @cached_property
    def recall(self) -> "RecordSearch":
        from conductor.storage.message_search import MessageSearch
        from conductor.tools.recall import RecordSearch

        past = MessageSearch(self._records.open_database)
        return RecordSearch(
            past, self.notes, self.tasks, lambda: self._knowledge.library.get_index().embedder
        )

    def calculate(self, expression: str, middle_c: "MiddleC", a4_hz: float) -> "CalculatorAnswer":
        from conductor.capabilities.calculator import answer_question

        return answer_question(expression, datetime.now(UTC).astimezone().date(), middle_c, a4_hz)

    def list_tools(self) -> "Sequence[Tool]":
        return self._tools()


def _describe_midi(content: bytes) -> str:
    from conductor.devices.midi.summary import describe_midi_file

    try:
        return describe_midi_file(content)
    except BadScript as error:
        raise NotAvailable(str(error)) from None
