"""Splits a config into messages of 100 mappings, and reassembles the config in the engine.

The messages are small, because parsing holds the interpreter lock and delays the engine thread,
by 2 ms for 500 mappings.
"""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, assert_never

from pydantic import TypeAdapter

from conductor.base.json_types import JsonObject
from conductor.domain.config import Config, Mapping, Mode, Profile
from conductor.domain.engine_protocol import (
    ConfigComplete,
    ConfigFrame,
    ConfigMappings,
    ConfigPiece,
)
from conductor.domain.scopes import format_mode_scope, format_profile_scope

MAPPINGS_PER_PIECE = 100

_MAPPING_ADAPTER: TypeAdapter[Mapping] = TypeAdapter(Mapping)


def build_config_messages(config: Config, token: int) -> Iterator[ConfigPiece]:
    """Yield the messages that transfer a config to the engine; the last message contains its `config_id`."""
    digest = sha256()
    for piece in _split_config(config, token):
        digest.update(_encode_config_piece(piece))
        yield piece
    yield ConfigComplete(token, _compute_short_digest(digest))


def compute_config_id(config: Config) -> str:
    """Return a digest of everything in a config that the engine uses.

    Comments, spelling and the order of tables in the file do not change it, and neither do
    models, knowledge and skills.
    """
    digest = sha256()
    for piece in _split_config(config, 0):
        digest.update(_encode_config_piece(piece))
    return _compute_short_digest(digest)


def _encode_config_piece(piece: ConfigFrame | ConfigMappings) -> bytes:
    fields = piece._asdict()
    del fields["token"]  # the token would differ each time the same config is sent
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()


def _compute_short_digest(digest: Any) -> str:
    return digest.hexdigest()[:32]


def _split_config(config: Config, token: int) -> Iterator[ConfigFrame | ConfigMappings]:
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
    yield ConfigFrame(token, frame)
    owners: list[tuple[str, Iterable[Mapping]]] = [
        *((format_mode_scope(mode.name), mode.mappings) for mode in config.modes),
        *((format_profile_scope(profile.name), profile.mappings) for profile in config.profiles),
        ("global", config.global_mappings),
    ]
    for scope, mappings in owners:
        items = list(mappings)
        for start in range(0, len(items), MAPPINGS_PER_PIECE):
            piece = [item.model_dump_json() for item in items[start : start + MAPPINGS_PER_PIECE]]
            yield ConfigMappings(token, scope, piece)


class ConfigAssembler:
    """Assembles a config from the messages that transfer it, and parses its mappings one at a time."""

    def __init__(self) -> None:
        self._frame: JsonObject = {}
        self._mappings: dict[str, list[Mapping]] = {}

    def add_message(self, piece: ConfigPiece) -> Config | None:
        """Add a message of a config transfer; return the config if this was the last
        message, otherwise None.
        """
        match piece:
            case ConfigFrame(frame=frame):
                self._frame, self._mappings = frame, {}
            case ConfigMappings(scope=scope, mappings=mappings):
                target = self._mappings.setdefault(scope, [])
                for text in mappings:
                    target.append(_MAPPING_ADAPTER.validate_json(text))
            case ConfigComplete():
                return self._assemble_config()
            case _:
                assert_never(piece)
        return None

    def _assemble_config(self) -> Config:
        frame = Config.model_validate(self._frame)
        modes = tuple(
            Mode.model_construct(
                name=mode.name,
                color=mode.color,
                mappings=self._list_scope_mappings(format_mode_scope(mode.name)),
            )
            for mode in frame.modes
        )
        profiles = tuple(
            Profile.model_construct(
                name=profile.name,
                match=profile.match,
                mode=profile.mode,
                enabled=profile.enabled,
                mappings=self._list_scope_mappings(format_profile_scope(profile.name)),
            )
            for profile in frame.profiles
        )
        return Config.model_construct(
            version=frame.version,
            devices=frame.devices,
            modes=modes,
            global_mappings=self._list_scope_mappings("global"),
            profiles=profiles,
            settings=frame.settings,
            llm=frame.llm,
            knowledge=frame.knowledge,
            skills=frame.skills,
        )

    def _list_scope_mappings(self, scope: str) -> tuple[Mapping, ...]:
        return tuple(self._mappings.get(scope, ()))
