"""Defines the settings in the tables `[settings]`, `[llm]`, `[knowledge]` and `[skills]`."""

import re
from ipaddress import ip_address
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from conductor.domain.value import Value

_REMOTE_ADDRESS = re.compile(
    r"https://(?P<host>[^\s/?#@:\[\]]+|\[[^\s\]]+\])(:(?P<port>\d+))?", re.ASCII
)
_HOST_NAME = re.compile(
    r"(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
)
_MAX_PORT = 65_535
_HUB_URL = re.compile(
    r"(https://[\w.-]+|http://(127\.0\.0\.1|localhost))(:\d{1,5})?(/[\w./~-]*)?", re.ASCII
)
_SERVER_URL = re.compile(r"https?://[^\s@?#]+")


def _is_host(host: str) -> bool:
    """Return whether the host of an address is a host name or an IP address, in brackets if it has colons."""
    if host.startswith("["):
        return ":" in host and _is_ip_address(host[1:-1])
    is_number = host.replace(".", "").isdigit()  # no host name consists of numbers alone
    return _is_ip_address(host) if is_number else _HOST_NAME.fullmatch(host) is not None


def _is_ip_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


class EngineSettings(Value):
    """How input is read and how actions are performed."""

    cmd_key: Literal["auto", "ctrl", "super", "alt", "cmd"] = "auto"
    """The key that `cmd` presses. `auto`: Command on macOS, Ctrl elsewhere."""
    allow_shell: bool = False
    """Whether Shell actions may run. Off: they fail with an error."""
    start_mode: str | None = Field(default=None, json_schema_extra={"format": "mode"})
    """The mode that is active at start. Left out: the first mode."""
    open_inputs: Literal["all", "configured"] = "all"
    """Which MIDI inputs are opened: all, or only those with an alias."""
    virtual_input: str = Field(default="Conductor In", max_length=64)
    """A MIDI input of our own that other programs can send to, where the system has such ports.
    Empty: none."""
    virtual_output: str = Field(default="Conductor Out", max_length=64)
    """A MIDI output of our own that other programs can listen to. Empty: none."""
    osc_port: int | None = Field(default=None, ge=1, le=65_535)
    """The UDP port that OSC is received on. Left out: none."""
    osc_host: str = "127.0.0.1"
    """The address of this computer on which OSC is received."""
    gamepads: bool = True
    """Whether input of gamepads is received."""
    virtual_controller: Literal["auto", "on", "off"] = "auto"
    """Whether the built-in controller is present. `auto`: if no device is plugged in."""
    action_timeout_s: float = Field(default=30.0, gt=0, le=600)
    """The time limit for actions such as Shell, in seconds."""
    history_minutes: int = Field(default=20, ge=1, le=240)
    """How many minutes of input are recorded, for replays."""
    keep_recording: bool = True
    """Whether recorded input is kept on disk, for replays after a restart."""


class UiSettings(Value):
    """Settings of the window."""

    theme: Literal["system", "light", "dark"] = "system"
    """The colours of the window."""
    language: Literal["system", "en", "de"] = "system"
    """The language of the window. `system`: that of the system, or English if Conductor does not speak it."""
    close_to_tray: bool = True
    """Whether closing the window leaves Conductor running."""
    start_at_login: bool = False
    """Whether Conductor starts when you log in."""
    note_names: Literal["C3", "C4"] = "C3"
    """The name of middle C (note 60)."""


class LearnSettings(Value):
    """Settings of MIDI Learn."""

    timeout_ms: int = Field(default=30_000, ge=1_000, le=600_000)
    """How long MIDI Learn listens, in milliseconds."""
    long_press_ms: int = Field(default=500, ge=100, le=10_000)
    """A press held this long is suggested as a long press."""
    double_tap_ms: int = Field(default=400, ge=100, le=2_000)
    """Two presses within this time are suggested as a double tap."""
    chord_ms: int = Field(default=50, ge=10, le=500)
    """Notes that start within this time are suggested as a chord."""


