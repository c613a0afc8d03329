"""`conductor skills`: lists, installs and checks Agent Skills for the chat or for other agents."""

import argparse
import json
from pathlib import Path

from conductor.base.paths import home
from conductor.cli.text import plain, plain_line
from conductor.errors import NotAllowed, UnknownSkill
from conductor.skills.install import Fetched, Written, fetch, install, remove, write
from conductor.skills.library import FOLDER, Skill, SkillLibrary
from conductor.skills.provenance import provenance
from conductor.skills.targets import target_folder
from conductor.skills.tree import MAIN
from conductor.skills.validator import Problem, validate


def run(args: argparse.Namespace) -> int:
    """List, show, install, validate or remove skills; works without a running Conductor."""
    commands = {
        "list": _list,
        "show": _show,
        "install": _install,
        "validate": _validate,
        "remove": _remove,
    }
    return commands[args.verb](args)


def _list(args: argparse.Namespace) -> int:
    library = SkillLibrary(home())
    rows, broken = library.catalogue(), library.broken()
    if args.json:
        listed = [_plain(skill) for skill in rows]
        print(json.dumps({"skills": listed, "broken": broken}))
        return 0
    for skill in rows:
        print(plain_line(f"{skill.name}  ({_from(skill)})"))
        print(plain_line(f"    {skill.description}"))
    for name, reason in broken.items():
        print(plain_line(f"{name}  (cannot be used: {reason})"))
    return 0


def _plain(skill: Skill) -> dict[str, str]:
    return {
        "name": skill.name,
        "description": skill.description,
        "from": _from(skill),
        "folder": str(skill.folder),
    }


def _from(skill: Skill) -> str:
    if skill.origin == "conductor":
        return "comes with Conductor"
    source = provenance(skill.folder.parent, skill.name).get("source")
    return f"installed from {source}" if source else "yours"


def _show(args: argparse.Namespace) -> int:
    library = SkillLibrary(home())
    if args.file:
        print(plain(library.read(args.name, args.file).decode(errors="replace")))
        return 0
    skill = library.get(args.name)
    print(plain(library.body(args.name)))
    print(plain_line(f"\n{_from(skill)}: {skill.folder}"))
    for resource in library.resources(args.name):
        if resource.path != MAIN:
            print(plain_line(f"    {resource.path}  {resource.size} bytes"))
    return 0


def _install(args: argparse.Namespace) -> int:
    fetched = fetch(args.source)
    if args.target is None:
        written = install(fetched, home(), replace=args.replace)
    else:
        written = write(fetched, target_folder(args.target), replace=args.replace)
    _report(fetched, written)
    return 0


def _report(fetched: Fetched, written: Written) -> None:
    if not written.changed:
        print(plain_line(f"{written.folder} already has the same {fetched.name}; nothing to do"))
        return
    print(plain_line(f"Installed {fetched.name} from {fetched.source}"))
    for path in written.files:
        print(plain_line(f"    wrote {written.folder / path}"))
    for advice in fetched.advice:
        print(plain_line(f"    advice: {advice}"))


def _validate(args: argparse.Namespace) -> int:
    from conductor.tools.catalog import REGISTRY  # slow to import, and only this verb needs it

    given: list[Path] = args.folder or [skill.folder for skill in SkillLibrary(home()).catalogue()]
    found = {folder: validate(folder, REGISTRY.names()) for folder in given}
    failed = any(_fails(problem, strict=args.strict) for rows in found.values() for problem in rows)
    if args.json:
        rows = {str(folder): [row._asdict() for row in rows] for folder, rows in found.items()}
        print(json.dumps({"skills": rows, "valid": not failed}))
        return int(failed)
    for folder, rows in found.items():
        print(plain_line(f"{folder}: {_verdict(rows)}"))
        for row in rows:
            print(plain_line(f"    {row.level}: {row.message}"))
    return int(failed)


def _fails(problem: Problem, *, strict: bool) -> bool:
    return strict or problem.level == "error"


def _verdict(rows: list[Problem]) -> str:
    if not rows:
        return "valid"
    return "NOT valid" if any(row.level == "error" for row in rows) else "valid, with advice"


def _remove(args: argparse.Namespace) -> int:
    parent = home() / FOLDER if args.target is None else target_folder(args.target)
    folder = parent / args.name
    if args.target is not None and folder.is_dir() and not (folder / MAIN).is_file():
        raise NotAllowed(f"{folder} was not removed because it has no SKILL.md")
    try:
        print(plain_line(f"Removed {remove(args.name, parent)}"))
    except UnknownSkill as error:
        raise UnknownSkill(f"{error}; `conductor skills list` shows the installed skills") from None
    return 0
