"""The servers of others that the user can add from a list, with what each of them needs.

Each entry follows the documentation at its `source`. The packages are pinned to the version that was checked,
because an unpinned package could change after the user has consented to it.
"""

import re
import shutil
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from conductor.base.json_types import JsonObject
from conductor.base.suggestions import format_suggestion
from conductor.domain.servers import KnownField, KnownServer
from conductor.errors import InvalidParams

PROGRAM_ADDRESSES = {
    "npx": "https://nodejs.org/en/download",
    "uvx": "https://docs.astral.sh/uv/getting-started/installation/",
}
MAX_VALUE_LENGTH = 4_000
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


class KnownServerTemplate(NamedTuple):
    """A known server, and its entry in `mcp.json` with `{name}` for the value of each field."""

    server: KnownServer
    entry: JsonObject


class KnownServerEntry(NamedTuple):
    """The filled-in entry of a known server, and the names of its variables or headers that are secrets."""

    entry: JsonObject
    secrets: frozenset[str]


TEMPLATES: tuple[KnownServerTemplate, ...] = (
    KnownServerTemplate(
        KnownServer(
            id="files",
            title="Files",
            group="computer",
            summary="Read, search and write files in the folders that you choose.",
            source="https://github.com/modelcontextprotocol/servers/tree/main/src/filesystem",
            program="npx",
            fields=(
                KnownField(
                    name="folders",
                    label="Folders",
                    kind="folders",
                    help="One per line. The server can change everything in them.",
                ),
            ),
        ),
        {
            "command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "{folders}"],
        },
    ),
    KnownServerTemplate(
        KnownServer(
            id="git",
            title="Git",
            group="computer",
            summary="Look at the changes and the history of a repository, and commit.",
            source="https://github.com/modelcontextprotocol/servers/tree/main/src/git",
            program="uvx",
            fields=(KnownField(name="folder", label="Folder of the repository", kind="folder"),),
        ),
        {"command": "uvx", "args": ["mcp-server-git==2026.10.19", "--repository", "{folder}"]},
    ),
    KnownServerTemplate(
        KnownServer(
            id="browser",
            title="Browser",
            group="computer",
            summary="Open pages in a browser of its own, click and fill in forms.",
            source="https://github.com/microsoft/playwright-mcp",
            program="npx",
        ),
        {"command": "npx", "args": ["-y", "@playwright/mcp@0.0.83"]},
    ),
    KnownServerTemplate(
        KnownServer(
            id="time",
            title="Time",
            group="computer",
            summary="Tell the time anywhere, and convert it between time zones.",
            source="https://github.com/modelcontextprotocol/servers/tree/main/src/time",
            program="uvx",
            fields=(
                KnownField(
                    name="zone",
                    label="Your time zone",
                    kind="text",
                    help="Such as `Europe/Berlin`. Leave it empty to use that of this computer.",
                    required=False,
                ),
            ),
        ),
        {"command": "uvx", "args": ["mcp-server-time==2026.10.19", "--local-timezone={zone}"]},
    ),
    KnownServerTemplate(
        KnownServer(
            id="obs",
            title="OBS Studio",
            group="studio",
            summary="Switch scenes, mute sources, and start streams and recordings.",
            source="https://github.com/aaronckj/obs-studio-mcp",
            program="uvx",
            prepare=(
                "In OBS, open Tools > WebSocket Server Settings, switch the server on, and copy its"
                " password."
            ),
            fields=(
                KnownField(name="password", label="WebSocket password", kind="secret"),
                KnownField(
                    name="host",
                    label="Computer with OBS",
                    kind="text",
                    default="127.0.0.1",
                    help="`127.0.0.1` is this computer.",
                ),
                KnownField(name="port", label="Port", kind="text", default="4455"),
            ),
        ),
        {
            "command": "uvx",
            "args": ["obs-studio-mcp==0.5.1"],
            "env": {
                "OBS_MCP_HOST": "{host}",
                "OBS_MCP_PORT": "{port}",
                "OBS_MCP_PASSWORD": "{password}",
            },
        },
    ),
    KnownServerTemplate(
        KnownServer(
            id="ableton",
            title="Ableton Live",
            group="studio",
            summary="Create tracks and clips, load instruments, and start and stop playback.",
            source="https://github.com/ahujasid/ableton-mcp",
            program="uvx",
            prepare=(
                "Run `uvx --from ableton-mcp==1.4.5 ableton-mcp-install-script`, and choose AbletonMCP as a"
                " control surface in Live's settings. The server's reports to its developer are switched off."
            ),
        ),
        {
            "command": "uvx",
            "args": ["ableton-mcp==1.4.5"],
            "env": {"ABLETON_MCP_DISABLE_TELEMETRY": "true"},
        },
    ),
    KnownServerTemplate(
        KnownServer(
            id="spotify",
            title="Spotify",
            group="studio",
            summary="Play, pause and skip, search music, and edit playlists.",
            source="https://github.com/jamiew/spotify-mcp",
            program="uvx",
            prepare=(
                "Spotify Premium is required. Create an app at developer.spotify.com with the redirect address"
                " `127.0.0.1:8888` (http)."
            ),
            fields=(
                KnownField(name="client", label="Client ID", kind="text"),
                KnownField(name="client_secret", label="Client secret", kind="secret"),
            ),
        ),
        {
            "command": "uvx",
            # its code needs Python 3.12 and the MCP library before version 2, which it does not say
            "args": [
                "--python",
                "3.12",
                "--with",
                "mcp<2",
                "--from",
                "git+https://github.com/jamiew/spotify-mcp@d7539a32d73f8cb3724d402147ae673471394282",
                "spotify-mcp",
            ],
            "env": {
                "SPOTIFY_CLIENT_ID": "{client}",
                "SPOTIFY_CLIENT_SECRET": "{client_secret}",
                "SPOTIFY_REDIRECT_URI": "http://127.0.0.1:8888",
            },
        },
    ),
    KnownServerTemplate(
        KnownServer(
            id="home-assistant",
            title="Home Assistant",
            group="home",
            summary="Control the lights and devices that you have exposed to Assist.",
            source="https://www.home-assistant.io/integrations/mcp_server/",
            prepare=(
                "In Home Assistant, add the integration Model Context Protocol Server, and create a long-lived"
                " access token in your profile, under Security."
            ),
            fields=(
                KnownField(
                    name="address",
                    label="Address of Home Assistant",
                    kind="address",
                    default="http://homeassistant.local:8123",
                ),
                KnownField(name="token", label="Long-lived access token", kind="secret"),
            ),
        ),
        {
            "type": "http",
            "url": "{address}/api/mcp",
            "headers": {"Authorization": "Bearer {token}"},
        },
    ),
    KnownServerTemplate(
        KnownServer(
            id="google-calendar",
            title="Google Calendar",
            group="work",
            summary="List, create and change events, and find free time.",
            source="https://github.com/nspady/google-calendar-mcp",
            program="npx",
            prepare=(
                "In the Google Cloud Console, enable the Google Calendar API, create an OAuth client of the"
                " type Desktop app, download its file, and add yourself as a test user. To sign in, let the"
                " assistant call `manage-accounts` afterwards."
            ),
            fields=(
                KnownField(
                    name="file",
                    label="File of the OAuth client",
                    kind="file",
                    help="Such as `/home/me/gcp-oauth.keys.json`.",
                ),
            ),
        ),
        {
            "command": "npx",
            "args": ["-y", "@cocal/google-calendar-mcp@2.6.3"],
            "env": {"GOOGLE_OAUTH_CREDENTIALS": "{file}"},
        },
    ),
    KnownServerTemplate(
        KnownServer(
            id="github",
            title="GitHub",
            group="work",
            summary="Search code, read and write issues and pull requests, and watch workflows.",
            source="https://github.com/github/github-mcp-server",
            prepare="Create a personal access token at github.com/settings/personal-access-tokens.",
            fields=(KnownField(name="token", label="Personal access token", kind="secret"),),
        ),
        {
            "type": "http",
            "url": "https://api.githubcopilot.com/mcp/",
            "headers": {"Authorization": "Bearer {token}"},
        },
    ),
    KnownServerTemplate(
        KnownServer(
            id="notion",
            title="Notion",
            group="work",
            summary="Search, read and write pages and databases.",
            source="https://developers.notion.com/guides/mcp/overview",
            signs_in=True,
        ),
        {"type": "http", "url": "https://mcp.notion.com/mcp"},
    ),
    KnownServerTemplate(
        KnownServer(
            id="todoist",
            title="Todoist",
            group="work",
            summary="Add, find and complete tasks.",
            source="https://github.com/Doist/todoist-mcp",
            signs_in=True,
        ),
        {"type": "http", "url": "https://ai.todoist.net/mcp"},
    ),
    KnownServerTemplate(
        KnownServer(
            id="linear",
            title="Linear",
            group="work",
            summary="Find, create and change issues and projects.",
            source="https://linear.app/docs/mcp",
            signs_in=True,
        ),
        {"type": "http", "url": "https://mcp.linear.app/mcp"},
    ),
)


