"""Publishes the events of the app to the page."""

from collections.abc import Callable

from conductor.base.json_types import JsonObject

Tell = Callable[[str, JsonObject], None]
TOLD_AS_HEARD = ("trace", "skipped", "failure", "devices")


class PageEvents:
    """Converts the app's events into topics of the page."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def hear(self, kind: str, data: JsonObject) -> None:
        """Publish an event of the monitor to the page."""
        if kind in TOLD_AS_HEARD:
            self._tell(kind, {key: item for key, item in data.items() if key != "op"})
        elif kind == "notice":
            level, undoes = data.get("level", "warning"), data.get("undoes")
            page = data.get("page")
            self._tell(kind, {"text": data["text"], "level": level, "undoes": undoes, "page": page})
