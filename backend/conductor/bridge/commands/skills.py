"""Commands of Settings > Agent Skills: what there is, its text, and installing after one has looked."""

import base64
import binascii
from typing import TYPE_CHECKING, Literal

from pydantic import Field, model_validator

from conductor.bridge.changing import commit, require_writable
from conductor.bridge.models import Nothing
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.change_kinds import UpdateSettings
from conductor.domain.value import Value
from conductor.errors import InvalidParams, NotAllowed

if TYPE_CHECKING:
    from conductor.skills.install import Fetched
    from conductor.skills.library import Skill

ARCHIVE_AT_MOST = 14_000_000
"""In base64: about 10 MB."""
TEXT_AT_MOST = 200_000

Name = Field(min_length=1, max_length=64)


class SkillView(Value):
    name: str
    description: str
    origin: Literal["conductor", "user"]
    source: str | None
    """Where the user's was installed from, such as `github:owner/repository/path`; None: put there by hand."""
    installed_at: str | None
    folder: str
    enabled: bool


class BrokenSkill(Value):
    name: str
    problem: str


class Skills(Value):
    skills: tuple[SkillView, ...]
    broken: tuple[BrokenSkill, ...]
    """Folders that hold no usable skill."""


class SkillParams(Value):
    name: str = Name


class SkillFile(Value):
    path: str
    size_bytes: int


class SkillText(Value):
    skill: SkillView
    text: str
    """What a model is told when the skill is used, as Markdown."""
    files: tuple[SkillFile, ...]
    """What else it may read."""


class SkillFileParams(SkillParams):
    path: str = Field(min_length=1, max_length=500)


class FileText(Value):
    text: str


class ToggleSkillParams(SkillParams):
    enabled: bool


class FetchParams(Value):
    """Where a skill is taken from: one of the two."""

    source: str | None = Field(default=None, min_length=1, max_length=1_000)
    """A folder, an archive, or `github:owner/repository/path`."""
    archive_name: str = Field(default="", max_length=200)
    archive: str | None = Field(default=None, max_length=ARCHIVE_AT_MOST)
    """The content of an archive, in base64."""

    @model_validator(mode="after")
    def _one_of_both(self) -> "FetchParams":
        if (self.source is None) == (self.archive is None):
            raise ValueError("give a source or an archive")
        return self


class FetchedSkill(Value):
    """A skill that was read and checked, and is not installed yet."""

    name: str
    description: str
    source: str
    digest: str
    text: str
    files: tuple[SkillFile, ...]
    advice: tuple[str, ...]
    """What its author could do better."""
    replaces: bool
    """Whether one of the user's has this name."""


class InstallParams(FetchParams):
    digest: str = Field(min_length=1, max_length=100)
    """Of what was looked at: something else is not installed."""


@query("skills.list")
def listed(params: Nothing, call: Call) -> Skills:
    """Every skill that is there, by name."""
    library = call.desk.skills.whole()
    broken = library.broken().items()
    return Skills(
        skills=tuple(_view(one, call) for one in library.catalogue()),
        broken=tuple(BrokenSkill(name=name, problem=problem) for name, problem in broken),
    )


@query("skills.show")
def show(params: SkillParams, call: Call) -> SkillText:
    """What a skill says, and which files it has."""
    from conductor.skills.tree import MAIN

    library = call.desk.skills.whole()
    files = [one for one in library.resources(params.name) if one.path != MAIN]
    return SkillText(
        skill=_view(library.get(params.name), call),
        text=library.body(params.name),
        files=tuple(SkillFile(path=one.path, size_bytes=one.size) for one in files),
    )


@query("skills.file")
def file(params: SkillFileParams, call: Call) -> FileText:
    """One file of a skill, as text."""
    content = call.desk.skills.whole().read(params.name, params.path)
    return FileText(text=content.decode(errors="replace")[:TEXT_AT_MOST])


@command("skills.toggle", "config_change")
def toggle(params: ToggleSkillParams, call: Call) -> Skills:
    """Let the chat use a skill, or not: this is kept in the config."""
    desk, name = call.desk, params.name
    desk.skills.whole().get(name)
    base_hash, settings = desk.store.hash, desk.store.current.skills
    disabled = {*settings.disabled} - {name} if params.enabled else {*settings.disabled, name}
    patch: dict[str, list[str] | None] = {"disabled": sorted(disabled) or None}
    if params.enabled and settings.enabled is not None:
        patch["enabled"] = sorted({*settings.enabled, name})
    word = "used" if params.enabled else "left out"
    commit(call, [UpdateSettings(settings={"skills": patch})], base_hash, f"Skill {name} is {word}")
    return listed(Nothing(), call)


@command("skills.fetch", "stateful")
def look(params: FetchParams, call: Call) -> FetchedSkill:
    """Read and check a skill without installing it."""
    from conductor.skills.format import parse
    from conductor.skills.library import FOLDER
    from conductor.skills.tree import MAIN

    fetched = _fetched(params)
    document = parse(fetched.files[MAIN])
    others = [(path, content) for path, content in fetched.files.items() if path != MAIN]
    return FetchedSkill(
        name=fetched.name,
        description=str(document.fields.get("description", "")).strip(),
        source=fetched.source,
        digest=fetched.digest,
        text=document.body,
        files=tuple(SkillFile(path=path, size_bytes=len(content)) for path, content in others),
        advice=fetched.advice,
        replaces=(call.desk.home / FOLDER / fetched.name).is_dir(),
    )


@command("skills.install", "privileged")
def put(params: InstallParams, call: Call) -> Skills:
    """Install what was looked at; an older one of this name is replaced."""
    from conductor.skills.install import install

    require_writable(call.desk)
    fetched = _fetched(params)
    if fetched.digest != params.digest:
        raise NotAllowed("this skill changed since you looked at it; look at it again")
    install(fetched, call.desk.home, replace=True)
    return listed(Nothing(), call)


@command("skills.remove", "stateful")
def take_out(params: SkillParams, call: Call) -> Skills:
    """Remove a skill of the user's; those of Conductor stay."""
    from conductor.skills.install import remove
    from conductor.skills.library import FOLDER

    require_writable(call.desk)
    remove(params.name, call.desk.home / FOLDER)
    return listed(Nothing(), call)


def _fetched(params: FetchParams) -> "Fetched":
    from conductor.skills.install import bundled_folder, fetch, fetch_archive

    if params.source is not None:
        if bundled_folder(params.source) is not None:
            raise InvalidParams(f"{params.source} comes with Conductor and is there already")
        return fetch(params.source)
    try:
        content = base64.b64decode(params.archive or "", validate=True)
    except binascii.Error as error:
        raise InvalidParams(f"`archive` is not base64: {error}") from None
    return fetch_archive(params.archive_name, content)


def _view(skill: "Skill", call: Call) -> SkillView:
    from conductor.skills.provenance import provenance

    own = skill.origin == "user"
    noted = provenance(skill.folder.parent, skill.name) if own else {}
    return SkillView(
        name=skill.name,
        description=skill.description,
        origin=skill.origin,
        source=str(noted["source"]) if "source" in noted else None,
        installed_at=str(noted["installed_at"]) if "installed_at" in noted else None,
        folder=str(skill.folder),
        enabled=call.desk.skills.is_on(skill.name),
    )