def list_known_servers(
    find_program: Callable[[str], str | None] = shutil.which,
) -> tuple[KnownServer, ...]:
    """Return all known servers, each with whether its program is installed. This looks at the disk."""
    found = {name: find_program(name) is not None for name in PROGRAM_ADDRESSES}
    return tuple(
        one.server.model_copy(
            update={
                "program_found": one.server.program is None or found[one.server.program],
                "program_address": PROGRAM_ADDRESSES.get(one.server.program or ""),
            }
        )
        for one in TEMPLATES
    )


def build_known_entry(server_id: str, values: Mapping[str, str]) -> KnownServerEntry:
    """Return the entry of a known server with the values that the user has entered.

    Raises:
        InvalidParams: The server is unknown, or a value is missing or invalid.
    """
    template = next((one for one in TEMPLATES if one.server.id == server_id), None)
    if template is None:
        hint = format_suggestion(server_id[:60], [one.server.id for one in TEMPLATES])
        raise InvalidParams(f"there is no known server called {server_id[:60]}{hint}")
    given = {field.name: _read_value(field, values) for field in template.server.fields}
    secret_fields = {field.name for field in template.server.fields if field.kind == "secret"}
    entry = {key: _fill_in(item, given) for key, item in template.entry.items()}
    return KnownServerEntry(entry, _find_secrets(template.entry, secret_fields))


