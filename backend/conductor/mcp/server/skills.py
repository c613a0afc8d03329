"""Agent Skills for agents: as resources, and as the skills extension of the protocol (SEP-2640).

A client lists the skills, reads one when a job asks for it, and checks each file against its digest.
"""

import asyncio
import base64
import mimetypes
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, TypeVar
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from conductor.errors import ConductorError
from conductor.skills.library import Skill, SkillLibrary
from conductor.skills.tree import MAIN

Context = ServerRequestContext[Any]
Found = TypeVar("Found")
EXTENSION = "io.modelcontextprotocol/skills"
SCHEME = "skill://"
FOLDER, MARKDOWN = "inode/directory", "text/markdown"
CACHE = {"ttlMs": 10_000, "cacheScope": "private"}


class UriParams(types.RequestParams):
    """The address of one thing."""

    uri: str


class Skills:
    """Handles `skills/*` and `resources/directory/read`, and the skills' part of `resources/*`."""

    def __init__(self, library: SkillLibrary) -> None:
        self._library = library

    def join(self, server: Server[Any]) -> None:
        """Announce the extension, and answer its requests."""
        server.extensions[EXTENSION] = {"directoryRead": True}
        paginated = types.PaginatedRequestParams
        server.add_request_handler("skills/list", paginated, self._list)
        server.add_request_handler("skills/get", UriParams, self._get)
        server.add_request_handler("resources/directory/read", UriParams, self._directory)

    async def resources(self) -> list[types.Resource]:
        """Return each SKILL.md as a resource, for clients that do not know the extension."""
        rows = await asyncio.to_thread(self._library.catalogue)
        return [
            types.Resource(
                uri=_uri(skill.name, MAIN),
                name=skill.name,
                description=skill.description,
                mime_type=MARKDOWN,
            )
            for skill in rows
        ]

    async def read(self, uri: str) -> types.ReadResourceResult:
        """Return one file of a skill."""
        name, path = _parts(uri)
        content = await _found(uri, lambda: self._library.read(name, path))
        kind = _kind(path)
        try:
            text = types.TextResourceContents(uri=uri, mime_type=kind, text=content.decode())
        except UnicodeDecodeError:
            blob = base64.b64encode(content).decode()
            row = types.BlobResourceContents(uri=uri, mime_type=kind, blob=blob)
            return types.ReadResourceResult(contents=[row])
        return types.ReadResourceResult(contents=[text])

    async def _list(self, _ctx: Context, _params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {"skills": await asyncio.to_thread(self._entries), **CACHE}

    async def _get(self, _ctx: Context, params: UriParams) -> dict[str, Any]:
        name, path = _parts(params.uri)
        if path != MAIN:
            _not_found(params.uri)
        entry = await _found(params.uri, lambda: self._entry(self._library.get(name)))
        return {"skill": entry, **CACHE}

    async def _directory(self, _ctx: Context, params: UriParams) -> dict[str, Any]:
        name, path = _parts(params.uri)
        files = await _found(params.uri, lambda: self._library.resources(name))
        children = _children([one.path for one in files], path.rstrip("/"))
        if not children:
            _not_found(params.uri)
        return {"resources": [_child(name, child) for child in children], **CACHE}

    def _entries(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for skill in self._library.catalogue():
            try:
                rows.append(self._entry(skill))
            except ConductorError:  # one that changed since, or must not be used, hides no other
                continue
        return rows

    def _entry(self, skill: Skill) -> dict[str, Any]:
        files = self._library.resources(skill.name)
        return {
            "uri": _uri(skill.name, MAIN),
            "frontmatter": skill.fields,
            "resources": [
                {"uri": _uri(skill.name, one.path), "digest": one.digest, "size": one.size}
                for one in files
            ],
        }


async def _found(uri: str, look: Callable[[], Found]) -> Found:
    try:
        return await asyncio.to_thread(look)
    except ConductorError as error:
        data = {"uri": uri[:200], "kind": error.code}
        raise MCPError(types.INVALID_PARAMS, f"Resource not found: {error}", data) from None


def _not_found(uri: str) -> NoReturn:
    data = {"uri": uri[:200]}
    raise MCPError(types.INVALID_PARAMS, f"Resource not found: {uri[:200]}", data)


def _parts(uri: str) -> tuple[str, str]:
    """Return the skill and the path in it."""
    if not uri.startswith(SCHEME):
        _not_found(uri)
    name, _, path = uri.removeprefix(SCHEME).partition("/")
    return name, unquote(path)


def _uri(name: str, path: str) -> str:
    return f"{SCHEME}{name}/{quote(path)}".rstrip("/")


def _kind(path: str) -> str:
    return MARKDOWN if path.endswith(".md") else mimetypes.guess_type(path)[0] or "text/plain"


def _children(paths: Iterable[str], folder: str) -> list[str]:
    """Return what stands right in a folder; a folder in it ends with `/`."""
    prefix = f"{folder}/" if folder else ""
    inner = [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]
    heads = {(head + slash) for head, slash, _ in (path.partition("/") for path in inner)}
    return [prefix + head for head in sorted(heads)]


def _child(name: str, path: str) -> dict[str, Any]:
    kind = FOLDER if path.endswith("/") else _kind(path)
    plain = path.rstrip("/")
    return {"uri": _uri(name, plain), "name": plain.rpartition("/")[2], "mimeType": kind}
