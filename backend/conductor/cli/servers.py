"""`conductor servers`: manages the MCP servers whose tools the assistant and mappings can use."""

import argparse
import getpass
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conductor.base.json_types import JsonObject
from conductor.base.paths import get_home_folder
from conductor.base.suggestions import format_suggestion
from conductor.cli.client import SocketClient
from conductor.cli.server_sign_in import sign_in, sign_out
from conductor.cli.server_text import (
    TEXT_BY_SERVER_STATE,
    format_details,
    format_importable,
    format_status,
    format_tool,
)
from conductor.cli.text import sanitize_line, sanitize_text
from conductor.errors import InvalidParams, NotAllowed, NotAvailable, NotRunning

if TYPE_CHECKING:
    from conductor.mcp.registry.discovery import SettingsSource
    from conductor.mcp.registry.file import ServersFile

SERVER_START_TIMEOUT_S = 180.0
"""The time for starting a server. It is long, because `npx` or `uvx` may have to download the server first."""
NO_CONSENT_NOTE = (
    "{0} stays in mcp.json but does not run without your consent: run `conductor servers start {0}`"
    " or use the window. To remove it, run `conductor servers remove {0}`."
)
SERVER_STARTING_NOTE = (
    "Starting {0}. This usually takes seconds, or a minute if it must be downloaded first;"
    " `conductor servers log {0}` shows its output."
)
CONSENT_NOTE = (
    "It does not run without your consent: run `conductor servers start {0}`, or use the window."
)
NEEDS_TERMINAL_MESSAGE = (
    "changing which programs run needs you at a terminal;"
    " run this command in a terminal, or use Settings > MCP servers"
)


def run(args: argparse.Namespace) -> int:
    """Run one of the `servers` commands. Return the exit code.

    Without a running Conductor, servers can be listed, added, imported and removed.
    """
    read_commands = {"list": _list_servers, "log": _print_log}
    if args.verb in read_commands:
        return read_commands[args.verb](args)
    if args.verb == "tools" and not (args.on or args.off or args.accept):
        return _list_tools(args)
    if args.verb == "import" and not args.names and not args.all:
        return _list_importable(args)
    if not sys.stdin.isatty():
        raise NotAllowed(NEEDS_TERMINAL_MESSAGE)
    commands = {
        "sign-in": sign_in,
        "sign-out": sign_out,
        "add": _add_server,
        "import": _import_servers,
        "remove": _remove_server,
        "start": _start_server,
        "stop": _stop_or_disable,
        "restart": _start_server,
        "test": _test_server,
        "enable": _enable_server,
        "disable": _stop_or_disable,
        "tools": _enable_or_disable_tools,
    }
    return commands[args.verb](args)


def _list_servers(args: argparse.Namespace) -> int:
    client = _connect_or_none()
    listing = (
        _read_file_listing() if client is None else client.call_method("terminal.servers.list")
    )
    if args.json:
        print(json.dumps(listing))
        return 0
    if listing["problem"]:
        print(sanitize_line(f"{listing['problem']}"))
    for server in listing["servers"]:
        print("\n".join(format_status(server)))
    if not listing["servers"] and not listing["problem"]:
        print(sanitize_line(f"No MCP servers ({listing['path']})."))
    return 0


def _read_file_listing() -> JsonObject:
    """Return the servers in `mcp.json`, for when Conductor is not running."""
    from conductor.domain.settings import SkillsSettings
    from conductor.mcp.registry.views import ServerStatus, build_server_view, check_consent

    file, settings = _open_servers_file(), SkillsSettings()
    content = file.read_servers()
    views = [
        build_server_view(
            entry, ServerStatus(True, None, False, None, None, settings, check_consent(entry))
        )
        for entry in content.servers.values()
    ]
    rows = [view.model_dump(mode="json") for view in views]
    for row in rows:
        row["state"] = "failed" if row["problem"] else "off"
    return {"servers": rows, "path": str(file.path), "problem": content.problem}


def _print_log(args: argparse.Namespace) -> int:
    for line in SocketClient().call_method("terminal.servers.log", name=args.name)["lines"]:
        print(sanitize_line(line))
    return 0


def _list_tools(args: argparse.Namespace) -> int:
    server = _fetch_server(SocketClient(), args.name)
    if args.json:
        print(json.dumps(server["tools"]))
        return 0
    for tool in server["tools"]:
        print("\n".join(format_tool(tool)))
    if not server["tools"]:
        state = TEXT_BY_SERVER_STATE[server["state"]].format(args.name)
        print(sanitize_line(f"No tools are known. {args.name}: {state}."))
    return 0


