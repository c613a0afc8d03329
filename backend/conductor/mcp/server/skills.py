"""Serves Agent Skills as MCP resources and through the skills extension (SEP-2640).

A client lists the skills, reads a skill when a task needs it, and checks each file against its digest.
"""

import asyncio
import base64
import mimetypes
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, TypedDict, TypeVar
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from conductor.base.json_types import JsonObject
from conductor.errors import ConductorError
from conductor.skills.library import Skill, SkillLibrary
from conductor.skills.tree import SKILL_FILE_NAME

Context = ServerRequestContext[Any]
R = TypeVar("R")
SKILLS_EXTENSION = "io.modelcontextprotocol/skills"
SKILL_URI_PREFIX = "skill://"
FOLDER_MIME_TYPE, MARKDOWN_MIME_TYPE = "inode/directory", "text/markdown"
SKILL_CACHE_HINTS = {"ttlMs": 10_000, "cacheScope": "private"}


class SkillFile(TypedDict):
    """The URI, the digest and the size of one file of a skill."""

    uri: str
    digest: str
    size: int


class SkillEntry(TypedDict):
    """The front matter and the files of a skill, as clients receive them."""

    uri: str
    frontmatter: JsonObject
    resources: list[SkillFile]


class FolderEntry(TypedDict):
    """A file or folder in the listing of a skill's folder."""

    uri: str
    name: str
    mimeType: str


class UriParams(types.RequestParams):
    """The parameters of a request that names a skill, a file or a folder by its URI."""

    uri: str


class SkillHandlers:
    """Handles the requests of the skills extension, and `resources/*` for skills."""

    def __init__(self, library: SkillLibrary) -> None:
        self._library = library

    def register_handlers(self, server: Server[Any]) -> None:
        """Announce the skills extension, and register its request handlers."""
        server.extensions[SKILLS_EXTENSION] = {"directoryRead": True}
        paginated = types.PaginatedRequestParams
        server.add_request_handler("skills/list", paginated, self._handle_list)
        server.add_request_handler("skills/get", UriParams, self._handle_get)
        server.add_request_handler(
            "resources/directory/read", UriParams, self._handle_directory_read
        )

    async def list_resources(self) -> list[types.Resource]:
        """Return the `SKILL.md` of each skill as a resource, for clients without the extension."""
        skills = await asyncio.to_thread(self._library.list_skills)
        return [
            types.Resource(
                uri=_build_skill_uri(skill.name, SKILL_FILE_NAME),
                name=skill.name,
                description=skill.description,
                mime_type=MARKDOWN_MIME_TYPE,
            )
            for skill in skills
        ]

    async def read_skill_file(self, uri: str) -> types.ReadResourceResult:
        """Return the content of one file of a skill."""
        name, path = _split_skill_uri(uri)
        content = await _run_library_call(uri, lambda: self._library.read_skill_file(name, path))
        mime_type = _guess_mime_type(path)
        try:
            text = types.TextResourceContents(uri=uri, mime_type=mime_type, text=content.decode())
        except UnicodeDecodeError:
            blob = base64.b64encode(content).decode()
            contents = types.BlobResourceContents(uri=uri, mime_type=mime_type, blob=blob)
            return types.ReadResourceResult(contents=[contents])
        return types.ReadResourceResult(contents=[text])

    async def _handle_list(
        self, _ctx: Context, _params: types.PaginatedRequestParams
    ) -> JsonObject:
        return {"skills": await asyncio.to_thread(self._list_skills), **SKILL_CACHE_HINTS}

    async def _handle_get(self, _ctx: Context, params: UriParams) -> JsonObject:
        name, path = _split_skill_uri(params.uri)
        if path != SKILL_FILE_NAME:
            _raise_resource_not_found(params.uri)
        entry = await _run_library_call(
            params.uri, lambda: self._build_skill_entry(self._library.get_skill(name))
        )
        return {"skill": entry, **SKILL_CACHE_HINTS}

    async def _handle_directory_read(self, _ctx: Context, params: UriParams) -> JsonObject:
        name, path = _split_skill_uri(params.uri)
        files = await _run_library_call(params.uri, lambda: self._library.list_resources(name))
        children = _list_folder([file.path for file in files], path.rstrip("/"))
        if not children:
            _raise_resource_not_found(params.uri)
        return {
            "resources": [_build_folder_entry(name, child) for child in children],
            **SKILL_CACHE_HINTS,
        }

    def _list_skills(self) -> list[SkillEntry]:
        skills: list[SkillEntry] = []
        for skill in self._library.list_skills():
            try:
                skills.append(self._build_skill_entry(skill))
            except ConductorError:
                continue  # this skill has changed or must not be used; the others are still listed
        return skills

    def _build_skill_entry(self, skill: Skill) -> SkillEntry:
        files = self._library.list_resources(skill.name)
        return {
            "uri": _build_skill_uri(skill.name, SKILL_FILE_NAME),
            "frontmatter": skill.fields,
            "resources": [
                {
                    "uri": _build_skill_uri(skill.name, file.path),
                    "digest": file.digest,
                    "size": file.size,
                }
                for file in files
            ],
        }


async def _run_library_call(uri: str, read: Callable[[], R]) -> R:
    """Call the skill library in a thread, and convert its errors to "resource not found"."""
    try:
        return await asyncio.to_thread(read)
    except ConductorError as error:
        data = {"uri": uri[:200], "kind": error.code}
        raise MCPError(types.INVALID_PARAMS, f"Resource not found: {error}", data) from None


def _raise_resource_not_found(uri: str) -> NoReturn:
    data = {"uri": uri[:200]}
    raise MCPError(types.INVALID_PARAMS, f"Resource not found: {uri[:200]}", data)


def _split_skill_uri(uri: str) -> tuple[str, str]:
    """Return the name of the skill and the path of the file that a URI names."""
    if not uri.startswith(SKILL_URI_PREFIX):
        _raise_resource_not_found(uri)
    name, _, path = uri.removeprefix(SKILL_URI_PREFIX).partition("/")
    return name, unquote(path)


def _build_skill_uri(name: str, path: str) -> str:
    return f"{SKILL_URI_PREFIX}{name}/{quote(path)}".rstrip("/")


def _guess_mime_type(path: str) -> str:
    return (
        MARKDOWN_MIME_TYPE
        if path.endswith(".md")
        else mimetypes.guess_type(path)[0] or "text/plain"
    )


def _list_folder(paths: Iterable[str], folder: str) -> list[str]:
    """Return the sorted entries of a folder of a skill. Folders end with `/`."""
    prefix = f"{folder}/" if folder else ""
    inner = [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]
    heads = {(head + slash) for head, slash, _ in (path.partition("/") for path in inner)}
    return [prefix + head for head in sorted(heads)]


def _build_folder_entry(name: str, path: str) -> FolderEntry:
    mime_type = FOLDER_MIME_TYPE if path.endswith("/") else _guess_mime_type(path)
    path = path.rstrip("/")
    return {
        "uri": _build_skill_uri(name, path),
        "name": path.rpartition("/")[2],
        "mimeType": mime_type,
    }
