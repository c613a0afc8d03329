"""Generates the reference files of the Agent Skills from the code.

A skill can be copied to the folder of another agent, so links to pages outside the skill become plain text.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from conductor.capabilities import config_diagram
from conductor.cli.reference import GENERATED_NOTE, read_docstring, render_pages
from conductor.cli.reference_fields import render_field_table
from conductor.domain.config import Mapping, Mode, Profile, ProfileMatch
from conductor.domain.device_profile import (
    DeviceProfile,
    Group,
    Lights,
    Variant,
    list_lit_groups,
)
from conductor.domain.lights import RGB_VALUES_BY_COLOR
from conductor.domain.settings import LearnSettings
from conductor.domain.value import Value
from conductor.profiles.device_text import format_number_ranges

SKILLS_FOLDER = Path("skills")
DEVICE_PROFILES_FOLDER = Path("knowledge", "devices")
MAPPING_FOLDER, LEARN_FOLDER = (
    "conductor-midi-mapping/references",
    "conductor-midi-learn/references",
)
SETUP_FOLDER, PROFILES_FOLDER, LIGHTS_FOLDER = (
    "conductor-device-setup/references",
    "conductor-profile-manager/references",
    "conductor-lights/references",
)
MAPPING_SCHEMA_PATH = "conductor-midi-mapping/assets/mapping.schema.json"
DIAGRAM_SCRIPT_PATH = "conductor-diagram/scripts/draw_diagram.py"
DIAGRAM_SOURCE_PATH = Path(config_diagram.__file__)
"""The script of the skill is a copy of this module, which needs only the standard library."""
SCHEMA_TEXTS = ("title", "description", "default", "examples", "deprecated")
SKILL_FILE_BY_PAGE = {
    "triggers.md": "TRIGGERS.md",
    "actions.md": "ACTIONS.md",
    "conditions.md": "CONDITIONS.md",
    "curves.md": "CONDITIONS.md",
}
MARKDOWN_LINK_PATTERN = re.compile(r"\[(`[^`]*`|[^\]`]*)\]\(([^)]*)\)")
LEARN_SETTINGS_PATTERN = re.compile(
    r"(<!-- begin learn_settings -->\n).*?(?=<!-- end -->)", re.DOTALL
)


def render_skill_references(root: Path) -> dict[Path, str]:
    """Return the content of every reference file of the skills, by its path in the checkout."""
    page = render_pages()
    curves = page["curves"].replace(f"{GENERATED_NOTE}\n\n", "").replace("\n#", "\n##")
    conditions = page["conditions"] + curves
    texts = {
        f"{MAPPING_FOLDER}/TRIGGERS.md": page["triggers"],
        f"{MAPPING_FOLDER}/ACTIONS.md": page["actions"],
        f"{MAPPING_FOLDER}/CONDITIONS.md": conditions.replace("\n# Curves", "\n## Curves"),
        f"{SETUP_FOLDER}/MATCHERS.md": page["matchers"],
        f"{SETUP_FOLDER}/DEVICES.md": _render_devices(root / DEVICE_PROFILES_FOLDER),
        f"{PROFILES_FOLDER}/PROFILES.md": _render_profiles(),
        f"{LIGHTS_FOLDER}/LIGHTS.md": _render_lights(root / DEVICE_PROFILES_FOLDER),
    }
    found = {SKILLS_FOLDER / path: _resolve_links(path, text) for path, text in texts.items()}
    patterns = SKILLS_FOLDER / LEARN_FOLDER / "PATTERNS.md"
    written = (root / patterns).read_text(encoding="utf-8") if (root / patterns).is_file() else ""
    schema = SKILLS_FOLDER / MAPPING_SCHEMA_PATH
    return found | {
        patterns: _fill_learn_settings(written),
        schema: render_mapping_schema(),
        SKILLS_FOLDER / DIAGRAM_SCRIPT_PATH: DIAGRAM_SOURCE_PATH.read_text(encoding="utf-8"),
    }


def render_mapping_schema() -> str:
    """Return the JSON schema of a mapping without texts, which the script of the mapping skill uses."""
    schema = _strip_texts(Mapping.model_json_schema())
    parts = [f"{json.dumps(name)}:{_dump(part)}" for name, part in sorted(schema["$defs"].items())]
    rest = {name: part for name, part in schema.items() if name != "$defs"}
    return f'{_dump(rest)[:-1]},"$defs":{{\n' + ",\n".join(parts) + "\n}}\n"


def _dump(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def _strip_texts(item: Any) -> Any:
    """Return a part of a schema without titles, descriptions, defaults and examples."""
    if isinstance(item, list):
        return [_strip_texts(each) for each in item]
    if not isinstance(item, dict):
        return item
    return {
        name: {field: _strip_texts(part) for field, part in value.items()}
        if name in ("properties", "$defs")
        else _strip_texts(value)
        for name, value in item.items()
        if name not in SCHEMA_TEXTS
    }


def _resolve_links(path: str, text: str) -> str:
    """Replace links to pages outside the skill with the text of the link.

    Links within the page, and to pages in the same folder, are kept.
    """
    folder = path.rpartition("/")[0]

    def resolve(found: re.Match[str]) -> str:
        page, mark, place = found[2].partition("#")
        copied = SKILL_FILE_BY_PAGE.get(page) if folder == MAPPING_FOLDER else None
        if not page:
            return found[0]
        return f"[{found[1]}]({copied}{mark}{place})" if copied else found[1]

    return MARKDOWN_LINK_PATTERN.sub(resolve, text)


def _fill_learn_settings(text: str) -> str:
    rows = "\n".join(render_field_table(LearnSettings))
    return LEARN_SETTINGS_PATTERN.sub(lambda found: f"{found[1]}{rows}\n", text)


def _render_profiles() -> str:
    shown: dict[str, tuple[str, type[Value]]] = {
        "Profile": ("Written as `[[profiles]]`.", Profile),
        "ProfileMatch": ("Written as `match` in a profile.", ProfileMatch),
        "Mode": ("Written as `[[modes]]`.", Mode),
    }
    parts = ["# Profiles and modes", GENERATED_NOTE]
    parts.append("An unknown key is an error that names the line and suggests the nearest key.")
    for title, (place, model) in shown.items():
        parts += [f"## {title}", f"{read_docstring(model)} {place}", *render_field_table(model)]
    return "\n\n".join([*parts, "## Example", f"```toml\n{PROFILES_EXAMPLE}```"]) + "\n"


def _render_devices(folder: Path) -> str:
    intro = (
        "The numbers are those of the factory program, where public sources agree. The same model can differ "
        "by program, port and firmware: ask the user to press one control before you rely on them."
    )
    known = _load_profiles(folder)
    rows = [_render_device(profile) for profile in known]
    head = ["| device | kind | how its port is recognised | controls |", "|---|---|---|---|"]
    shown = (
        ["\n".join([*head, *rows])]
        if rows
        else ["No profiles are included yet: learn every control."]
    )
    return "\n\n".join(["# Devices", GENERATED_NOTE, intro, *shown]) + "\n"


def _render_device(profile: DeviceProfile) -> str:
    groups = profile.variants[0].groups
    controls = "; ".join(f"{len(group.numbers)} {group.role} ({group.message})" for group in groups)
    matchers = "; ".join(
        " ".join(str(value) for value in matcher.model_dump(exclude_none=True).values())
        for matcher in profile.matchers
    )
    cells = (f"{profile.maker} {profile.model}", profile.kind, matchers or "-", controls)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _load_profiles(folder: Path) -> list[DeviceProfile]:
    known = [
        DeviceProfile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        for path in sorted(folder.glob("*.toml"))
    ]
    return sorted(known, key=lambda profile: (profile.maker.casefold(), profile.model))


def _render_lights(folder: Path) -> str:
    intro = (
        "What a `Led` action can light, by device profile. `control` is the message that the control sends. "
        "`0-127` means that every number of the device's own palette works as well. Devices that are not "
        "listed have no profile, or no known lights."
    )
    rows = [
        _render_light(profile, lights)
        for profile in _load_profiles(folder)
        for lights in profile.lights
    ]
    head = ["| device | controls | colours and states | note |", "|---|---|---|---|"]
    return "\n\n".join(["# Lights", GENERATED_NOTE, intro, "\n".join([*head, *rows])]) + "\n"


def _render_light(profile: DeviceProfile, lights: Lights) -> str:
    variants = [variant for variant in profile.variants if list_lit_groups(lights, variant)]
    groups = dict.fromkeys(
        _render_light_group(group) for each in variants for group in list_lit_groups(lights, each)
    )
    colors = list(lights.colors or RGB_VALUES_BY_COLOR) if lights.message else []
    if colors and lights.protocol in ("velocity_palette", "velocity_bits"):
        colors.append("0-127")
    ports = dict.fromkeys(variant.port for variant in variants if variant.port)
    notes = [
        *([] if lights.message else [f"not possible: {lights.how.removesuffix('.')}"]),
        *([f"output: {', '.join(ports)}"] if ports else []),
        *(["`set_up = true` first"] if _needs_light_setup(lights, variants) else []),
        *([lights.needs] if lights.needs else []),
    ]
    cells = (
        f"{profile.maker} {profile.model}",
        "; ".join(groups),
        ", ".join(colors) or "none",
        "; ".join(notes) or "-",
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _render_light_group(group: Group) -> str:
    """Return the name of a group with the messages of its controls, such as `Pad: note 36-51`."""
    name = " ".join(group.name.replace("{n}", "").split()).replace(" ,", ",")
    numbers = format_number_ranges(tuple(dict.fromkeys(group.numbers)))
    channels = f" on channels {format_number_ranges(group.channels)}" if group.channels else ""
    return f"{name}: {group.message} {numbers}{channels}"


def _needs_light_setup(lights: Lights, variants: list[Variant]) -> bool:
    return bool(lights.setup) or any(variant.setup for variant in variants)


PROFILES_EXAMPLE = """\
[[modes]]
name = "Default"

[[modes]]
name = "Photo"
color = "orange"

[[modes.mappings]]
description = "undo"
trigger = { type = "Note", note = 36 }
action = { type = "Keystroke", keys = ["cmd", "z"] }

[[global_mappings]]
description = "to Photo and back"
trigger = { type = "NoteChord", notes = [44, 47] }
action = { type = "ModeChange", mode = "Photo", behaviour = "toggle" }

[[profiles]]
name = "Photo editor"
mode = "Photo"
match = { executable = "photoshop" }

[[profiles.mappings]]
description = "smaller brush"
trigger = { type = "EncoderTurn", cc = 16, direction = "counter_clockwise" }
action = { type = "Keystroke", keys = ["["] }
"""
"""The example config in `PROFILES.md`. A test loads it."""
