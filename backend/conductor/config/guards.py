"""Detects plans that change guarded settings, which only the user may change, and warns about their effects."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from conductor.domain.config import Config
from conductor.domain.settings import LlmProvider

_LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")


def changes_guarded_settings(old: Config, new: Config) -> bool:
    """Return whether a new config differs in settings that only the user may change.

    Guarded settings are the limits of agents, and the providers and budget of the chat.
    """
    old_engine, new_engine = old.settings.engine, new.settings.engine
    return (
        old.llm != new.llm
        or old_engine.allow_shell != new_engine.allow_shell
        or old_engine.osc_host != new_engine.osc_host
        or old_engine.osc_port != new_engine.osc_port
        or old.settings.voice != new.settings.voice
        or old.settings.ui.start_at_login != new.settings.ui.start_at_login
        or old.skills.disabled != new.skills.disabled
        or _list_access_settings(old) != _list_access_settings(new)
    )


def _list_access_settings(config: Config) -> tuple[object, ...]:
    """Return the values of the settings that decide what the assistant may access and where it sends
    searches.
    """
    skills, knowledge = config.skills, config.knowledge
    mine = (skills.tiers, skills.tools, skills.servers, skills.folders, skills.search_url)
    return (*mine, knowledge.community, knowledge.hub)


def list_guard_warnings(old: Config, new: Config) -> Iterator[str]:
    """Yield a warning for each new access right, raised limit, or server that would newly receive chats or
    keys.
    """
    for name, row in new.llm.providers.items():
        if _get_provider_route(row) != _get_provider_route(
            old.llm.providers.get(name, LlmProvider())
        ):
            yield _describe_destination(name, row)
        was = old.llm.providers.get(name, LlmProvider()).requests_per_minute
        now = row.requests_per_minute
        setting = f"llm.providers.{name}.requests_per_minute"
        yield from _describe_raised_limit(setting, was, now, default="the default")
    before, after = old.llm.budget, new.llm.budget
    for field in ("stop_usd_per_day", "stop_usd_per_conversation"):
        was, now = getattr(before, field), getattr(after, field)
        yield from _describe_raised_limit(f"llm.budget.{field}", was, now, unit="$")
    yield from _list_voice_warnings(old, new)
    yield from _list_access_warnings(old, new)


def _describe_raised_limit(
    setting: str, was: float | None, now: float | None, *, unit: str = "", default: str = "no limit"
) -> Iterator[str]:
    """Yield a warning if a limit is raised or removed."""
    if was is not None and (now is None or now > was):
        limit = default if now is None else f"{unit}{now:g}"
        yield f"`{setting}` goes from {unit}{was:g} to {limit}"


def _list_voice_warnings(old: Config, new: Config) -> Iterator[str]:
    before, after = old.settings.voice, new.settings.voice
    if after.act_at_once and not before.act_at_once:
        yield "names that are said with push-to-talk would act at once, without a plan"
    route = (after.transcription, after.provider, after.server)
    if after.transcription != "off" and route != (
        before.transcription,
        before.provider,
        before.server,
    ):
        receiver = after.server if after.transcription == "server" else after.provider
        yield f"recordings of your speech would go to {receiver or 'the first provider that transcribes'}"


def _list_access_warnings(old: Config, new: Config) -> Iterator[str]:
    before, after = old.skills, new.skills
    for tier in type(after.tiers).model_fields:
        if getattr(after.tiers, tier) and not getattr(before.tiers, tier):
            yield f"the assistant's {tier} skills would be switched on"
    for name, is_on in after.tools.items():
        if is_on and not before.tools.get(name, False):
            yield f"the skill `{name}` would be switched on"
    for name in sorted({*after.servers} - {*before.servers}):
        yield f"the MCP server `{name}` might be started, and its tools offered to the assistant"
    for folder in sorted({*after.folders} - {*before.folders}):
        yield f"the assistant could read the files in {folder}"
    if after.search_url and after.search_url != before.search_url:
        yield f"what the assistant searches for would be sent to {after.search_url}"
    if new.knowledge.community and (old.knowledge.hub, True) != (
        new.knowledge.hub,
        old.knowledge.community,
    ):
        yield f"what you ask would be sent to {new.knowledge.hub or 'a Hub'} to find reference texts"


def _get_provider_route(row: LlmProvider) -> tuple[str | None, ...]:
    return (row.kind, row.base_url, row.api_key_env)


def _describe_destination(name: str, row: LlmProvider) -> str:
    key = (
        f"the key in the environment variable {row.api_key_env}"
        if row.api_key_env
        else "the key that is kept for it"
    )
    if row.base_url is None:
        return f"`{name}` would be sent {key}, and what you say to it"
    address = urlsplit(row.base_url)
    open_way = address.scheme == "http" and address.hostname not in _LOCAL_HOSTS
    how = ", unencrypted" if open_way else ""
    return f"{address.netloc} would be sent {key}, and what you say to `{name}`{how}"