class VoiceSettings(Value):
    """How speech is recognised while a `PushToTalk` control or the microphone button of the chat is held."""

    names: bool = True
    """Whether the names of mappings and modes are recognised, on this computer. They are read as English."""
    act_at_once: bool = False
    """Whether a recognised name acts at once. Off: it becomes a plan in the chat, which you apply."""
    transcription: Literal["off", "provider", "server"] = "off"
    """What turns other speech into text. `provider`: a model provider, which receives the recording.
    `server`: the server in `server`."""
    provider: str | None = Field(default=None, min_length=1, max_length=200)
    """The name of the provider that transcribes. Left out: the first one that can."""
    server: str = Field(default="", max_length=500)
    """The address of a server with OpenAI's transcription API, such as `http://127.0.0.1:8000/v1`."""
    model: str = Field(default="whisper-1", min_length=1, max_length=200)
    """The model that transcribes, as the provider or the server names it."""
    language: str = Field(default="", pattern=r"^([a-z]{2,3})?$")
    """The language that you speak, such as `de`. Empty: the model finds out."""
    send: bool = True
    """Whether what was heard is sent to the assistant at once. Off: it waits in the message field."""
    microphone: str = Field(default="", max_length=200, json_schema_extra={"format": "microphone"})
    """The name of the microphone, or a part of it. Empty: the default microphone of the system."""
    limit_s: float = Field(default=30.0, ge=1, le=120)
    """The longest recording, in seconds; then the microphone is closed even if the control is still held."""

    @field_validator("server")
    @classmethod
    def _require_http(cls, given: str) -> str:
        if given and not _SERVER_URL.fullmatch(given):
            raise ValueError(
                "expected an address such as http://127.0.0.1:8000/v1, without user or password"
            )
        return given


_CONTROL = re.compile(
    r"(note|cc|nrpn|rpn|program_change|pitch_bend|channel_pressure|poly_pressure|button|axis|gamepad_trigger|osc)"
    r" \S{1,200}( ch ([1-9]|1[0-6]))?"
)
"""The message of a control: its kind, its number and, if needed, its channel, as in `cc 20 ch 1`."""
_OWN_NAME = re.compile(r"(?! )[^\x00-\x1f\x7f]{1,40}(?<! )")


