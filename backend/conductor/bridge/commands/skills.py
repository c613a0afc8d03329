"""Commands of Settings > Skills: list, show, review, install and remove skills."""

import base64
import binascii
from typing import TYPE_CHECKING, Literal

from pydantic import Field, model_validator

from conductor.bridge.changing import commit_changes, require_writable
from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.change_kinds import UpdateSettings
from conductor.domain.value import Value
from conductor.errors import InvalidParams, NotAllowed

if TYPE_CHECKING:
    from conductor.skills.install import CheckedSkill
    from conductor.skills.library import Skill

MAX_SKILL_ARCHIVE_CHARS = 14_000_000
"""The maximum length of an archive in base64; about 10 MB of data."""
MAX_SKILL_TEXT_CHARS = 200_000

SkillName = Field(min_length=1, max_length=64)


class SkillView(Value):
    name: str
    description: str
    origin: Literal["conductor", "user"]
    source: str | None
    """Where the skill was installed from, such as `github:owner/repository/path`.

    None for a skill that was not installed.
    """
    installed_at: str | None
    folder: str
    enabled: bool


class UnreadableSkill(Value):
    name: str
    problem: str


class Skills(Value):
    skills: tuple[SkillView, ...]
    broken: tuple[UnreadableSkill, ...]
    """The folders in which no valid skill was found."""


class SkillParams(Value):
    name: str = SkillName


class SkillFile(Value):
    path: str
    size_bytes: int


class SkillText(Value):
    skill: SkillView
    text: str
    """The Markdown text that the model receives when the skill is used."""
    files: tuple[SkillFile, ...]
    """The other files of the skill, which the model can read."""


class SkillFileParams(SkillParams):
    path: str = Field(min_length=1, max_length=500)


class SkillFileText(Value):
    text: str


class ToggleSkillParams(SkillParams):
    enabled: bool


class FetchSkillParams(Value):
    """Where to fetch a skill from. Exactly one of `source` and `archive` is set."""

    source: str | None = Field(default=None, min_length=1, max_length=1_000)
    """The source of the skill: a folder, an archive, or `github:owner/repository/path`."""
    archive_name: str = Field(default="", max_length=200)
    archive: str | None = Field(default=None, max_length=MAX_SKILL_ARCHIVE_CHARS)
    """The content of an archive in base64."""

    @model_validator(mode="after")
    def _require_one_source(self) -> "FetchSkillParams":
        if (self.source is None) == (self.archive is None):
            raise ValueError("pass either a source or an archive")
        return self


class FetchedSkill(Value):
    """A skill that was fetched and validated, but not installed."""

    name: str
    description: str
    source: str
    digest: str
    text: str
    files: tuple[SkillFile, ...]
    advice: tuple[str, ...]
    """Recommendations for the author of the skill."""
    replaces: bool
    """Whether installing the skill would replace an installed skill of the same name."""


class InstallSkillParams(FetchSkillParams):
    digest: str = Field(min_length=1, max_length=100)
    """The digest of the skill that the user reviewed. Any other content is refused."""


@query("skills.list")
def list_skills(params: Empty, call: Call) -> Skills:
    """Return all Agent Skills, sorted by name."""
    library = call.services.skills.include_disabled()
    broken = library.list_unusable_skills().items()
    return Skills(
        skills=tuple(_build_skill_view(skill, call) for skill in library.list_skills()),
        broken=tuple(UnreadableSkill(name=name, problem=problem) for name, problem in broken),
    )


@query("skills.show")
def show_skill(params: SkillParams, call: Call) -> SkillText:
    """Return the text of an Agent Skill and the list of its files."""
    from conductor.skills.tree import SKILL_FILE_NAME

    library = call.services.skills.include_disabled()
    files = [file for file in library.list_resources(params.name) if file.path != SKILL_FILE_NAME]
    return SkillText(
        skill=_build_skill_view(library.get_skill(params.name), call),
        text=library.read_skill_body(params.name),
        files=tuple(SkillFile(path=file.path, size_bytes=file.size) for file in files),
    )


@query("skills.file")
def get_skill_file(params: SkillFileParams, call: Call) -> SkillFileText:
    """Return the text of one file of an Agent Skill."""
    content = call.services.skills.include_disabled().read_skill_file(params.name, params.path)
    return SkillFileText(text=content.decode(errors="replace")[:MAX_SKILL_TEXT_CHARS])


