"""Generates the page of the reference about the tools that agents can call."""

from conductor.tools.catalog import REGISTRY
from conductor.tools.registry import Tool

TOOLS_PAGE_INTRODUCTION = (
    "The tools that agents can call over the socket, through `conductor mcp` and over HTTP. `tier` is what a "
    "tool needs: `core` needs nothing but Conductor. `risk` is what a tool can do, and decides which "
    "objects the tool receives:"
)
RISK_TABLE = """\
| risk | allows |
|---|---|
| `read_only` | reading |
| `stateful` | changing the running state, nothing that is saved |
| `config_change` | proposing a config change: returns a plan and changes nothing |
| `privileged` | proposing a change that only the user can approve, in the window or at a terminal |
| `hardware_io` | sending to outputs |
| `request` | applying a plan that the user has approved |"""
APPROVAL_NOTE = (
    "If `approval` is yes, a call takes effect only after the user has approved it. If it is `in the chat`, "
    "only calls of the chat's model need approval. "
    "`conductor tools list --json` prints the same list with the schemas of the parameters."
)
TOOL_TABLE_HEADER = (
    "tool",
    "title",
    "tier",
    "risk",
    "approval",
    "on by default",
    "toolset",
    "what it does",
)


def render_tools() -> list[str]:
    """Return the paragraphs of the reference page, with one table row for each tool."""
    by_toolset = sorted(REGISTRY.list_tools(), key=lambda tool: (tool.toolset, tool.name))
    rows = [
        _format_row(TOOL_TABLE_HEADER),
        _format_row(("---",) * len(TOOL_TABLE_HEADER)),
        *map(_render_tool, by_toolset),
    ]
    return [TOOLS_PAGE_INTRODUCTION, RISK_TABLE, APPROVAL_NOTE, "\n".join(rows)]


def _render_tool(tool: Tool) -> str:
    names = ", ".join(f"`{name}`" for name in (tool.name, *tool.aliases))
    levels = (tool.skill_tier, tool.tier)
    flags = (_format_approval(tool), _format_yes_no(tool.default_enabled))
    return _format_row(
        (names, tool.title, *levels, *flags, tool.toolset, tool.description.replace("|", "\\|"))
    )


def _format_approval(tool: Tool) -> str:
    return "in the chat" if tool.asks_in_chat else _format_yes_no(tool.requires_approval)


def _format_yes_no(value: bool) -> str:  # noqa: FBT001
    return "yes" if value else "no"


def _format_row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
