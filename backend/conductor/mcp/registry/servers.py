"""What the user does with MCP servers, in the window and at the terminal: adds, agrees, starts, imports."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.base.clock import now
from conductor.base.json_types import JsonObject
from conductor.domain.change_kinds import UpdateSettings
from conductor.domain.plan import Requester
from conductor.domain.servers import (
    Imported,
    ImportSource,
    ServersView,
    ServerTested,
    ServerView,
)
from conductor.domain.validate import did_you_mean
from conductor.errors import NotAllowed, NotAvailable, StaleConfig
from conductor.mcp.registry.entry import label_of
from conductor.mcp.registry.file import known
from conductor.mcp.registry.runs import ServerRuns
from conductor.mcp.registry.sign_ins import ServerSignIns
from conductor.mcp.registry.views import importable

if TYPE_CHECKING:
    from conductor.config.store import ConfigStore
    from conductor.storage.keys import Keys

COMMITS = 5
"""Tries to change the config, when somebody else changes it at the same time."""


class Servers:
    """Implements `bridge.services.ServersDoor`. For the event loop."""

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

    def views(self) -> list[ServerView]:
        """Return every server as it stands, in the order of the file."""
        return [self.runs.view(one) for one in self.runs.content.servers.values()]

    def why_missing(self, server: str, tool: str) -> str:
        """Return why a server has no such tool now, and what to do next."""
        listed = self.runs.content.servers.get(server)
        if listed is None and not self.runs.is_known:
            return "MCP servers are not started yet; try again in a moment"
        if listed is None:
            return f"there is no MCP server called {server}; add it in Settings > MCP servers"
        view = self.runs.view(listed)
        match view.state:
            case "ready":
                return _why_no_tool(view, tool)
            case "off":
                why = "is switched off; switch it on"
            case "needs_consent":
                why = "waits for your consent"
            case "stopped":
                why = "is stopped; start it"
            case "sign_in":
                why = "wants you to sign in: choose Sign in"
            case "starting":
                return f"the MCP server {server} is still starting; try again in a moment"
            case "failed":
                return f"the MCP server {server} does not run: {view.problem}"
        return f"the MCP server {server} {why}, in Settings > MCP servers"

    async def listed(self) -> ServersView:
        """Return every server, after a look at the file."""
        if not self.runs.is_following:
            await self.runs.look()
        path, problem = str(self.runs.file.path), self.runs.problem
        return ServersView(servers=tuple(self.views()), path=path, problem=problem)

    async def add(self, name: str, entry: JsonObject, by: Requester) -> ServerView:
        """Add a server and switch it on; it waits for the consent to it."""
        from conductor.mcp.registry.importer import save_entry

        notes = await asyncio.to_thread(
            lambda: save_entry(self.runs.file, name, entry, self._keys(), is_new=True)
        )
        self._say(notes)
        name = label_of(name)
        await self._switch([name], by, on=True)
        return self.runs.known_view(name)

    async def update(self, name: str, entry: JsonObject) -> ServerView:
        """Replace the entry of a server; the user must agree to the changes."""
        from conductor.mcp.registry.importer import save_entry

        notes = await asyncio.to_thread(
            lambda: save_entry(self.runs.file, name, entry, self._keys(), is_new=False)
        )
        self._say(notes)
        await self.runs.end(name)  # a secret may be another one, which shows nowhere else
        await self.runs.follow()
        return self.runs.known_view(name)

    async def remove(self, name: str, by: Requester) -> None:
        """Stop a server, and forget it and the consent to it."""
        await asyncio.to_thread(self._remove, name)
        self.runs.stopped.discard(name)
        said = [one for one in self._store.current.skills.tools if one.startswith(f"mcp:{name}:")]
        if said:
            words = f"forgot the tools of the MCP server {name}"
            await self._commit(lambda: {"tools": dict.fromkeys(said)}, words, by)
        await self._switch([name], by, on=False, words="removed")

    async def enable(self, name: str, by: Requester, *, on: bool) -> ServerView:
        """Switch a server on or off; it still needs the consent of the user to run."""
        listed = known(self.runs.content, name)
        if on and listed.entry is not None and listed.entry.disabled:
            raw = {
                key: item for key, item in listed.raw.items() if key not in ("disabled", "enabled")
            }
            await asyncio.to_thread(self.runs.file.update, name, raw)
        self.runs.stopped.discard(name)
        await self._switch([name], by, on=on)
        return self.runs.known_view(name)

    async def consent(self, name: str, digest: str) -> ServerView:
        """Record that the user agreed to exactly what was shown.

        Raises:
            NotAllowed: the entry has changed since.
        """
        await self.runs.follow()
        entry = self.runs.usable_entry(name)
        if entry.digest != digest:
            raise NotAllowed(f"{name} has changed since you looked at it; look at it again")
        await asyncio.to_thread(lambda: self.runs.consents().record(name, digest))
        await self.runs.follow()
        return self.runs.known_view(name)

    async def start(self, name: str, by: Requester) -> ServerView:
        """Switch a server on if it is off, and start it.

        Raises:
            NotAllowed: the user has not agreed to it as it is now.
        """
        await self.runs.follow()
        self.runs.require_consent(name)
        if self.runs.view(known(self.runs.content, name)).state in ("failed", "stopped", "sign_in"):
            await self.runs.end(name)
        return await self.enable(name, by, on=True)

    async def stop(self, name: str) -> ServerView:
        """Stop a server until it is started, or Conductor is; a try of it ends too."""
        known(self.runs.content, name)
        self.runs.stopped.add(name)
        self.runs.tried.discard(name)
        await self.runs.end(name)
        return self.runs.known_view(name)

    async def restart(self, name: str) -> ServerView:
        """Stop a server and start it.

        Raises:
            NotAllowed: the user has not agreed to it, or it is switched off.
        """
        await self.runs.follow()
        self.runs.require_consent(name)
        if not self.runs.is_on(known(self.runs.content, name)):
            raise NotAllowed(f"{name} is switched off; switch it on first")
        await self.runs.end(name)
        self.runs.stopped.discard(name)
        await self.runs.follow()
        return self.runs.known_view(name)

    async def test(self, name: str) -> ServerTested:
        """Start a server that does not run, wait until it answers, and stop it again."""
        await self.runs.follow()
        self.runs.require_consent(name)
        began, before = now(), self.runs.known_view(name)
        if before.state in ("failed", "sign_in"):
            await self.runs.end(name)
        self.runs.tried.add(name)
        try:
            await self.runs.follow()
            view = await self.runs.wait_until_settled(name)
        finally:
            self.runs.tried.discard(name)
            await self.runs.follow()
        took_ms = round((now() - began) * 1000, 1)
        return ServerTested(
            ok=view.state == "ready", words=_words(view), took_ms=took_ms, server=view
        )

    async def log(self, name: str) -> Sequence[str]:
        """Return what a server wrote, the newest last."""
        known(self.runs.content, name)
        lines = [] if self.runs.host is None else self.runs.host.log(name)
        return [*lines, self.runs.failed[name]] if name in self.runs.failed else lines

    async def set_tool(self, server: str, tool: str, by: Requester, *, on: bool) -> ServerView:
        """Switch one tool of a server on or off."""
        known(self.runs.content, server)
        word = "on" if on else "off"
        change = {"tools": {f"mcp:{server}:{tool}": on}}
        await self._commit(lambda: change, f"{tool} of {server} is switched {word}", by)
        return self.runs.known_view(server)

    async def accept_change(self, server: str, tool: str, digest: str | None = None) -> ServerView:
        """Agree to a tool that has changed, as it is now; `digest` is of what was shown."""
        known(self.runs.content, server)
        if self.runs.host is None or not self.runs.is_running(server):
            raise NotAvailable(f"{server} does not run; start it to see what has changed")
        await self.runs.host.accept(server, tool, digest)
        return self.runs.known_view(server)

    async def importable(self) -> Sequence[ImportSource]:
        """Return the servers that other programs have, without their secrets."""
        from conductor.mcp.registry.discovery import sources

        here = self.runs.content.servers
        return [
            ImportSource(
                client=one.client,
                title=one.title,
                path=str(one.path),
                servers=tuple(
                    importable(each.name, each.raw, each.notes, here.get(each.name))
                    for each in one.servers
                ),
                problem=one.problem,
            )
            for one in await asyncio.to_thread(sources)
        ]

    async def import_from(
        self,
        client: str,
        names: Sequence[str],
        by: Requester,
        *,
        replace: bool = False,
        file: Path | None = None,
    ) -> Imported:
        """Import servers from another program or a file; each still needs the consent of the user.

        Raises:
            NotAvailable: it cannot be read.
            InvalidParams: the program is not known, or has no server of such a name.
        """
        from conductor.mcp.registry.discovery import place, source
        from conductor.mcp.registry.importer import import_entries

        found = await asyncio.to_thread(lambda: source(client, file or place(client)))
        done, notes = await asyncio.to_thread(
            lambda: import_entries(self.runs.file, found, names, self._keys(), replace=replace)
        )
        await self._switch(done, by, on=True)
        return Imported(names=tuple(done), notes=tuple(notes))

    def _say(self, notes: Sequence[str]) -> None:
        if notes:
            self._notify("; ".join(notes))

    def _remove(self, name: str) -> None:
        from conductor.mcp.registry.importer import remove_entry

        remove_entry(self.runs.file, name, self._keys())
        self.runs.forget_sign_in(name)
        self.runs.consents().withdraw(name)

    async def _switch(
        self, names: Sequence[str], by: Requester, *, on: bool, words: str | None = None
    ) -> None:
        """Write to the config which servers may run, and follow it."""
        which = f"MCP server{'s' if len(names) > 1 else ''} {', '.join(names)}"
        said = words or ("switched on" if on else "switched off")

        def change() -> JsonObject | None:
            before = self._store.current.skills.servers
            others = [name for name in before if name not in names]
            after = [*before, *(name for name in names if name not in before)] if on else others
            return {"servers": after or None} if tuple(after) != before else None

        await self._commit(change, f"{which} {said}", by)
        await self.runs.follow()

    async def _commit(
        self, change: Callable[[], JsonObject | None], reason: str, by: Requester
    ) -> None:
        """Change `[skills]` of the config, for what it is by then; None: it is so already."""
        store = self._store

        def commit() -> None:
            for attempt in range(COMMITS):
                base_hash, skills = store.hash, change()
                if skills is None:
                    return
                try:
                    store.commit(
                        [UpdateSettings(settings={"skills": skills})], base_hash, reason, by
                    )
                except StaleConfig:
                    if attempt == COMMITS - 1:
                        raise
                else:
                    return

        await asyncio.to_thread(commit)


def _why_no_tool(view: ServerView, tool: str) -> str:
    found = next((one for one in view.tools if one.name == tool), None)
    where = "in Settings > MCP servers"
    if found is None:
        hint = did_you_mean(tool[:80], [one.name for one in view.tools]) or f"; look {where}"
        return f"the MCP server {view.name} has no tool {tool[:80]}{hint}"
    if found.state != "ok":
        word = "has changed since you agreed to it" if found.state == "changed" else "is new"
        return f"{tool} of the MCP server {view.name} {word}; look at it {where}"
    return f"{tool} of the MCP server {view.name} cannot be used: {found.problem or 'try again'}"


def _words(view: ServerView) -> str:
    """Return how a try went, and what to do next."""
    if view.state == "ready":
        tools = f"{len(view.tools)} tool{'' if len(view.tools) == 1 else 's'}"
        return f"{view.name} answers, and has {tools}"
    if view.state == "starting":
        return f"{view.name} does not answer yet; look at its log"
    return view.problem or f"{view.name} is {view.state}"