def _enable_or_disable_tools(args: argparse.Namespace) -> int:
    client = SocketClient()
    for tool, on in [*((name, True) for name in args.on), *((name, False) for name in args.off)]:
        client.call_method("terminal.servers.tool", server=args.name, tool=tool, enabled=on)
        print(sanitize_line(f"{tool} is {'on' if on else 'off'}"))
    for name in args.accept:
        tools = {tool["name"]: tool for tool in _fetch_server(client, args.name)["tools"]}
        if name not in tools:
            hint = format_suggestion(name, list(tools)) or ", or is not running"
            raise InvalidParams(f"{args.name} has no tool {name[:80]}{hint}")
        print("\n".join(format_tool(tools[name])))
        if not _ask_yes_no("Accept this tool in its current form?"):
            print(sanitize_line(f"{name} was not accepted and stays off."))
            return 1
        digest = tools[name]["digest"]
        client.call_method("terminal.servers.accept", server=args.name, tool=name, digest=digest)
    return 0


def _add_server(args: argparse.Namespace) -> int:
    entry = _build_entry(args)
    client = _connect_or_none()
    if client is not None:
        server = client.call_method("terminal.servers.add", name=args.name, entry=entry)
        return _ask_consent_and_start(client, server["name"])
    from conductor.mcp.registry.entry import build_server_name

    name = build_server_name(args.name)
    for note in _save_server_entry(_open_servers_file(), name, entry):
        print(sanitize_line(note))
    print(sanitize_line(f"Added {name}. {CONSENT_NOTE.format(name)}"))
    return 0


def _build_entry(args: argparse.Namespace) -> JsonObject:
    """Return the entry for `mcp.json` that the arguments of `servers add` describe."""
    command: list[str] = args.command_line
    if (args.url is None) == (not command):
        raise InvalidParams("pass either a command after `--`, or an address with --url")
    if args.url is not None:
        headers = _parse_name_value_pairs(args.header, ":")
        return {"type": "http", "url": args.url, **({"headers": headers} if headers else {})}
    env, cwd = _parse_name_value_pairs(args.env, "="), {"cwd": str(args.cwd)} if args.cwd else {}
    return {"command": command[0], "args": command[1:], **cwd, **({"env": env} if env else {})}


def _parse_name_value_pairs(options: list[str], separator: str) -> dict[str, str]:
    """Parse options of the form NAME=VALUE.

    For a NAME without a value, the user is asked for the value, which keeps secrets out of the history of
    the shell.
    """
    pairs: dict[str, str] = {}
    for option in options:
        name, has_value, value = option.partition(separator)
        pairs[name.strip()] = value.strip() if has_value else getpass.getpass(f"{name}: ")
    return pairs


def _list_importable(args: argparse.Namespace) -> int:
    sources = _list_import_sources(args)
    if args.json:
        print(json.dumps({"sources": sources}))
        return 0
    for source in sources:
        print("\n".join(format_importable(source)))
    if not sources:
        print("No other program with MCP servers was found; you can name a file instead.")
    return 0


def _list_import_sources(args: argparse.Namespace) -> list[JsonObject]:
    from conductor.mcp.registry.discovery import find_settings_sources
    from conductor.mcp.registry.views import build_importable_server

    found = [_find_import_source(args)] if args.client else find_settings_sources()
    existing = _open_servers_file().read_servers().servers
    return [
        {
            "client": source.client,
            "title": source.title,
            "path": str(source.path),
            "problem": source.problem,
            "servers": [
                build_importable_server(
                    row.name, row.raw, row.notes, existing.get(row.name)
                ).model_dump()
                for row in source.servers
            ],
        }
        for source in found
    ]


def _find_import_source(args: argparse.Namespace) -> "SettingsSource":
    """Return the MCP servers of the program or file that the user named.

    Raises:
        NotAvailable: The program or file is missing or cannot be read.
    """
    from conductor.mcp.registry.discovery import (
        FILE_CLIENT_NAME,
        TITLE_BY_CLIENT,
        find_settings_path,
        read_settings_source,
    )

    client: str = args.client
    if client in TITLE_BY_CLIENT:
        found = read_settings_source(client, find_settings_path(client))
        hint = "name a file instead, or run `conductor servers import` to list other programs"
    else:
        found = read_settings_source(FILE_CLIENT_NAME, Path(client).expanduser().absolute())
        hint = f"check the path, or name a program: {', '.join(TITLE_BY_CLIENT)}"
    if found.problem is not None:
        raise NotAvailable(f"{found.problem}; {hint}")
    return found


def _import_servers(args: argparse.Namespace) -> int:
    if not args.client:
        raise InvalidParams("name the program or file to import from")
    source = _find_import_source(args)
    names = [server.name for server in source.servers] if args.all else list[str](args.names)
    client = _connect_or_none()
    if client is None:
        return _import_into_file(source, names, args)
    imported = client.call_method(
        "terminal.servers.import",
        client=source.client,
        path=str(source.path),
        names=names,
        replace=args.replace,
    )
    for note in imported["notes"]:
        print(sanitize_line(note))
    return max((_ask_consent_and_start(client, name) for name in imported["names"]), default=1)


