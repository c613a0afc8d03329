"""Generates the reference files of the Agent Skills from the code.

A skill can be copied to the folder of another agent, so links to pages outside the skill become plain text.
"""

import re
import tomllib
from pathlib import Path

from conductor.cli.reference import NOTE, read_docstring, render_pages
from conductor.cli.reference_fields import render_field_table
from conductor.domain.config import Mode, Profile, ProfileMatch
from conductor.domain.device_profile import DeviceProfile
from conductor.domain.settings import LearnSettings
from conductor.domain.value import Value

SKILLS = Path("skills")
DEVICES = Path("knowledge", "devices")
MAPPING, LEARN = "conductor-midi-mapping/references", "conductor-midi-learn/references"
SETUP, PROFILES = "conductor-device-setup/references", "conductor-profile-manager/references"
BESIDE = {
    "triggers.md": "TRIGGERS.md",
    "actions.md": "ACTIONS.md",
    "conditions.md": "CONDITIONS.md",
    "curves.md": "CONDITIONS.md",
}
LINK = re.compile(r"\[(`[^`]*`|[^\]`]*)\]\(([^)]*)\)")
BLOCK = re.compile(r"(<!-- begin learn_settings -->\n).*?(?=<!-- end -->)", re.DOTALL)


def render_references(root: Path) -> dict[Path, str]:
    """Generate the content of every reference file of the skills by path in the checkout."""
    page = render_pages()
    curves = page["curves"].replace(f"{NOTE}\n\n", "").replace("\n#", "\n##")
    conditions = page["conditions"] + curves
    texts = {
        f"{MAPPING}/TRIGGERS.md": page["triggers"],
        f"{MAPPING}/ACTIONS.md": page["actions"],
        f"{MAPPING}/CONDITIONS.md": conditions.replace("\n# Curves", "\n## Curves"),
        f"{SETUP}/MATCHERS.md": page["matchers"],
        f"{SETUP}/DEVICES.md": _render_devices(root / DEVICES),
        f"{PROFILES}/PROFILES.md": _render_profiles(),
    }
    found = {SKILLS / path: _resolve_links(path, text) for path, text in texts.items()}
    patterns = SKILLS / LEARN / "PATTERNS.md"
    written = (root / patterns).read_text(encoding="utf-8") if (root / patterns).is_file() else ""
    return found | {patterns: _fill_limits(written)}


def _resolve_links(path: str, text: str) -> str:
    """Replace links to pages outside the skill with the link text.

    Links within the page and to pages in the same folder are kept.
    """
    folder = path.rpartition("/")[0]

    def resolve(found: re.Match[str]) -> str:
        page, mark, place = found[2].partition("#")
        beside = BESIDE.get(page) if folder == MAPPING else None
        if not page:
            return found[0]
        return f"[{found[1]}]({beside}{mark}{place})" if beside else found[1]

    return LINK.sub(resolve, text)


def _fill_limits(text: str) -> str:
    rows = "\n".join(render_field_table(LearnSettings))
    return BLOCK.sub(lambda found: f"{found[1]}{rows}\n", text)


def _render_profiles() -> str:
    shown: dict[str, tuple[str, type[Value]]] = {
        "Profile": ("Written as `[[profiles]]`.", Profile),
        "ProfileMatch": ("Written as `match` in a profile.", ProfileMatch),
        "Mode": ("Written as `[[modes]]`.", Mode),
    }
    parts = ["# Profiles and modes", NOTE]
    parts.append("An unknown key is an error that names the line and suggests the nearest key.")
    for title, (place, model) in shown.items():
        parts += [f"## {title}", f"{read_docstring(model)} {place}", *render_field_table(model)]
    return "\n\n".join([*parts, "## Example", f"```toml\n{EXAMPLE}```"]) + "\n"


def _render_devices(folder: Path) -> str:
    intro = (
        "The numbers are those of the factory program, where public sources agree. The same model can differ "
        "by program, port and firmware: ask the user to press one control before you rely on them."
    )
    known = [
        DeviceProfile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        for path in sorted(folder.glob("*.toml"))
    ]
    known.sort(key=lambda profile: (profile.maker.casefold(), profile.model))
    rows = [_render_device(profile) for profile in known]
    head = ["| device | kind | how its port is recognised | controls |", "|---|---|---|---|"]
    shown = (
        ["\n".join([*head, *rows])]
        if rows
        else ["No profiles are included yet: learn every control."]
    )
    return "\n\n".join(["# Devices", NOTE, intro, *shown]) + "\n"


def _render_device(profile: DeviceProfile) -> str:
    groups = profile.variants[0].groups
    controls = "; ".join(f"{len(group.numbers)} {group.role} ({group.message})" for group in groups)
    matchers = "; ".join(
        " ".join(str(value) for value in matcher.model_dump(exclude_none=True).values())
        for matcher in profile.matchers
    )
    cells = (f"{profile.maker} {profile.model}", profile.kind, matchers or "-", controls)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


EXAMPLE = """\
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
"""An example config for `PROFILES.md`, which a test loads."""
