"""The defaults of each kind of provider."""

from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from conductor.domain.chat.messages import ProviderKind
from conductor.domain.settings import LlmProvider
from conductor.domain.value import Value


class Kind(NamedTuple):
    """A kind of provider and its defaults."""

    kind: ProviderKind
    label: str
    base_url: str
    model: str
    """The default model. Empty if no model is available on every server of this kind."""
    usual_env: str
    needs_key: bool
    key_url: str
    """The page where the user can create an API key."""


class ProviderRow(Value):
    """A provider in the list in Settings: a configured provider, or one that only needs a key."""

    name: str
    kind: ProviderKind
    label: str
    enabled: bool
    written: bool
    """Whether the provider is configured. Otherwise it is only suggested."""
    usable: bool
    """Whether the provider is enabled and has the key it needs."""
    needs_key: bool
    has_key: bool
    base_url: str
    model: str
    usual_env: str
    key_url: str


ANTHROPIC = Kind(
    "anthropic",
    "Anthropic",
    "https://api.anthropic.com",
    "claude-sonnet-5-5",
    "ANTHROPIC_API_KEY",
    needs_key=True,
    key_url="https://console.anthropic.com/settings/keys",
)
OPENAI = Kind(
    "openai",
    "OpenAI",
    "https://api.openai.com/v1",
    "gpt-6.1-sol",
    "OPENAI_API_KEY",
    needs_key=True,
    key_url="https://platform.openai.com/api-keys",
)
GOOGLE = Kind(
    "google",
    "Google",
    "https://generativelanguage.googleapis.com",
    "gemini-3.8-flash",
    "GEMINI_API_KEY",
    needs_key=True,
    key_url="https://aistudio.google.com/apikey",
)
OPENROUTER = Kind(
    "openrouter",
    "OpenRouter",
    "https://openrouter.ai/api/v1",
    "anthropic/claude-sonnet-5.5",
    "OPENROUTER_API_KEY",
    needs_key=True,
    key_url="https://openrouter.ai/settings/keys",
)
LITELLM = Kind(
    "litellm",
    "LiteLLM",
    "http://127.0.0.1:4000",
    "",
    "LITELLM_API_KEY",
    needs_key=False,
    key_url="",
)
CUSTOM = Kind(
    "custom",
    "OpenAI-compatible server",
    "http://127.0.0.1:11434/v1",
    "",
    "",
    needs_key=False,
    key_url="",
)
KINDS: dict[str, Kind] = {
    each.kind: each for each in (ANTHROPIC, OPENAI, GOOGLE, OPENROUTER, LITELLM, CUSTOM)
}


def kind_of(name: str, written: LlmProvider | None) -> Kind:
    """Return the kind of a provider from its config, otherwise by its name, otherwise `custom`."""
    kind = written.kind if written is not None else None
    return KINDS.get(kind or name, CUSTOM)


HOME_DOMAINS = (".localhost", ".local", ".lan", ".internal", ".home.arpa")
"""Suffixes of host names that are never public (RFC 6761, 6762 and 8375; .internal is reserved by ICANN)."""


def is_local(base_url: str) -> bool:
    """Return whether a base URL points to this computer or its local network."""
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    is_address = host.replace(".", "").isdigit() or ":" in host
    if host and not is_address and ("." not in host or host.endswith(HOME_DOMAINS)):
        return True
    try:
        return not ip_address(host).is_global
    except ValueError:
        return False


def row_of(name: str, written: LlmProvider | None, key: str | None) -> ProviderRow:
    """Build the row of a provider, whether or not the provider is configured."""
    kind, settings = kind_of(name, written), written or LlmProvider()
    model = settings.model or kind.model
    return ProviderRow(
        name=name,
        kind=kind.kind,
        label=kind.label if name == kind.kind else name,
        enabled=settings.enabled,
        written=written is not None,
        usable=settings.enabled and bool(key or not kind.needs_key),
        needs_key=kind.needs_key,
        has_key=bool(key),
        base_url=settings.base_url or kind.base_url,
        model=model,
        usual_env=kind.usual_env,
        key_url=kind.key_url,
    )