def _read_value(field: KnownField, values: Mapping[str, str]) -> list[str]:
    """Return the value of a field as a list: one text, several for folders, none if it is empty."""
    text = values.get(field.name, field.default).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if field.required and not lines:
        raise InvalidParams(f"{field.label} is missing; enter it")
    if len(text) > MAX_VALUE_LENGTH or (len(lines) > 1 and field.kind != "folders"):
        raise InvalidParams(f"{field.label} is too long, or has more than one line")
    if field.kind == "address" and not re.match(r"https?://[^\s/]+", text):
        raise InvalidParams(f"{field.label} must begin with https:// or http://")
    return [line.rstrip("/") for line in lines] if field.kind == "address" else lines


def _fill_in(item: Any, given: Mapping[str, list[str]]) -> Any:
    """Return a part of an entry with its placeholders filled in, without the parts whose value is empty."""
    match item:
        case list():
            return [text for word in item for text in _fill_in_text(word, given)]
        case dict():
            filled = {key: _fill_in_text(text, given) for key, text in item.items()}
            return {key: texts[0] for key, texts in filled.items() if texts}
        case _:
            return next(iter(_fill_in_text(item, given)))


def _fill_in_text(text: str, given: Mapping[str, list[str]]) -> list[str]:
    found = _PLACEHOLDER.search(text)
    if found is None:
        return [text]
    return [text.replace(found[0], value) for value in given[found[1]]]


def _find_secrets(entry: JsonObject, secret_fields: set[str]) -> frozenset[str]:
    tables = (entry.get(table, {}) for table in ("env", "headers"))
    return frozenset(
        name
        for table in tables
        for name, text in table.items()
        if secret_fields.intersection(_PLACEHOLDER.findall(text))
    )
