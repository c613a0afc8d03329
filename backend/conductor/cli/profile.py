"""`conductor profile import`: makes a device profile from a controller file of another program."""

import argparse
import json
import sys
from typing import TYPE_CHECKING

from conductor.base.paths import get_home_folder
from conductor.cli.text import sanitize_line, sanitize_text

# not imported at run time, because the import would take longer than the rest of the command
if TYPE_CHECKING:
    from conductor.profiles.controller_files.profile import ImportedProfile


def run(args: argparse.Namespace) -> int:
    """Show the device profile that a file describes, and save it if the user agrees. Return the exit code."""
    from conductor.profiles.catalog import load_catalog
    from conductor.profiles.controller_files.importer import import_profile_from_path
    from conductor.profiles.toml_text import render_profile_toml

    imported = import_profile_from_path(
        args.file, load_catalog(get_home_folder()), args.name or "", args.port or ""
    )
    profile, text = imported.profile, render_profile_toml(imported.profile)
    if args.json:
        if args.save:
            _save_profile(text)
        row = {
            "program": imported.program,
            "controls": imported.control_count,
            "not_understood": list(imported.not_understood),
            "profile": profile.to_plain(),
            "toml": text,
            "saved": bool(args.save),
        }
        print(json.dumps(row))
        return 0
    _print_profile(imported)
    if args.output:
        args.output.write_text(text, encoding="utf-8")
        print(f"Written to {args.output}.")
    if args.save or (not args.output and _confirm_saving()):
        _save_profile(text)
        path = get_home_folder() / "knowledge" / "devices" / f"{profile.id}.toml"
        print(f"Saved as {path}.")
    elif not args.output:
        print("Not saved. Add --save to save the profile, or -o FILE to write it to a file.")
    return 0


def _print_profile(imported: "ImportedProfile") -> None:
    from conductor.domain.devices import ExactName, NameContains
    from conductor.profiles.device_text import describe_control_group

    profile = imported.profile
    count = imported.control_count
    print(
        sanitize_line(
            f"{profile.maker} {profile.model}: {count} control{'' if count == 1 else 's'}, "
            f"from a file for {imported.program}"
        )
    )
    lit = {group for lights in profile.lights for group in lights.groups}
    for group in profile.variants[0].groups:
        light = " Its light is known." if group.id in lit else ""
        print(sanitize_text(f"{describe_control_group(group)}{light}"))
    ports = [m.pattern for m in profile.matchers if isinstance(m, ExactName | NameContains)]
    if ports:
        print(sanitize_line(f"Recognised by the name of its port: {', '.join(ports)}."))
    if imported.not_understood:
        print("Notes:")
    for note in imported.not_understood:
        print(sanitize_line(f"- {note}"))


def _confirm_saving() -> bool:
    if not sys.stdin.isatty():
        return False
    return input("Save this profile? [y/N] ").strip().lower() in ("y", "yes")


def _save_profile(text: str) -> None:
    from conductor.knowledge.library import KnowledgeBase

    KnowledgeBase(get_home_folder()).add_profile(text)
