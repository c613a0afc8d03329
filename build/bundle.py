"""Packs the MCP bundle, and describes it for an MCP registry.

    python3 build/bundle.py [--repository https://github.com/OWNER/NAME]

`dist/conductor.mcpb` is a ZIP archive with the manifest, the program that connects a client to the running
Conductor, its icon and the licence. Two builds of the same sources are equal. A registry refers to a bundle by
its address and hash, so `dist/server.json` is written only if the repository that publishes it is known.
"""

import argparse
import hashlib
import json
import re
import zipfile
from pathlib import Path

from steps import ROOT, say

SOURCES = {
    "manifest.json": ROOT / "build" / "mcpb" / "manifest.json",
    "server/index.mjs": ROOT / "build" / "mcpb" / "index.mjs",
    "icon.png": ROOT / "build" / "mcpb" / "icon.png",
    "LICENSE": ROOT / "LICENSE",
}
BUNDLE_NAME, SERVER_NAME = "conductor.mcpb", "server.json"
DATE = (2020, 1, 1, 0, 0, 0)
"""The date of all files of the bundle, so that two builds are equal."""
SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
"""The newest released schema of the registry (modelcontextprotocol.io/registry)."""
_REPOSITORY = re.compile(r"https://github\.com/([A-Za-z0-9-]+)/([A-Za-z0-9._-]+)/?")


def main(arguments: list[str]) -> int:
    """Write the bundle, and with `--repository` also its description for a registry. Return the exit code."""
    parser = argparse.ArgumentParser(prog="make bundle")
    parser.add_argument(
        "--repository",
        metavar="ADDRESS",
        help="the repository whose release contains the bundle: https://github.com/OWNER/NAME",
    )
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="default: dist")
    given = parser.parse_args(arguments)
    if given.repository is not None and not _REPOSITORY.fullmatch(given.repository):
        parser.error("--repository must be https://github.com/OWNER/NAME")
    output: Path = given.output
    output.mkdir(parents=True, exist_ok=True)
    bundle = output / BUNDLE_NAME
    write_bundle(bundle)
    say(f"Built {bundle}: {bundle.stat().st_size / 1e3:.0f} kB, SHA-256 {_hash(bundle)}")
    if given.repository is not None:
        server = output / SERVER_NAME
        server.write_text(render_server(given.repository, _hash(bundle)), encoding="utf-8")
        say(f"Built {server}. It is valid for exactly this bundle.")
    return 0


def write_bundle(path: Path) -> None:
    """Write the bundle to a path."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, source in SOURCES.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            entry.create_system = 3  # Unix on every system, which is written into the file
            archive.writestr(entry, source.read_bytes())


def render_server(repository: str, sha256: str) -> str:
    """Return the `server.json` of the bundle in the release `v<version>` of a GitHub repository."""
    found = _REPOSITORY.fullmatch(repository)
    if found is None:
        raise ValueError(f"{repository} is not https://github.com/OWNER/NAME")
    owner, name = found.groups()
    manifest = json.loads(SOURCES["manifest.json"].read_text(encoding="utf-8"))
    address, version = f"https://github.com/{owner}/{name}", manifest["version"]
    server = {
        "$schema": SERVER_SCHEMA,
        # the registry lets the owner of a GitHub account publish in this namespace
        "name": f"io.github.{owner}/conductor",
        "title": manifest["display_name"],
        "description": manifest["description"],
        "version": version,
        "repository": {"url": address, "source": "github"},
        "packages": [
            {
                "registryType": "mcpb",
                "identifier": f"{address}/releases/download/v{version}/{BUNDLE_NAME}",
                "fileSha256": sha256,
                "transport": {"type": "stdio"},
            }
        ],
    }
    return json.dumps(server, indent=2, ensure_ascii=False) + "\n"


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    import sys

    raise SystemExit(main(sys.argv[1:]))
