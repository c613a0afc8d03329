"""The line between the app process and the engine process: JSON objects, one a line, over two pipes.

To the engine: `config` (in pieces), `mode`, `mute`, `pause`, `panic`, `post`, `rescan`, `monitor`,
`rehearse`, `query`, `stop`. From the engine: `ready`, `loaded`, `traces`, `failure`, `devices`, `beat`,
`reply`. The config crosses in pieces of 100 mappings, because parsing a large piece of JSON holds up the
engine thread for as long as it takes (2 ms for 500).
"""

import json
import logging
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from pydantic import TypeAdapter

from conductor.domain.config import Config, Mapping, Mode, Profile

log = logging.getLogger(__name__)

MAPPINGS_A_PIECE = 100
MESSAGES_KEPT = 2_000
Message = dict[str, Any]

_mapping: TypeAdapter[Mapping] = TypeAdapter(Mapping)


class Link:
    """One end. `send` never blocks: a thread writes, and what the other end does not read is dropped."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self._outbox: deque[Message] = deque()
        self._ready = threading.Condition()
        self._closed = False
        self.dropped = 0
        self._thread = threading.Thread(target=self._write, name="link writer", daemon=True)
        self._thread.start()

    def send(self, op: str, /, **fields: Any) -> None:
        with self._ready:
            if len(self._outbox) >= MESSAGES_KEPT and op in ("traces", "beat"):
                self.dropped += 1
                return
            self._outbox.append({"op": op, **fields})
            self._ready.notify()

    def receive(self) -> Iterator[Message]:
        """Give messages as they come, until the other end is gone."""
        try:
            for line in self._reader:
                try:
                    message = json.loads(line)
                except ValueError:
                    log.warning("unreadable message on the link")
                    continue
                yield message
        except (OSError, ValueError):
            return

    def close(self, *, timeout_s: float = 1.0) -> None:
        """Write what is left and end."""
        with self._ready:
            self._closed = True
            self._ready.notify()
        self._thread.join(timeout=timeout_s)

    def _write(self) -> None:
        while True:
            with self._ready:
                while not self._outbox and not self._closed:
                    self._ready.wait()
                messages = list(self._outbox)
                self._outbox.clear()
                if not messages:
                    return
            try:
                for message in messages:
                    self._writer.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
                self._writer.flush()
            except (OSError, ValueError):
                return


def config_messages(config: Config, token: int) -> Iterator[Message]:
    """Cut a config into messages."""
    frame = config.model_dump(
        mode="json",
        exclude={
            "modes": {"__all__": {"mappings"}},
            "profiles": {"__all__": {"mappings"}},
            "global_mappings": True,
            "llm": True,
            "knowledge": True,
            "skills": True,
        },
    )
    yield {"op": "config", "token": token, "frame": frame}
    owners: list[tuple[str, Iterable[Mapping]]] = [
        *((f"mode:{mode.name}", mode.mappings) for mode in config.modes),
        *((f"profile:{profile.name}", profile.mappings) for profile in config.profiles),
        ("global", config.global_mappings),
    ]
    for scope, mappings in owners:
        items = list(mappings)
        for start in range(0, len(items), MAPPINGS_A_PIECE):
            piece = [item.model_dump_json() for item in items[start : start + MAPPINGS_A_PIECE]]
            yield {"op": "config", "token": token, "scope": scope, "mappings": piece}
    yield {"op": "config", "token": token, "complete": True}


class ConfigAssembler:
    """Puts a config together again, one mapping at a time, so that no step takes long."""

    def __init__(self) -> None:
        self._frame: dict[str, Any] = {}
        self._mappings: dict[str, list[Mapping]] = {}

    def take(self, message: Message) -> Config | None:
        """Take a piece; the whole config with the last one."""
        if "frame" in message:
            self._frame, self._mappings = message["frame"], {}
            return None
        if "scope" in message:
            target = self._mappings.setdefault(message["scope"], [])
            for text in message["mappings"]:
                target.append(_mapping.validate_json(text))
            return None
        return self._whole()

    def _whole(self) -> Config:
        frame = Config.model_validate(self._frame)
        modes = tuple(
            Mode.model_construct(name=m.name, color=m.color, mappings=self._of(f"mode:{m.name}"))
            for m in frame.modes
        )
        profiles = tuple(
            Profile.model_construct(
                name=p.name,
                match=p.match,
                mode=p.mode,
                enabled=p.enabled,
                mappings=self._of(f"profile:{p.name}"),
            )
            for p in frame.profiles
        )
        return Config.model_construct(
            version=frame.version,
            devices=frame.devices,
            modes=modes,
            global_mappings=self._of("global"),
            profiles=profiles,
            settings=frame.settings,
            llm=frame.llm,
            knowledge=frame.knowledge,
            skills=frame.skills,
        )

    def _of(self, scope: str) -> tuple[Mapping, ...]:
        return tuple(self._mappings.get(scope, ()))
