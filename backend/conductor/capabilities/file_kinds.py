"""Recognises the kind of a text file by its content, mainly configs of other mapping programs."""

import json
import re
from typing import Any

MAX_EXAMINED_CHARACTERS = 60_000
"""The number of characters at the start of a file that are searched for signs of its kind."""
CONTENT_PATTERNS = tuple(
    (title, re.compile(mark, re.MULTILINE))
    for title, mark in (
        ("Conductor config", r"^\[\[(modes|global_mappings|modes\.mappings)\]\]"),
        ("Bome MIDI Translator project", r"^; -+ Bome MIDI Translator|^\[Preset\.\d+\]"),
        ("Mixxx controller mapping", r"<(MixxxControllerPreset|MixxxMIDIPreset)\b"),
        ("VirtualDJ mapper", r"<mapper\b[^>]{0,500}\bdevice="),
        ("VirtualDJ controller definition", r"<device\b[^>]{0,500}\b(drivername|sysexid|vid)="),
        ("Traktor settings", r"<NIXML>\s*<TraktorSettings>"),
        ("rekordbox MIDI mapping", r"\A@file,\d"),
        ("TouchOSC layout", r"<lexml\b|<layout\b[^>]{0,300}\bmode="),
        ("Bitfocus Companion export", r"^companionBuild:"),
        ("ReaLearn preset", r"^--- realearn_version:"),
        ("QLC+ workspace", r"<Workspace xmlns=.http://www\.qlcplus\.org/"),
        ("QLC+ input profile", r"<InputProfile\b"),
        ("AntiMicroX profile", r"<(gamecontroller|joystick)\b[^>]{0,200}\bconfigversion="),
        ("Joystick Gremlin profile", r"<profile\b[^>]{0,200}\bversion=[^>]{0,99}>\s*<devices"),
        ("Steam Input layout", r'\A\s*"controller_mappings"'),
        ("Ableton Live document", r"<Ableton\b[^>]{0,300}\bCreator="),
        ("REAPER key map", r"\A(KEY|ACT|SCR) \d+ "),
        ("MIDI-OX settings", r"^\[?MIDI-?OX\b"),
        ("XML", r"\A\s*<(\?xml|!DOCTYPE|[A-Za-z])"),
    )
)
JSON_KINDS = (
    ("Bitfocus Companion export", {"version", "type"}, {"controls", "instances", "pages", "page"}),
    ("ReaLearn preset", {"mappings"}, {"groups", "defaultGroup", "customData", "name"}),
    ("Open Stage Control session", {"type", "content"}, {"createdWith", "version"}),
    ("Chataigne project", {"metaData"}, {"modules", "sequences", "states"}),
    ("Karabiner-Elements rules", {"rules"}, {"title"}),
    ("Karabiner-Elements settings", {"profiles"}, {"global"}),
    ("Max patch", {"patcher"}, {"patcher"}),
    ("MCP servers", {"mcpServers"}, {"mcpServers"}),
)
"""The kinds of JSON files. For each: the keys that must be present, and keys of which at least one must be."""
KIND_BY_SUFFIX = {
    ".toml": "TOML",
    ".csv": "CSV",
    ".tsv": "CSV",
    ".md": "Markdown",
    ".log": "log",
    ".yaml": "YAML",
    ".yml": "YAML",
    ".ini": "INI",
}


def detect_kind(text: str, suffix: str) -> str:
    """Return the kind of a text file, judged by its content; the suffix decides only
    if the content is unclear.
    """
    head = text[:MAX_EXAMINED_CHARACTERS]
    marked = next((title for title, mark in CONTENT_PATTERNS if mark.search(head)), None)
    if marked is None and head.lstrip()[:1] in ("{", "["):
        marked = _detect_json_kind(text)
    return marked or KIND_BY_SUFFIX.get(suffix, "text")


def _detect_json_kind(text: str) -> str | None:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return "JSON"
    keys = set(found)
    return next(
        (title for title, all_of, one_of in JSON_KINDS if all_of <= keys and one_of & keys), "JSON"
    )
