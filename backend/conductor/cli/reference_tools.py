"""The reference page of the tools that agents can call."""

from conductor.tools.catalog import REGISTRY
from conductor.tools.registry import Tool

INTRO = (
    "What agents can call: over the socket, through `conductor mcp` and over HTTP. `tier` is what a tool "
    "needs from the world: `core` needs nothing but Conductor. `risk` is what it may do, and decides "
    "what it is handed:"
)
RISKS = """\
| risk | may |
|---|---|
| `read_only` | look |
| `stateful` | change what runs, nothing that is saved |
| `config_change` | propose a change of the config: it gives a plan and changes nothing |
| `privileged` | propose what only the window or a terminal can approve |
| `hardware_io` | send to outputs |
| `request` | have a plan applied that the user has approved |"""
AFTER = (
    "Where `approval` says yes, nothing comes of it before the user has agreed; where it says in the chat, "
    "the chat's own model waits for the user, and other programs do not. "
    "`conductor tools list --json` gives the same with the schemas of the parameters."
)
HEAD = ("tool", "tier", "risk", "approval", "on by default", "toolset", "what it does")


def tools() -> list[str]:
    """Return the paragraphs of the page."""
    by_toolset = sorted(REGISTRY.all(), key=lambda tool: (tool.toolset, tool.name))
    rows = [_line(HEAD), _line(("---",) * len(HEAD)), *map(_row, by_toolset)]
    return [INTRO, RISKS, AFTER, "\n".join(rows)]


def _row(tool: Tool) -> str:
    names = ", ".join(f"`{name}`" for name in (tool.name, *tool.aliases))
    kinds = (tool.skill_tier, tool.tier)
    says = (_approval(tool), _yes(tool.default_enabled))
    return _line((names, *kinds, *says, tool.toolset, tool.description.replace("|", "\\|")))


def _approval(tool: Tool) -> str:
    return "in the chat" if tool.asks_in_chat else _yes(tool.requires_approval)


def _yes(value: bool) -> str:  # noqa: FBT001
    return "yes" if value else "no"


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