class Settings(Value):
    engine: EngineSettings = EngineSettings()
    """How input is read and how actions are performed."""
    ui: UiSettings = UiSettings()
    """Settings of the window."""
    learn: LearnSettings = LearnSettings()
    """Settings of MIDI Learn."""
    voice: VoiceSettings = VoiceSettings()
    """Push-to-talk: how speech is recognised."""
    names: dict[str, dict[str, str]] = Field(default_factory=dict[str, dict[str, str]])
    """Your own names for controls, by the alias of their device (`virtual`: the built-in controller)
    and by their message: `[settings.names.pads]` with `"note 41" = "Kick"`."""

    @field_validator("names", mode="after")
    @classmethod
    def _require_usable_names(cls, given: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
        for device, names in given.items():
            seen: dict[str, str] = {}
            for control, name in names.items():
                if not _CONTROL.fullmatch(control):
                    raise ValueError(
                        f"`{control[:60]}` is no control; write what it sends: `note 41`, `cc 20 ch 1`"
                    )
                if not _OWN_NAME.fullmatch(name):
                    raise ValueError(
                        f"`{control}` of `{device}` needs a name of 1 to 40 visible characters"
                    )
                other = seen.setdefault(name.casefold(), control)
                if other != control:
                    raise ValueError(
                        f"`{other}` and `{control}` of `{device}` are both called `{name}`; "
                        "give one of them another name"
                    )
        # A table without keys is not written, so the config would differ from its text.
        return {device: names for device, names in given.items() if names}


ProviderKind = Literal["anthropic", "openai", "google", "openrouter", "litellm", "custom"]
"""The API of a provider; `custom` is any server with OpenAI's chat completions."""


class LlmProvider(Value):
    """A model provider. Keys are never written here."""

    kind: ProviderKind | None = None
    """The provider's API. Left out: that of the provider with this name, or `custom` for another name."""
    enabled: bool = True
    """Whether the provider may be used."""
    api_key_env: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """The environment variable that holds the key. Left out: the keychain."""
    base_url: str | None = Field(default=None, pattern=r"^https?://[^\s@]+$", max_length=500)
    """The address of the service. Left out: the provider's own."""
    model: str | None = Field(default=None, min_length=1, max_length=200)
    """The name that the provider gives to the model."""
    max_tokens: int | None = Field(default=None, ge=1)
    """The maximum length of an answer, in tokens."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """The sampling temperature; not sent to models without one."""
    context_tokens: int | None = Field(default=None, ge=1_000)
    """The context window of the model, if neither the provider nor the built-in table knows it."""
    tools: bool | None = None
    """Whether the model can call tools. Left out: as reported by the provider or the built-in table."""
    streaming: bool | None = None
    """Whether answers are streamed. Left out: as the built-in table says."""
    requests_per_minute: int | None = Field(default=None, ge=1, le=100_000)
    """How many requests are sent to the provider per minute. Left out: 60; no limit in the local network."""


class LlmBudget(Value):
    """Limits for the cost of the chat."""

    warn_usd_per_day: float = Field(default=1.0, ge=0)
    """The cost per day above which the chat warns once. 0: never."""
    stop_usd_per_day: float | None = Field(default=None, gt=0)
    """The cost per day above which no request is made. Left out: no limit."""
    stop_usd_per_conversation: float | None = Field(default=None, gt=0)
    """The cost above which a conversation makes no more requests. Left out: no limit."""


class LlmMcp(Value):
    """The MCP server for outside agents."""

    enabled: bool = True
    """Whether outside agents are served. Off: they are refused; the `conductor` commands keep working."""
    socket_path: str | None = None
    """The path of the socket. Left out: `mcp.sock` in the home folder."""
    http_enabled: bool = False
    """Whether HTTP is open too, on this computer only."""
    http_port: int = Field(default=8765, ge=1, le=65_535)
    """The TCP port for HTTP."""
    auth_token_env: str | None = None
    """The environment variable that holds the token for HTTP."""
    remote_enabled: bool = False
    """Whether agents on other computers can ask for access. You decide about each of them in the window or at
    a terminal, and connections are encrypted."""
    remote_address: str = Field(default="", max_length=300)
    """The address by which agents reach this computer, such as `https://studio.example:8767`.
    Empty: the name of this computer, and `remote_port`."""
    remote_host: str = Field(default="0.0.0.0", max_length=45)  # noqa: S104 -- closed by default, and only with TLS
    """The IP address of this computer on which agents are served. `0.0.0.0`: all its addresses."""
    remote_port: int = Field(default=8767, ge=1, le=65_535)
    """The TCP port for agents on other computers."""
    remote_tls: bool = True
    """Whether Conductor encrypts these connections itself. Off: only behind a program on this computer that
    does, such as Caddy; `remote_host` must then be `127.0.0.1`."""
    remote_certificate: str = Field(default="", max_length=1_000)
    """The file with the certificate of `remote_address`, in PEM format. Empty: Conductor makes one."""
    remote_certificate_key: str = Field(default="", max_length=1_000)
    """The file with the private key of the certificate, in PEM format without a password."""
    approval: Literal["elicit_or_gui", "gui"] = "gui"
    """Who may approve a change: the window or a terminal only, or also a form in one of `form_clients`."""
    form_clients: tuple[str, ...] = ()
    """Clients whose own forms may approve harmless changes, each as `name at /path/of/its/program`. A client
    can answer its form without you, so list only clients that you trust with your mappings.
    """
    read_only: bool = False
    """Whether only tools that change nothing are offered."""
    allowed_tools: tuple[str, ...] | None = None
    """The only tools that are offered. Left out: all."""
    denied_tools: tuple[str, ...] = ()
    """Tools that are never offered."""
    toolsets: tuple[str, ...] | None = None
    """The only groups of tools that are offered. Left out: all."""

    @field_validator("remote_address")
    @classmethod
    def _require_remote_address(cls, given: str) -> str:
        address = given.lower()
        if not address:
            return address
        parts = _REMOTE_ADDRESS.fullmatch(address)
        if parts is None:
            raise ValueError(
                "expected https:// and a name, perhaps with a port, and nothing else, such as"
                " https://studio.example:8767"
            )
        host, port = parts["host"], parts["port"]
        if port is not None and not 1 <= int(port) <= _MAX_PORT:
            raise ValueError(f"the port {port} does not exist; expected 1 to {_MAX_PORT}")
        if not _is_host(host):
            raise ValueError(
                f"{host} is no host name and no IP address; expected one such as studio.example,"
                " 192.168.1.20 or [2001:db8::1]"
            )
        return address

    @field_validator("remote_host")
    @classmethod
    def _require_ip_address(cls, given: str) -> str:
        try:
            return str(ip_address(given))
        except ValueError:
            raise ValueError(
                "expected an IP address of this computer, such as 192.168.1.20; 0.0.0.0 for all of them"
            ) from None

    def allows_approval_form(self, client: str | None, program: str | None) -> bool:
        """Return whether the user has listed this client, with this name and this program."""
        is_named = f"{client} at {program}" in self.form_clients
        return self.approval == "elicit_or_gui" and bool(client and program) and is_named


class LlmChat(Value):
    """Limits for the assistant in the chat. Those of `llm.mcp` are for outside agents only."""

    read_only: bool = False
    """Whether the assistant has only tools that change nothing."""
    allowed_tools: tuple[str, ...] | None = None
    """The only tools that the assistant has. Left out: all."""
    denied_tools: tuple[str, ...] = ()
    """Tools that the assistant never has."""
    toolsets: tuple[str, ...] | None = None
    """The only groups of tools that the assistant has. Left out: all."""


ToolRules = LlmMcp | LlmChat
"""The rules that say which tools a model may call."""


class LlmA2a(Value):
    """The A2A server for other agents."""

    enabled: bool = False
    """Whether other agents on this computer may give Conductor tasks over A2A."""
    http_port: int = Field(default=8766, ge=1, le=65_535)
    """The TCP port for A2A."""
    agent_name: str = Field(default="Conductor MIDI Mapper", min_length=1, max_length=100)
    """The name under which Conductor is announced to other agents."""


class LlmSettings(Value):
    enabled: bool = True
    """Whether the chat may call a model."""
    default_provider: str | None = None
    """The provider that a new conversation uses."""
    providers: dict[str, LlmProvider] = Field(default_factory=dict[str, LlmProvider])
    """The providers of models, by name."""
    failover: tuple[str, ...] = ()
    """The providers to try, in this order, when the chosen provider fails."""
    max_steps: int = Field(default=12, ge=1, le=100)
    """The number of requests after which an answer pauses and the chat asks whether to continue."""
    budget: LlmBudget = LlmBudget()
    """Limits for the cost of the chat."""
    chat: LlmChat = LlmChat()
    """Limits for the assistant in the chat."""
    mcp: LlmMcp = LlmMcp()
    """The MCP server for outside agents."""
    a2a: LlmA2a = LlmA2a()
    """The A2A server for other agents."""


class KnowledgeProvider(Value):
    """Changes the search for the models of a kind of provider, because models differ in what they know."""

    relevance_threshold: float | None = Field(default=None, ge=0, le=1)
    """The lowest probability at which texts are added to a message, because they may help: 0 is always, 1 is
    never. Left out: 0.35, or 0.25 for `litellm` and `custom`; with a technical term, 0.15 or 0.1 is enough."""
    max_chunks: int | None = Field(default=None, ge=0, le=20)
    """The most texts that a message gets. Left out: 5, or 7 for `litellm` and `custom`. 0: none."""
    max_tokens: int | None = Field(default=None, ge=0, le=8_000)
    """The most tokens of texts that a message gets. Left out: 1,500."""
    boosts: dict[str, Annotated[float, Field(ge=0.8, le=1.3)]] | None = None
    """Factors of texts by the beginning of their ids, such as `osc` or `midi/midi1-sysex`. They replace the
    built-in ones."""


class KnowledgeSettings(Value):
    enabled: bool = True
    """Whether the reference texts may be searched."""
    community: bool = False
    """Whether texts by other users are searched too. Also needs the address of a Hub."""
    hub: str = Field(default="", max_length=500)
    """The address of the Conductor Hub that has them, such as `https://hub.example.org`.
    Empty: nothing is sent."""
    store: Literal["auto", "exact"] = "auto"
    """The vector search. `auto`: chromadb once it is ready, in its own process. `exact`: every vector is
    compared, and chromadb is never started."""
    disabled_sources: tuple[str, ...] = ()
    """The names of sources that are not searched."""
    providers: dict[ProviderKind, KnowledgeProvider] = Field(
        default_factory=dict[ProviderKind, KnowledgeProvider]
    )
    """Changes of the search, by kind of provider."""

    @field_validator("hub")
    @classmethod
    def _require_address(cls, given: str) -> str:
        if given and not _HUB_URL.fullmatch(given):
            raise ValueError(
                "expected https:// and a name, without user, password, ? or #, such as"
                " https://hub.example.org; http:// only for this computer: http://127.0.0.1:8080"
            )
        return given


class SkillTiers(Value):
    """Which kinds of abilities the assistant may use."""

    core: bool = True
    """Tools that need no access: calculator, notes, tasks, memory."""
    enhanced: bool = True
    """Tools that need more of this computer: files of folders that you grant, code in a sandbox."""
    network: bool = False
    """Tools that use the internet: web search, web pages."""
    integration: bool = False
    """Tools of other programs and services: tools of MCP servers."""


class SkillsSettings(Value):
    enabled: tuple[str, ...] | None = None
    """The only Agent Skills that are used. Left out: all."""
    disabled: tuple[str, ...] = ()
    """Agent Skills that are never used."""
    tiers: SkillTiers = SkillTiers()
    """Which kinds of abilities the assistant may use."""
    tools: dict[str, bool] = Field(default_factory=dict[str, bool])
    """Single abilities that are on or off regardless of their tier, such as `calculator`, `mcp:time:now`."""
    servers: tuple[str, ...] = ()
    """The MCP servers of `mcp.json` that may be started, by name."""
    folders: tuple[str, ...] = ()
    """The folders whose files the assistant may read."""
    search_url: str = Field(default="", max_length=500)
    """The address of a SearXNG server for web search. Empty: public search engines."""

    @field_validator("enabled", mode="before")
    @classmethod
    def _convert_true_to_none(cls, raw: Any) -> Any:
        return None if raw is True else raw
