"""The default name, address, model and key of each kind of provider."""

from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from conductor.domain.chat.messages import ProviderKind
from conductor.domain.settings import LlmProvider
from conductor.domain.value import Value


class ProviderDefaults(NamedTuple):
    """The defaults of one kind of provider, which apply where the config is silent."""

    kind: ProviderKind
    label: str
    base_url: str
    model: str
    """The default model; empty if a server of this kind may offer any model."""
    usual_env: str
    needs_key: bool
    key_url: str
    """The web page on which the user can create an API key."""


class ProviderRow(Value):
    """A row in the list of providers in Settings.

    The provider is configured, or it is suggested because it needs nothing but a key.
    """

    name: str
    kind: ProviderKind
    label: str
    enabled: bool
    written: bool
    """Whether the config has an entry for the provider. Otherwise the provider is only suggested."""
    usable: bool
    """Whether the provider is switched on and has the key that it needs."""
    needs_key: bool
    has_key: bool
    base_url: str
    model: str
    usual_env: str
    key_url: str


ANTHROPIC_DEFAULTS = ProviderDefaults(
    "anthropic",
    "Anthropic",
    "https://api.anthropic.com",
    "claude-sonnet-5-5",
    "ANTHROPIC_API_KEY",
    needs_key=True,
    key_url="https://console.anthropic.com/settings/keys",
)
OPENAI_DEFAULTS = ProviderDefaults(
    "openai",
    "OpenAI",
    "https://api.openai.com/v1",
    "gpt-6.1-sol",
    "OPENAI_API_KEY",
    needs_key=True,
    key_url="https://platform.openai.com/api-keys",
)
GOOGLE_DEFAULTS = ProviderDefaults(
    "google",
    "Google",
    "https://generativelanguage.googleapis.com",
    "gemini-3.8-flash",
    "GEMINI_API_KEY",
    needs_key=True,
    key_url="https://aistudio.google.com/apikey",
)
OPENROUTER_DEFAULTS = ProviderDefaults(
    "openrouter",
    "OpenRouter",
    "https://openrouter.ai/api/v1",
    "anthropic/claude-sonnet-5.5",
    "OPENROUTER_API_KEY",
    needs_key=True,
    key_url="https://openrouter.ai/settings/keys",
)
LITELLM_DEFAULTS = ProviderDefaults(
    "litellm",
    "LiteLLM",
    "http://127.0.0.1:4000",
    "",
    "LITELLM_API_KEY",
    needs_key=False,
    key_url="",
)
CUSTOM_DEFAULTS = ProviderDefaults(
    "custom",
    "OpenAI-compatible server",
    "http://127.0.0.1:11434/v1",
    "",
    "",
    needs_key=False,
    key_url="",
)
DEFAULTS_BY_PROVIDER_KIND: dict[str, ProviderDefaults] = {
    each.kind: each
    for each in (
        ANTHROPIC_DEFAULTS,
        OPENAI_DEFAULTS,
        GOOGLE_DEFAULTS,
        OPENROUTER_DEFAULTS,
        LITELLM_DEFAULTS,
        CUSTOM_DEFAULTS,
    )
}


def find_provider_defaults(name: str, configured: LlmProvider | None) -> ProviderDefaults:
    """Return the defaults for a provider.

    The kind in its config decides, otherwise its name. A provider of unknown name is an OpenAI-compatible
    server.
    """
    kind = configured.kind if configured is not None else None
    return DEFAULTS_BY_PROVIDER_KIND.get(kind or name, CUSTOM_DEFAULTS)


HOME_NETWORK_DOMAINS = (".localhost", ".local", ".lan", ".internal", ".home.arpa")
"""Suffixes of host names that only exist in local networks (RFC 6761, 6762 and 8375; ICANN reserves .internal).
"""


def is_local_url(base_url: str) -> bool:
    """Return whether a base URL points to this computer or the local network, so that messages do not
    leave it.
    """
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    is_address = host.replace(".", "").isdigit() or ":" in host
    if host and not is_address and ("." not in host or host.endswith(HOME_NETWORK_DOMAINS)):
        return True
    try:
        return not ip_address(host).is_global
    except ValueError:
        return False


def build_provider_row(name: str, configured: LlmProvider | None, key: str | None) -> ProviderRow:
    """Build the row of a provider from its config and the defaults of its kind.

    `configured` is None for a suggested provider.
    """
    defaults, settings = find_provider_defaults(name, configured), configured or LlmProvider()
    model = settings.model or defaults.model
    return ProviderRow(
        name=name,
        kind=defaults.kind,
        label=defaults.label if name == defaults.kind else name,
        enabled=settings.enabled,
        written=configured is not None,
        usable=settings.enabled and bool(key or not defaults.needs_key),
        needs_key=defaults.needs_key,
        has_key=bool(key),
        base_url=settings.base_url or defaults.base_url,
        model=model,
        usual_env=defaults.usual_env,
        key_url=defaults.key_url,
    )