def _import_into_file(source: "SettingsSource", names: list[str], args: argparse.Namespace) -> int:
    from conductor.mcp.registry.importer import import_server_entries

    imported, notes = import_server_entries(
        _open_servers_file(), source, names, _open_key_store(), replace=args.replace
    )
    for note in notes:
        print(sanitize_line(note))
    for name in imported:
        print(sanitize_line(f"Added {name}. {CONSENT_NOTE.format(name)}"))
    return 0 if imported else 1


def _remove_server(args: argparse.Namespace) -> int:
    client = _connect_or_none()
    if client is None:
        from conductor.mcp.registry.importer import remove_server_entry

        remove_server_entry(_open_servers_file(), args.name, _open_key_store())
    else:
        client.call_method("terminal.servers.remove", name=args.name)
    print(sanitize_line(f"Removed {args.name}."))
    return 0


def _start_server(args: argparse.Namespace) -> int:
    client = SocketClient()
    server = _fetch_server(client, args.name)
    if not server["consented"] and not _ask_consent(client, server):
        return 1
    return _start_and_wait(client, f"terminal.servers.{args.verb}", args.name)


def _enable_server(args: argparse.Namespace) -> int:
    client = SocketClient()
    client.call_method("terminal.servers.enable", name=args.name)
    return _ask_consent_and_start(client, args.name)


def _stop_or_disable(args: argparse.Namespace) -> int:
    """Stop or disable a server, which needs no consent, and print its status. Return the exit code."""
    server = SocketClient().call_method(f"terminal.servers.{args.verb}", name=args.name)
    print("\n".join(format_status(server)))
    return 0


def _test_server(args: argparse.Namespace) -> int:
    client = SocketClient()
    server = _fetch_server(client, args.name)
    if not server["consented"] and not _ask_consent(client, server):
        return 1
    client.set_timeout(SERVER_START_TIMEOUT_S)
    tested = client.call_method("terminal.servers.test", name=args.name)
    print(sanitize_text(f"{tested['words']} ({tested['took_ms']:.0f} ms)"))
    for tool in tested["server"]["tools"]:
        print("\n".join(format_tool(tool)))
    return 0 if tested["ok"] else 1


def _ask_consent_and_start(client: SocketClient, name: str) -> int:
    """Ask the user to consent to a new server, start it, and wait until it is ready. Return the exit code.

    If the user has already consented, only the status is printed.
    """
    server = _fetch_server(client, name)
    if server["consented"]:
        print("\n".join(format_status(server)))
        return 0
    if not _ask_consent(client, server):
        return 1
    return _start_and_wait(client, "terminal.servers.start", name)


def _ask_consent(client: SocketClient, server: JsonObject) -> bool:
    print("\n".join(format_details(server)))
    is_program = server["transport"] == "stdio"
    action = "run this program as you" if is_program else "connect to this address"
    has_consent = False
    try:
        has_consent = not server["problem"] and _ask_yes_no(f"Allow Conductor to {action}?")
    finally:  # the note is printed even if Ctrl+C ends the command
        if not has_consent:
            print(sanitize_line(NO_CONSENT_NOTE.format(server["name"])))
    if not has_consent:
        return False
    client.call_method("terminal.servers.consent", name=server["name"], digest=server["digest"])
    return True


def _start_and_wait(client: SocketClient, method: str, name: str) -> int:
    """Start a server with the given method, wait until it is ready, and print its status.

    Return the exit code.
    """
    client.set_timeout(SERVER_START_TIMEOUT_S)
    print(sanitize_line(SERVER_STARTING_NOTE.format(name)), flush=True)
    server = client.call_method(method, name=name)
    print("\n".join(format_status(server)))
    return 0 if server["state"] in ("ready", "starting") else 1


def _ask_yes_no(question: str) -> bool:
    try:
        return input(f"{question} Type yes: ").strip().lower() == "yes"
    except EOFError:
        print()
        return False
    except KeyboardInterrupt:
        print()
        raise


def _fetch_server(client: SocketClient, name: str) -> JsonObject:
    servers = client.call_method("terminal.servers.list")["servers"]
    server = next((server for server in servers if server["name"] == name), None)
    if server is None:
        names = ", ".join(server["name"] for server in servers)
        hint = f"the servers are {names}" if names else "no server has been added"
        raise InvalidParams(f"there is no MCP server called {name[:60]!r}; {hint}")
    return server


def _connect_or_none() -> SocketClient | None:
    try:
        return SocketClient()
    except NotRunning:
        return None


def _open_servers_file() -> "ServersFile":
    from conductor.mcp.registry.file import SERVERS_FILE_NAME, ServersFile

    return ServersFile(get_home_folder() / SERVERS_FILE_NAME)


def _open_key_store() -> Any:
    from conductor.storage.keys import Keys

    return Keys(get_home_folder())


def _save_server_entry(file: "ServersFile", name: str, entry: JsonObject) -> list[str]:
    from conductor.mcp.registry.importer import save_server_entry

    return save_server_entry(file, name, entry, _open_key_store(), is_new=True)
