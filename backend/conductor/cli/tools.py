"""`conductor tools`: lists the tools that agents can call, or calls one of them."""

import argparse
import json

from conductor.cli.client import SocketClient, encode_text
from conductor.errors import InvalidParams


def run(args: argparse.Namespace) -> int:
    """List the tools that agents can call, or call one of them and print its result. Return the exit code."""
    return _list_tools(args) if args.verb == "list" else _call_tool(args)


def _list_tools(args: argparse.Namespace) -> int:
    from conductor.tools.catalog import REGISTRY

    tools = REGISTRY.list_tools()
    if args.json:
        rows = [
            {**tool.build_manifest_entry(), **tool.build_risk(), "toolset": tool.toolset}
            for tool in tools
        ]
        print(json.dumps(rows))
        return 0
    for tool in tools:
        print(f"{tool.name:<34} {tool.tier:<14} {tool.toolset:<10} {tool.description}")
    return 0


def _call_tool(args: argparse.Namespace) -> int:
    try:
        arguments = json.loads(encode_text(args.arguments))
    except RecursionError:
        raise InvalidParams("the arguments are nested too deeply") from None
    except ValueError as error:
        raise InvalidParams(f"the arguments are not JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise InvalidParams('the arguments must be a JSON object, such as \'{"mode": "Default"}\'')
    if ":" in args.name:
        raise InvalidParams(
            f"{args.name[:80]} is a tool of an MCP server and cannot be called from the command line;"
            " use it in a `Plugin` action, or ask the assistant"
        )
    print(json.dumps(SocketClient(timeout_s=60).call_method(args.name, **arguments), indent=2))
    return 0
