"""What the user can do with MCP servers, such as add, start, import and consent.

The window and `conductor servers` both use these operations.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.base.clock import now
from conductor.base.json_types import JsonObject
from conductor.base.suggestions import format_suggestion
from conductor.domain.change_kinds import UpdateSettings
from conductor.domain.plan import Requester
from conductor.domain.servers import (
    ImportResult,
    ImportSource,
    KnownServer,
    ServersView,
    ServerTested,
    ServerView,
)
from conductor.errors import NotAllowed, NotAvailable, StaleConfig
from conductor.mcp.registry.entry import build_server_name
from conductor.mcp.registry.file import require_listed_server
from conductor.mcp.registry.runs import ServerRuns
from conductor.mcp.registry.sign_ins import ServerSignIns
from conductor.mcp.registry.views import build_importable_server

if TYPE_CHECKING:
    from conductor.config.store import ConfigStore
    from conductor.storage.keys import Keys

MAX_COMMIT_ATTEMPTS = 5
"""How often a change is tried if the config is changed elsewhere at the same time."""


class Servers:
    """The user's operations on MCP servers, as `bridge.services.Servers` declares them.

    Use it on the event loop.
    """

    def __init__(
        self,
        runs: ServerRuns,
        store: "ConfigStore",
        keys: "Callable[[], Keys]",
        notify: Callable[[str], None],
    ) -> None:
        self.runs = runs
        self.sign_ins = ServerSignIns(runs)
        self._store = store
        self._keys = keys
        self._notify = notify

    def list_server_views(self) -> list[ServerView]:
        """Return the views of all servers, in the order of `mcp.json`."""
        return [self.runs.build_server_view(one) for one in self.runs.content.servers.values()]

    def explain_missing_tool(self, server: str, tool: str) -> str:
        """Return why a tool of a server cannot be used, and what the user can do about it."""
        listed = self.runs.content.servers.get(server)
        if listed is None and not self.runs.is_known:
            return "MCP servers are not started yet; try again in a moment"
        if listed is None:
            return f"there is no MCP server called {server}; add it in Settings > MCP servers"
        view = self.runs.build_server_view(listed)
        match view.state:
            case "ready":
                return _describe_missing_tool(view, tool)
            case "off":
                why = "is switched off; switch it on"
            case "needs_consent":
                why = "is waiting for your consent"
            case "stopped":
                why = "is stopped; start it"
            case "sign_in":
                why = "requires you to sign in: choose Sign in"
            case "starting":
                return f"the MCP server {server} is still starting; try again in a moment"
            case "failed":
                return f"the MCP server {server} is not running: {view.problem}"
        return f"the MCP server {server} {why}, in Settings > MCP servers"

    async def list_servers(self) -> ServersView:
        """Read `mcp.json` and return the views of all servers."""
        if not self.runs.is_reconciling:
            await self.runs.start_reconciling()
        path, problem = str(self.runs.file.path), self.runs.problem
        return ServersView(servers=tuple(self.list_server_views()), path=path, problem=problem)

    async def list_known_servers(self) -> Sequence[KnownServer]:
        """Return the servers of others that the user can add from a list."""
        from conductor.mcp.registry.known_servers import list_known_servers

        return await asyncio.to_thread(list_known_servers)

    async def add_known_server(
        self, server_id: str, name: str, values: Mapping[str, str], by: Requester
    ) -> ServerView:
        """Add a known server to `mcp.json` with the values that the user has entered.

        Raises:
            InvalidParams: The server is unknown, its name is taken, or a value is missing or invalid.
        """
        from conductor.mcp.registry.known_servers import build_known_entry

        known = build_known_entry(server_id, values)
        return await self.add_server(name or server_id, known.entry, by, known.secrets)

    async def add_server(
        self, name: str, entry: JsonObject, by: Requester, known_secrets: Collection[str] = ()
    ) -> ServerView:
        """Add a server to `mcp.json`. It is switched on and started when the user consents.

        The variables and headers in `known_secrets` are secrets, even if they do not look like it.
        """
        from conductor.mcp.registry.importer import save_server_entry

        notes = await asyncio.to_thread(
            lambda: save_server_entry(
                self.runs.file, name, entry, self._keys(), is_new=True, known_secrets=known_secrets
            )
        )
        self._show_notes(notes)
        name = build_server_name(name)
        await self._switch_on_or_await_consent([name], by)
        return self.runs.require_view(name)

    async def update_server(self, name: str, entry: JsonObject) -> ServerView:
        """Replace the entry of a server, which then needs the user's consent again."""
        from conductor.mcp.registry.importer import save_server_entry

        notes = await asyncio.to_thread(
            lambda: save_server_entry(self.runs.file, name, entry, self._keys(), is_new=False)
        )
        self._show_notes(notes)
        # the server must restart, because a secret may have changed, which the entry does not show
        await self.runs.stop_server(name)
        await self.runs.reconcile_servers()
        return self.runs.require_view(name)

    async def remove_server(self, name: str, by: Requester) -> None:
        """Stop a server, and delete its entry, the user's consent and the sign-in."""
        await asyncio.to_thread(self._delete_server_data, name)
        self.runs.stopped_by_user.discard(name)
        self.runs.awaiting_consent.discard(name)
        tool_settings = [
            one for one in self._store.current_config.skills.tools if one.startswith(f"mcp:{name}:")
        ]
        if tool_settings:
            words = f"removed the tool settings of the MCP server {name}"
            await self._commit_skills_settings(
                lambda: {"tools": dict.fromkeys(tool_settings)}, words, by
            )
        await self._switch_servers([name], by, on=False, words="removed")

    async def set_server_enabled(self, name: str, by: Requester, *, on: bool) -> ServerView:
        """Switch a server on or off in the config.

        A server without the user's consent is switched on only when the user consents.
        """
        listed = require_listed_server(self.runs.content, name)
        if on and listed.entry is not None and listed.entry.disabled:
            raw = {
                key: item for key, item in listed.raw.items() if key not in ("disabled", "enabled")
            }
            await asyncio.to_thread(self.runs.file.update_server, name, raw)
        self.runs.stopped_by_user.discard(name)
        if on:
            await self._switch_on_or_await_consent([name], by)
        else:
            self.runs.awaiting_consent.discard(name)
            await self._switch_servers([name], by, on=False)
        return self.runs.require_view(name)

    async def record_consent(self, name: str, digest: str, by: Requester) -> ServerView:
        """Record the user's consent to the entry with this digest.

        A server that waited for the consent is then switched on.

        Raises:
            NotAllowed: The entry has changed since the user saw it.
        """
        await self.runs.reconcile_servers()
        entry = self.runs.require_entry(name)
        if entry.digest != digest:
            raise NotAllowed(f"{name} has changed since you reviewed it; review it again")
        await asyncio.to_thread(lambda: self.runs.get_consents().record_consent(name, digest))
        await self.runs.reconcile_servers()
        if name in self.runs.awaiting_consent:
            self.runs.awaiting_consent.discard(name)
            await self._switch_servers([name], by, on=True)
        return self.runs.require_view(name)

    async def start_server(self, name: str, by: Requester) -> ServerView:
        """Start a server, and switch it on in the config if necessary.

        Raises:
            NotAllowed: The user has not consented to the current entry.
        """
        await self.runs.reconcile_servers()
        self.runs.require_consent(name)
        if self.runs.build_server_view(require_listed_server(self.runs.content, name)).state in (
            "failed",
            "stopped",
            "sign_in",
        ):
            await self.runs.stop_server(name)
        return await self.set_server_enabled(name, by, on=True)

    async def stop_server(self, name: str) -> ServerView:
        """Stop a server until the user or the next start of Conductor starts it again.

        A test of the server ends too.
        """
        require_listed_server(self.runs.content, name)
        self.runs.stopped_by_user.add(name)
        self.runs.under_test.discard(name)
        await self.runs.stop_server(name)
        return self.runs.require_view(name)

    async def restart_server(self, name: str) -> ServerView:
        """Stop a server and start it again.

        Raises:
            NotAllowed: The user has not consented to the server, or it is switched off.
        """
        await self.runs.reconcile_servers()
        self.runs.require_consent(name)
        if not self.runs.is_enabled(require_listed_server(self.runs.content, name)):
            raise NotAllowed(f"{name} is switched off; switch it on first")
        await self.runs.stop_server(name)
        self.runs.stopped_by_user.discard(name)
        await self.runs.reconcile_servers()
        return self.runs.require_view(name)

    async def test_server(self, name: str) -> ServerTested:
        """Start a server if necessary, wait until it is ready, and return to the previous state."""
        await self.runs.reconcile_servers()
        self.runs.require_consent(name)
        began, before = now(), self.runs.require_view(name)
        if before.state in ("failed", "sign_in"):
            await self.runs.stop_server(name)
        self.runs.under_test.add(name)
        try:
            await self.runs.reconcile_servers()
            view = await self.runs.wait_until_settled(name)
        finally:
            self.runs.under_test.discard(name)
            await self.runs.reconcile_servers()
        took_ms = round((now() - began) * 1000, 1)
        return ServerTested(
            ok=view.state == "ready",
            words=_describe_server_test(view),
            took_ms=took_ms,
            server=view,
        )

    async def read_server_log(self, name: str) -> Sequence[str]:
        """Return the lines of a server's log, oldest first."""
        require_listed_server(self.runs.content, name)
        lines = [] if self.runs.manager is None else self.runs.manager.read_server_log(name)
        return [*lines, self.runs.failed[name]] if name in self.runs.failed else lines

    async def set_tool_enabled(
        self, server: str, tool: str, by: Requester, *, on: bool
    ) -> ServerView:
        """Switch one tool of a server on or off in the config."""
        require_listed_server(self.runs.content, server)
        word = "on" if on else "off"
        change = {"tools": {f"mcp:{server}:{tool}": on}}
        await self._commit_skills_settings(
            lambda: change, f"{tool} of {server} is switched {word}", by
        )
        return self.runs.require_view(server)

    async def accept_tool_change(
        self, server: str, tool: str, digest: str | None = None
    ) -> ServerView:
        """Accept the current version of a changed tool. `digest` identifies the version that the user saw."""
        require_listed_server(self.runs.content, server)
        if self.runs.manager is None or not self.runs.is_server_running(server):
            raise NotAvailable(f"{server} is not running; start it to see what has changed")
        await self.runs.manager.accept_tool(server, tool, digest)
        return self.runs.require_view(server)

    async def list_importable_servers(self) -> Sequence[ImportSource]:
        """Return the servers in the settings of other programs, without their secrets."""
        from conductor.mcp.registry.discovery import find_settings_sources

        here = self.runs.content.servers
        return [
            ImportSource(
                client=one.client,
                title=one.title,
                path=str(one.path),
                servers=tuple(
                    build_importable_server(each.name, each.raw, each.notes, here.get(each.name))
                    for each in one.servers
                ),
                problem=one.problem,
            )
            for one in await asyncio.to_thread(find_settings_sources)
        ]

    async def import_servers(
        self,
        client: str,
        names: Sequence[str],
        by: Requester,
        *,
        replace: bool = False,
        file: Path | None = None,
    ) -> ImportResult:
        """Import servers from another program or a file. Each of them still needs the user's consent.

        Raises:
            NotAvailable: The file cannot be read.
            InvalidParams: The program is unknown, or has no server with one of the names.
        """
        from conductor.mcp.registry.discovery import find_settings_path, read_settings_source
        from conductor.mcp.registry.importer import import_server_entries

        found = await asyncio.to_thread(
            lambda: read_settings_source(client, file or find_settings_path(client))
        )
        done, notes = await asyncio.to_thread(
            lambda: import_server_entries(
                self.runs.file, found, names, self._keys(), replace=replace
            )
        )
        await self._switch_on_or_await_consent(done, by)
        return ImportResult(names=tuple(done), notes=tuple(notes))

    def _show_notes(self, notes: Sequence[str]) -> None:
        if notes:
            self._notify("; ".join(notes))

    def _delete_server_data(self, name: str) -> None:
        from conductor.mcp.registry.importer import remove_server_entry

        remove_server_entry(self.runs.file, name, self._keys())
        self.runs.forget_sign_in(name)
        self.runs.get_consents().withdraw_consent(name)

    async def _switch_on_or_await_consent(self, names: Sequence[str], by: Requester) -> None:
        """Switch on the servers that have the user's consent. The others wait for it.

        Without consent the config stays unchanged, so that a later consent for a test alone does not start
        the server at each start of Conductor.
        """
        await self.runs.reconcile_servers()
        servers = self.runs.content.servers
        consented = [
            name for name in names if name in servers and self.runs.has_consent(servers[name])
        ]
        for name in set(names).difference(consented):
            self.runs.awaiting_consent.add(name)
            self.runs.publish_server_change(name)
        if consented:
            await self._switch_servers(consented, by, on=True)

    async def _switch_servers(
        self, names: Sequence[str], by: Requester, *, on: bool, words: str | None = None
    ) -> None:
        """Update the list of servers in the config that are switched on, then start and stop servers
        accordingly.
        """
        which = f"MCP server{'s' if len(names) > 1 else ''} {', '.join(names)}"
        outcome = words or ("switched on" if on else "switched off")

        def change() -> JsonObject | None:
            before = self._store.current_config.skills.servers
            others = [name for name in before if name not in names]
            after = [*before, *(name for name in names if name not in before)] if on else others
            return {"servers": after or None} if tuple(after) != before else None

        await self._commit_skills_settings(change, f"{which} {outcome}", by)
        await self.runs.reconcile_servers()

    async def _commit_skills_settings(
        self, change: Callable[[], JsonObject | None], reason: str, by: Requester
    ) -> None:
        """Save a change of the `[skills]` settings.

        `change` is called at each attempt and returns the new settings, or None if nothing has to change.
        """
        store = self._store

        def commit() -> None:
            for attempt in range(MAX_COMMIT_ATTEMPTS):
                base_hash, skills = store.config_hash, change()
                if skills is None:
                    return
                try:
                    store.commit_changes(
                        [UpdateSettings(settings={"skills": skills})], base_hash, reason, by
                    )
                except StaleConfig:
                    if attempt == MAX_COMMIT_ATTEMPTS - 1:
                        raise
                else:
                    return

        await asyncio.to_thread(commit)


def _describe_missing_tool(view: ServerView, tool: str) -> str:
    found = next((one for one in view.tools if one.name == tool), None)
    where = "in Settings > MCP servers"
    if found is None:
        hint = format_suggestion(tool[:80], [one.name for one in view.tools]) or f"; check {where}"
        return f"the MCP server {view.name} has no tool {tool[:80]}{hint}"
    if found.state != "ok":
        word = "has changed since you agreed to it" if found.state == "changed" else "is new"
        return f"{tool} of the MCP server {view.name} {word}; review it {where}"
    return f"{tool} of the MCP server {view.name} cannot be used: {found.problem or 'try again'}"


def _describe_server_test(view: ServerView) -> str:
    """Return a sentence about the result of a server's test, and what the user should do next."""
    if view.state == "ready":
        tools = f"{len(view.tools)} tool{'' if len(view.tools) == 1 else 's'}"
        return f"{view.name} is ready and has {tools}"
    if view.state == "starting":
        return f"{view.name} does not answer yet; check its log"
    return view.problem or f"{view.name} is {view.state}"
