"""`conductor skills`: lists, installs and checks Agent Skills, for the chat or for another agent."""

import argparse
import json
from pathlib import Path

from conductor.base.paths import get_home_folder
from conductor.cli.text import sanitize_line, sanitize_text
from conductor.errors import NotAllowed, UnknownSkill
from conductor.skills.install import (
    CheckedSkill,
    SkillWriteResult,
    fetch_skill,
    install_skill,
    remove_skill,
    write_skill,
)
from conductor.skills.library import SKILLS_FOLDER_NAME, Skill, SkillLibrary
from conductor.skills.provenance import read_provenance
from conductor.skills.targets import find_skills_folder
from conductor.skills.tree import SKILL_FILE_NAME
from conductor.skills.validator import SkillProblem, validate_skill_folder


def run(args: argparse.Namespace) -> int:
    """List, show, install, validate or remove Agent Skills.

    Return the exit code. Conductor need not be running.
    """
    commands = {
        "list": _list_skills,
        "show": _show_skill,
        "install": _install_skill,
        "validate": _validate_skills,
        "remove": _remove_skill,
    }
    return commands[args.verb](args)


def _list_skills(args: argparse.Namespace) -> int:
    library = SkillLibrary(get_home_folder())
    rows, broken = library.list_skills(), library.list_unusable_skills()
    if args.json:
        listed = [_build_skill_json(skill) for skill in rows]
        print(json.dumps({"skills": listed, "broken": broken}))
        return 0
    for skill in rows:
        print(sanitize_line(f"{skill.name}  ({_describe_origin(skill)})"))
        print(sanitize_line(f"    {skill.description}"))
    for name, reason in broken.items():
        print(sanitize_line(f"{name}  (cannot be used: {reason})"))
    return 0


def _build_skill_json(skill: Skill) -> dict[str, str]:
    return {
        "name": skill.name,
        "description": skill.description,
        "from": _describe_origin(skill),
        "folder": str(skill.folder),
    }


def _describe_origin(skill: Skill) -> str:
    if skill.origin == "conductor":
        return "bundled with Conductor"
    source = read_provenance(skill.folder.parent, skill.name).get("source")
    return f"installed from {source}" if source else "yours"


def _show_skill(args: argparse.Namespace) -> int:
    library = SkillLibrary(get_home_folder())
    if args.file:
        print(sanitize_text(library.read_skill_file(args.name, args.file).decode(errors="replace")))
        return 0
    skill = library.get_skill(args.name)
    print(sanitize_text(library.read_skill_body(args.name)))
    print(sanitize_line(f"\n{_describe_origin(skill)}: {skill.folder}"))
    for resource in library.list_resources(args.name):
        if resource.path != SKILL_FILE_NAME:
            print(sanitize_line(f"    {resource.path}  {resource.size} bytes"))
    return 0


def _install_skill(args: argparse.Namespace) -> int:
    fetched = fetch_skill(args.source)
    if args.target is None:
        written = install_skill(fetched, get_home_folder(), replace=args.replace)
    else:
        written = write_skill(fetched, find_skills_folder(args.target), replace=args.replace)
    _print_installed(fetched, written)
    return 0


def _print_installed(fetched: CheckedSkill, written: SkillWriteResult) -> None:
    if not written.changed:
        print(sanitize_line(f"{written.folder} already has the same {fetched.name}; nothing to do"))
        return
    print(sanitize_line(f"Installed {fetched.name} from {fetched.source}"))
    for path in written.files:
        print(sanitize_line(f"    wrote {written.folder / path}"))
    for advice in fetched.advice:
        print(sanitize_line(f"    advice: {advice}"))


def _validate_skills(args: argparse.Namespace) -> int:
    # imported here, because the import is slow and other commands do not need it
    from conductor.tools.catalog import REGISTRY

    given: list[Path] = args.folder or [
        skill.folder for skill in SkillLibrary(get_home_folder()).list_skills()
    ]
    found = {
        folder: validate_skill_folder(folder, REGISTRY.list_names_and_aliases()) for folder in given
    }
    failed = any(
        _is_validation_failure(problem, strict=args.strict)
        for rows in found.values()
        for problem in rows
    )
    if args.json:
        rows = {str(folder): [row._asdict() for row in rows] for folder, rows in found.items()}
        print(json.dumps({"skills": rows, "valid": not failed}))
        return int(failed)
    for folder, rows in found.items():
        print(sanitize_line(f"{folder}: {_format_verdict(rows)}"))
        for row in rows:
            print(sanitize_line(f"    {row.level}: {row.message}"))
    return int(failed)


def _is_validation_failure(problem: SkillProblem, *, strict: bool) -> bool:
    return strict or problem.level == "error"


def _format_verdict(rows: list[SkillProblem]) -> str:
    if not rows:
        return "valid"
    return "NOT valid" if any(row.level == "error" for row in rows) else "valid, with advice"


def _remove_skill(args: argparse.Namespace) -> int:
    parent = (
        get_home_folder() / SKILLS_FOLDER_NAME
        if args.target is None
        else find_skills_folder(args.target)
    )
    folder = parent / args.name
    if args.target is not None and folder.is_dir() and not (folder / SKILL_FILE_NAME).is_file():
        raise NotAllowed(
            f"{folder} was not removed because it has no SKILL.md; check the name of the skill"
        )
    try:
        print(sanitize_line(f"Removed {remove_skill(args.name, parent)}"))
    except UnknownSkill as error:
        raise UnknownSkill(f"{error}; `conductor skills list` shows the installed skills") from None
    return 0
