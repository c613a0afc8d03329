"""Settings: everything in `[settings]`, `[llm]`, `[knowledge]` and `[skills]`."""

from typing import Any, Literal

from pydantic import Field, field_validator

from conductor.domain.value import Value


class EngineSettings(Value):
    """How controls are read and actions are done."""

    cmd_key: Literal["auto", "ctrl", "super", "alt", "cmd"] = "auto"
    """What `cmd` presses. `auto`: Command on macOS, Ctrl elsewhere."""
    allow_shell: bool = False
    """Whether Shell actions may run. Off, they fail and say so."""
    start_mode: str | None = None
    """The mode at start. Left out: the first."""
    open_inputs: Literal["all", "configured"] = "all"
    """Which MIDI inputs are opened: all, or only those with an alias."""
    virtual_input: str | None = "Conductor In"
    """A MIDI input of our own that other programs can send to, where the system has such ports."""
    virtual_output: str | None = "Conductor Out"
    """A MIDI output of our own that other programs can listen to."""
    osc_port: int | None = Field(default=None, ge=1, le=65_535)
    """The UDP port that OSC is received on. Left out: none."""
    osc_host: str = "127.0.0.1"
    """The address that OSC is received on."""
    gamepads: bool = True
    """Whether gamepads are read."""
    virtual_controller: Literal["auto", "on", "off"] = "auto"
    """The built-in controller. `auto`: when no device is plugged in."""
    action_timeout_s: float = Field(default=30.0, gt=0, le=600)
    """The longest an action on a worker may take."""
    history_minutes: int = Field(default=20, ge=1, le=240)
    """How long what was played is kept, for replays."""


class UiSettings(Value):
    """The window."""

    theme: Literal["system", "dark", "light"] = "system"
    close_to_tray: bool = True
    start_at_login: bool = False
    note_names: Literal["C3", "C4"] = "C3"
    """What middle C (note 60) is called."""


class LearnSettings(Value):
    """MIDI Learn."""

    timeout_ms: int = Field(default=30_000, ge=1_000, le=600_000)
    long_press_ms: int = Field(default=500, ge=100, le=10_000)
    """A press held this long is suggested as a long press."""
    double_tap_ms: int = Field(default=400, ge=100, le=2_000)
    """Two presses this close are suggested as a double tap."""
    chord_ms: int = Field(default=50, ge=10, le=500)
    """Notes this close are suggested as a chord."""


class Settings(Value):
    engine: EngineSettings = EngineSettings()
    ui: UiSettings = UiSettings()
    learn: LearnSettings = LearnSettings()


class LlmProvider(Value):
    """One model provider. Keys are never written here."""

    api_key_env: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """The environment variable that holds the key. Left out: the keychain."""
    base_url: str | None = None
    model: str | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)


class LlmMcp(Value):
    """The door for outside agents."""

    enabled: bool = True
    socket_path: str | None = None
    """Left out: `mcp.sock` in the home folder."""
    http_enabled: bool = False
    http_port: int = Field(default=8765, ge=1, le=65_535)
    auth_token_env: str | None = None
    approval: Literal["elicit_or_gui", "gui"] = "elicit_or_gui"
    read_only: bool = False
    allowed_tools: tuple[str, ...] | None = None
    denied_tools: tuple[str, ...] = ()
    toolsets: tuple[str, ...] | None = None


class LlmA2a(Value):
    enabled: bool = False
    agent_name: str = "Conductor MIDI Mapper"


class LlmSettings(Value):
    enabled: bool = True
    default_provider: str | None = None
    providers: dict[str, LlmProvider] = Field(default_factory=dict[str, LlmProvider])
    mcp: LlmMcp = LlmMcp()
    a2a: LlmA2a = LlmA2a()


class KnowledgeSettings(Value):
    enabled: bool = True
    community: bool = False
    disabled_sources: tuple[str, ...] = ()


class SkillsSettings(Value):
    enabled: tuple[str, ...] | None = None
    disabled: tuple[str, ...] = ()

    @field_validator("enabled", mode="before")
    @classmethod
    def _all(cls, raw: Any) -> Any:
        return None if raw is True else raw