@command("skills.toggle", "config_change")
def toggle_skill(params: ToggleSkillParams, call: Call) -> Skills:
    """Turn an Agent Skill on or off for the chat. The setting is saved in the config."""
    services, name = call.services, params.name
    services.skills.include_disabled().get_skill(name)
    base_hash, settings = (
        services.config.store.config_hash,
        services.config.store.current_config.skills,
    )
    disabled = {*settings.disabled} - {name} if params.enabled else {*settings.disabled, name}
    patch: dict[str, list[str] | None] = {"disabled": sorted(disabled) or None}
    if params.enabled and settings.enabled is not None:
        patch["enabled"] = sorted({*settings.enabled, name})
    state = "on" if params.enabled else "off"
    commit_changes(
        call, [UpdateSettings(settings={"skills": patch})], base_hash, f"Skill {name} is {state}"
    )
    return list_skills(Empty(), call)


@command("skills.fetch", "stateful")
def fetch_skill(params: FetchSkillParams, call: Call) -> FetchedSkill:
    """Fetch and validate an Agent Skill, so that the user can review it before it is installed."""
    from conductor.skills.format import parse_skill_document
    from conductor.skills.library import SKILLS_FOLDER_NAME
    from conductor.skills.tree import SKILL_FILE_NAME

    fetched = _fetch_from_params(params)
    document = parse_skill_document(fetched.files[SKILL_FILE_NAME])
    other_files = [
        (path, content) for path, content in fetched.files.items() if path != SKILL_FILE_NAME
    ]
    return FetchedSkill(
        name=fetched.name,
        description=str(document.fields.get("description", "")).strip(),
        source=fetched.source,
        digest=fetched.digest,
        text=document.body,
        files=tuple(SkillFile(path=path, size_bytes=len(content)) for path, content in other_files),
        advice=fetched.advice,
        replaces=(call.services.app.home / SKILLS_FOLDER_NAME / fetched.name).is_dir(),
    )


@command("skills.install", "privileged")
def install_skill(params: InstallSkillParams, call: Call) -> Skills:
    """Install the Agent Skill that the user has reviewed. An installed skill of the same name is replaced.

    Raises:
        NotAllowed: The skill has changed since the review.
    """
    from conductor.skills.install import install_skill

    require_writable(call.services)
    fetched = _fetch_from_params(params)
    if fetched.digest != params.digest:
        raise NotAllowed("this skill has changed since you reviewed it; review it again")
    install_skill(fetched, call.services.app.home, replace=True)
    return list_skills(Empty(), call)


@command("skills.remove", "stateful")
def remove_skill(params: SkillParams, call: Call) -> Skills:
    """Remove an installed Agent Skill. Bundled skills cannot be removed."""
    from conductor.skills.install import remove_skill
    from conductor.skills.library import SKILLS_FOLDER_NAME

    require_writable(call.services)
    remove_skill(params.name, call.services.app.home / SKILLS_FOLDER_NAME)
    return list_skills(Empty(), call)


def _fetch_from_params(params: FetchSkillParams) -> "CheckedSkill":
    from conductor.skills.install import check_skill_archive, fetch_skill, find_bundled_folder

    if params.source is not None:
        if find_bundled_folder(params.source) is not None:
            raise InvalidParams(
                f"{params.source} is bundled with Conductor and does not need to be installed"
            )
        return fetch_skill(params.source)
    try:
        content = base64.b64decode(params.archive or "", validate=True)
    except binascii.Error as error:
        raise InvalidParams(f"`archive` is not base64: {error}") from None
    return check_skill_archive(params.archive_name, content)


def _build_skill_view(skill: "Skill", call: Call) -> SkillView:
    from conductor.skills.provenance import read_provenance

    is_users = skill.origin == "user"
    origin = read_provenance(skill.folder.parent, skill.name) if is_users else {}
    return SkillView(
        name=skill.name,
        description=skill.description,
        origin=skill.origin,
        source=str(origin["source"]) if "source" in origin else None,
        installed_at=str(origin["installed_at"]) if "installed_at" in origin else None,
        folder=str(skill.folder),
        enabled=call.services.skills.is_enabled(skill.name),
    )
