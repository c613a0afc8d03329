"""Random configs, and a handwritten text with comments in every possible position."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from conductor.domain.config import Config

TEXT = """\
# my own set-up

[[devices]]  # the pads
alias = "pads" # named by me
matchers = [{ type = "NameContains", pattern = "Mikro" }]

# ---- modes ----

# the first mode
[[modes]]
name = "Default"  # main
color = "blue"

# copies
[[modes.mappings]]
description = "copy" # what it does
trigger = { type = "NoteOn", note = 36, device = "pads" } # pad 1
action = { type = "Keystroke", keys = "cmd+c" }  # with cmd

# pastes
[[modes.mappings]]
  [modes.mappings.trigger]
  type = "LongPress"
  note = 37 # thirty-seven
  min_duration_ms = 700 # long
  [modes.mappings.action]
  type = "Keystroke"
  keys = "v"   # vee
  modifiers = ["cmd"]

# ====== the second mode ======

[[modes]]
name = "Second"

[settings.engine]
allow_shell = true # I know
"""

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
names = st.text("abcXYZ é#.\"'[]", min_size=1, max_size=6).filter(lambda name: bool(name.strip()))
sevens = st.integers(0, 127)


Table = st.SearchStrategy[dict[str, Any]]
Fields = dict[str, st.SearchStrategy[Any]]


def table(required: Fields, optional: Fields | None = None) -> Table:
    return st.fixed_dictionaries(required, optional=optional or {})


def name_of(field: str) -> Callable[[dict[str, Any]], str]:
    return lambda row: row[field]


def record(kind: str, **fields: st.SearchStrategy[Any]) -> Table:
    return table({"type": st.just(kind), **fields})


triggers = st.one_of(
    record("Note", note=sevens),
    record("Note", note=sevens, device=st.just("pads"), channel=st.integers(1, 16)),
    record("LongPress", note=sevens, duration_ms=st.integers(50, 60_000)),
    record("CC", cc=sevens, edge=st.sampled_from(["any", "rising"])),
    record("OscMessage", address=st.just("/a/b")),
    record("Note", note=sevens, when=st.lists(record("ControlHeld", cc=sevens), max_size=2)),
)
flat = st.one_of(
    record("Keystroke", keys=st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True)),
    record("Text", text=words),
    record("SetVariable", name=names, value=st.one_of(st.booleans(), st.integers(-9, 9), words)),
    record("SendMidi", port=names, message_type=st.just("CC"), value=st.just({"from": "value"})),
    record("Shell", argv=st.lists(words, min_size=1, max_size=3)),
)
actions = st.one_of(
    flat,
    record("Sequence", actions=st.lists(flat, min_size=1, max_size=4)),
    record("Conditional", condition=record("Always"), then=flat),
)
rows = st.lists(
    table(
        {"trigger": triggers, "action": actions},
        {"description": words, "enabled": st.booleans()},
    ),
    max_size=4,
)
modes = st.lists(
    table({"name": names, "mappings": rows}, {"color": names}),
    min_size=1,
    max_size=4,
    unique_by=name_of("name"),
)
devices = st.lists(
    table(
        {
            "alias": names.filter(lambda name: ":" not in name),
            "matchers": st.lists(record("ExactName", pattern=words), min_size=1, max_size=2),
        },
        {"enabled": st.booleans()},
    ),
    max_size=3,
    unique_by=name_of("alias"),
)
profiles = st.lists(
    table({"name": names, "match": table({"executable": words}), "mappings": rows}),
    max_size=2,
    unique_by=name_of("name"),
)
settings = table(
    {},
    {
        "engine": table({}, {"allow_shell": st.booleans(), "osc_port": st.integers(1, 65_535)}),
        "ui": table({}, {"theme": st.sampled_from(["dark", "light"])}),
    },
)
providers = st.dictionaries(
    st.sampled_from(["anthropic", "my own"]),
    table({}, {"model": words}),
    max_size=2,
)
configs = table(
    {
        "devices": devices,
        "modes": modes,
        "global_mappings": rows,
        "profiles": profiles,
        "settings": settings,
        "llm": table({"providers": providers}),
    }
).map(Config.model_validate)
