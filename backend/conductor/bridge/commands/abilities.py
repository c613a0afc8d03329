"""Commands of Settings > Assistant tools, which list the assistant's skills and turn them on or off."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from conductor.base.field_docs import find_field_doc
from conductor.base.json_types import JsonObject
from conductor.bridge.changing import commit_changes
from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.change_kinds import UpdateSettings
from conductor.domain.granted_folders import explain_too_broad_folder, warn_about_broad_folder
from conductor.domain.settings import SkillsSettings, SkillTiers
from conductor.domain.value import Value
from conductor.errors import InvalidParams
from conductor.runtime.events import NOTICE_TOPIC
from conductor.tools.approval.permission import is_skill_enabled
from conductor.tools.registry import Category, SkillTier, Tool

TIER_TITLES: dict[SkillTier, str] = {
    "core": "Core",
    "enhanced": "Enhanced",
    "network": "Network",
    "integration": "Integrations",
}


class TierView(Value):
    tier: SkillTier
    title: str
    description: str
    enabled: bool


class AbilityView(Value):
    skill_id: str
    tool: str
    title: str
    """The title of the skill, such as the capability "Calculator"."""
    tool_title: str
    """The title of the tool that belongs to the skill."""
    description: str
    tier: SkillTier
    category: Category | None
    enabled: bool
    because: Literal["tier", "single"]
    """Which setting decides whether the skill is on: the one for its tier, or one for this skill alone."""
    requires_approval: bool
    origin: str | None
    """The name of the MCP server that provides the skill, or None for a built-in skill."""
    parameters: JsonObject
    """The JSON schema of the arguments that the tool accepts."""
    problem: str | None
    """Why the skill cannot be called although it is on, or None."""


class Abilities(Value):
    tiers: tuple[TierView, ...]
    skills: tuple[AbilityView, ...]
    folders: tuple[str, ...]
    """The paths of the folders whose files the assistant may read."""


class SetTierParams(Value):
    tier: SkillTier
    enabled: bool


class SetAbilityParams(Value):
    skill_id: str = Field(min_length=1, max_length=300)
    enabled: bool | None
    """True or False turns the skill on or off. With null, the skill follows the setting of its tier."""


class FolderAccessParams(Value):
    path: str = Field(min_length=1, max_length=4_000)
    granted: bool


@query("abilities.list")
def list_abilities(params: Empty, call: Call) -> Abilities:
    """Return the assistant's skills and tiers, and which of them are on."""
    settings = call.services.config.store.current_config.skills
    found = [tool for tool in call.services.gate.tools() if tool.skill_id is not None]
    return Abilities(
        tiers=tuple(_build_tier_view(tier, settings) for tier in TIER_TITLES),
        skills=tuple(_build_ability_view(tool, settings, call) for tool in found),
        folders=settings.folders,
    )


@command("abilities.set_tier", "config_change")
def set_tier(params: SetTierParams, call: Call) -> Abilities:
    """Turn all skills of a tier on or off. The setting is saved in the config."""
    state = "on" if params.enabled else "off"
    patch = {"tiers": {params.tier: params.enabled}}
    return _save_settings(call, patch, f"{TIER_TITLES[params.tier]} skills are {state}")


@command("abilities.set", "config_change")
def set_ability(params: SetAbilityParams, call: Call) -> Abilities:
    """Turn one skill on or off, or let it follow the setting of its tier again."""
    known = {tool.skill_id for tool in call.services.gate.tools()} | {
        *call.services.config.store.current_config.skills.tools
    }
    if params.skill_id not in known:
        raise InvalidParams(f"there is no skill `{params.skill_id}`; `abilities.list` lists them")
    state = {True: "is on", False: "is off", None: "follows its tier"}[params.enabled]
    patch = {"tools": {params.skill_id: params.enabled}}
    return _save_settings(call, patch, f"Skill {params.skill_id} {state}")


@command("abilities.folder", "config_change")
def set_folder_access(params: FolderAccessParams, call: Call) -> Abilities:
    """Allow the assistant to read the files in a folder, or revoke this permission."""
    folders = call.services.config.store.current_config.skills.folders
    if params.granted:
        path = _resolve_folder(params.path, call.services.app.home)
        after = (*(folder for folder in folders if folder != path), path)
    elif params.path in folders:
        path, after = params.path, tuple(folder for folder in folders if folder != params.path)
    else:
        raise InvalidParams(f"the assistant has no access to {params.path}; nothing to revoke")
    state = "can be read" if params.granted else "can no longer be read"
    for text, level in _list_folder_notices(params.path, path) if params.granted else ():
        call.services.publish(NOTICE_TOPIC, {"text": text, "level": level})
    return _save_settings(call, {"folders": list(after) or None}, f"Folder {path} {state}")


def _resolve_folder(typed_path: str, home: Path) -> str:
    """Return the absolute path of a folder, without symbolic links.

    Raises:
        InvalidParams: The path is not a folder, or contains too much, such as the whole disk.
    """
    try:
        path = Path(typed_path).expanduser()
        if not path.is_absolute():
            raise InvalidParams(
                f"{typed_path} is not an absolute path; begin it with the root or with ~"
            )
        real = path.resolve()
        is_folder = real.is_dir()
    except (OSError, ValueError, RuntimeError) as error:
        raise InvalidParams(
            f"{typed_path!r} is not a usable path: {error}; choose another folder"
        ) from None
    if not is_folder:
        raise InvalidParams(f"{real} is not a folder on this computer; check the path")
    if real == Path(real.anchor):
        raise InvalidParams("access to the whole disk is not possible; choose a smaller folder")
    if real.is_relative_to(home.resolve()):
        raise InvalidParams(f"{real} contains Conductor's own data; choose another folder")
    problem = explain_too_broad_folder(str(real))
    if problem is not None:
        raise InvalidParams(problem)
    return str(real)


def _list_folder_notices(
    typed_path: str, path: str
) -> Iterator[tuple[str, Literal["info", "warning"]]]:
    """Yield notices that tell the user what access to a folder includes, each with its level."""
    wide = warn_about_broad_folder(path, str(Path.home()))
    if wide is not None:
        yield wide, "warning"
    if Path(typed_path).expanduser() != Path(path):
        yield f"{typed_path} is a link to {path}, which can now be read", "info"


def _save_settings(call: Call, patch: JsonObject, reason: str) -> Abilities:
    services = call.services
    commit_changes(
        call,
        [UpdateSettings(settings={"skills": patch})],
        services.config.store.config_hash,
        reason,
    )
    return list_abilities(Empty(), call)


def _build_tier_view(tier: SkillTier, settings: SkillsSettings) -> TierView:
    return TierView(
        tier=tier,
        title=TIER_TITLES[tier],
        description=find_field_doc(SkillTiers, tier) or "",
        enabled=getattr(settings.tiers, tier),
    )


def _build_ability_view(tool: Tool, settings: SkillsSettings, call: Call) -> AbilityView:
    skill_id, enabled = tool.skill_id or "", is_skill_enabled(tool, settings)
    return AbilityView(
        skill_id=skill_id,
        tool=tool.name,
        title=tool.skill_label,
        tool_title=tool.title,
        description=tool.description,
        tier=tool.skill_tier,
        category=tool.category,
        enabled=enabled,
        because="single" if skill_id in settings.tools else "tier",
        requires_approval=tool.requires_approval or tool.asks_in_chat,
        origin=tool.origin,
        parameters=tool.input_schema,
        problem=call.services.gate.find_refusal(tool) if enabled else None,
    )
