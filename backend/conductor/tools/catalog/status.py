"""Tools that show the status, the config, its modes, profiles and settings, and that validate the config."""

from typing import Any

from conductor.base.json_types import JsonObject
from conductor.domain.config import Config
from conductor.domain.validate import Coverage
from conductor.domain.value import Value
from conductor.tools.context import ReadContext, RuntimeContext
from conductor.tools.params import NoParams, Params
from conductor.tools.registry import REGISTRY


class StatusDevice(Value):
    name: str
    # a comment, because a docstring would cost tokens in the manifest: the port number of a MIDI
    # input, as in `conductor_list_devices`; None for a gamepad or OSC
    port: int | None
    last_event_at: int | None


class Statistics(Value):
    events_processed: int
    actions_executed: int


class Status(Value):
    daemon_running: bool
    lifecycle_state: str
    connected: bool
    device_connected: bool
    device: StatusDevice | None
    uptime_secs: int
    input_mode: str
    statistics: Statistics
    version: str
    demo: bool
    paused: bool = False
    """Whether mappings are paused, so that controls have no effect."""
    mode: str
    profile: str | None
    app_in_front: list[str] | None
    mappings: int
    conflicts: int | None = None
    held_keys: list[Any]
    input_route: str | None = None
    """The route of keys to other programs, such as `XTEST`; None if none is chosen yet."""
    input_consent: str | None = None
    """Permission to press keys: allowed, asking, refused or needed. None if the system does not ask."""
    window: str = ""
    """What shows the page, such as `Qt window`."""
    failures: list[JsonObject]
    problems: list[str]
    notices: list[str]
    config: JsonObject
    engine: JsonObject
    devices: list[JsonObject]


class ConfigContent(Value):
    content: str
    path: str
    hash: str


class ModeRow(Value):
    name: str
    color: str | None
    mapping_count: int


class Modes(Value):
    modes: tuple[ModeRow, ...]
    active: str


class ProfileRow(Value):
    name: str
    match: JsonObject
    mode: str | None
    enabled: bool
    mapping_count: int


class Profiles(Value):
    profiles: tuple[ProfileRow, ...]


class SettingsResult(Value):
    settings: JsonObject
    llm: JsonObject
    knowledge: JsonObject
    skills: JsonObject


class ValidationResult(Value):
    valid: bool
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    coverage: Coverage


@REGISTRY.tool("read_only", "status", title="Check status")
async def get_status(params: NoParams, context: ReadContext) -> Status:
    """Return the status of the daemon, its devices, active mode, held keys, failures and problems."""
    return Status.model_validate(await context.read_status())


@REGISTRY.tool("read_only", "status", title="Read config")
async def get_config(params: NoParams, context: ReadContext) -> ConfigContent:
    """Return the text, path and hash of config.toml."""
    return ConfigContent(
        content=context.config_text, path=context.config_path, hash=context.config_hash
    )


@REGISTRY.tool("read_only", "status", title="List modes")
async def list_modes(params: NoParams, context: ReadContext) -> Modes:
    """List all modes, and the active mode."""
    rows = tuple(
        ModeRow(name=mode.name, color=mode.color, mapping_count=len(mode.mappings))
        for mode in context.config.modes
    )
    return Modes(modes=rows, active=context.get_active_mode())


@REGISTRY.tool("read_only", "status", title="List profiles")
async def list_profiles(params: NoParams, context: ReadContext) -> Profiles:
    """List the profiles for apps, with the apps they match and the mode they activate."""
    rows = tuple(
        ProfileRow(
            name=profile.name,
            match=profile.match.to_plain(),
            mode=profile.mode,
            enabled=profile.enabled,
            mapping_count=len(profile.mappings),
        )
        for profile in context.config.profiles
    )
    return Profiles(profiles=rows)


@REGISTRY.tool("read_only", "status", title="Read settings")
async def get_settings(params: NoParams, context: ReadContext) -> SettingsResult:
    """Return all settings with their current values."""
    config: Config = context.config
    return SettingsResult(
        settings=config.settings.model_dump(mode="json"),
        llm=config.llm.model_dump(mode="json"),
        knowledge=config.knowledge.model_dump(mode="json"),
        skills=config.skills.model_dump(mode="json"),
    )


@REGISTRY.tool("read_only", "status", title="Validate config")
async def validate_config(params: NoParams, context: ReadContext) -> ValidationResult:
    """Check the config against the protocols: errors, warnings and coverage."""
    report = context.report
    errors = context.problems or report.errors
    missing = await context.find_missing_parts()
    return ValidationResult(
        valid=not errors,
        errors=tuple(problem.format() for problem in errors),
        warnings=tuple(problem.format() for problem in (*report.warnings, *missing)),
        coverage=report.coverage,
    )


class SwitchModeParams(Params):
    mode: str


class SwitchModeResult(Value):
    success: bool
    mode_name: str
    mode_index: int
    total_modes: int


@REGISTRY.tool("stateful", "status", title="Switch mode", idempotent=True, asks_in_chat=True)
async def switch_mode(params: SwitchModeParams, context: RuntimeContext) -> SwitchModeResult:
    """Activate a mode."""
    return SwitchModeResult.model_validate(await context.switch_mode(params.mode))


class MessageResult(Value):
    message: str


@REGISTRY.tool("stateful", "status", title="Release everything", idempotent=True)
async def panic(params: NoParams, context: RuntimeContext) -> MessageResult:
    """Release all held keys, silence the MIDI outputs in use, and stop running actions."""
    context.panic()
    return MessageResult(
        message="Released the keys and notes that Conductor held, sent All Sound Off and All Notes Off to the"
        " MIDI outputs in use, and cancelled running actions"
    )
