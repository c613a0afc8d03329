"""`conductor generate`: writes the files that are generated from the code.

These are the JSON schema of the config, the reference, the types of the page, the titles of tools, the
manifest of the MCP bundle and the plugin marketplace.
"""

import argparse
import json
from pathlib import Path

from conductor.base.invisible_chars import render_typescript_module
from conductor.bridge.typescript import render_form_schemas, render_types
from conductor.cli import core_reference, reference, skill_references
from conductor.cli.bundle_manifest import render_bundle_manifest
from conductor.cli.marketplace import render_marketplace
from conductor.cli.tool_call_text import render_tool_titles
from conductor.domain.config import CONFIG_VERSION, Config
from conductor.errors import NotAvailable

SCHEMA_PATH = Path("backend", "conductor", "domain", "schema.json")
DEPRECATED_CURVE_SCHEMA = {
    "anyOf": [{"$ref": "#/$defs/AnyCurve"}, {"type": "null"}],
    "default": None,
    "deprecated": True,
    "description": 'Older spelling of `value = { from = "value", curve = ... }`.',
}
REFERENCE_PATH = Path("docs", "reference")
TOOL_TITLES_PATH = Path("backend", "conductor", "cli", "tool_titles.py")
CORE_REFERENCE_PATH = Path("knowledge", "core-reference.md")
CLIENT_TYPES_PATH = Path("frontend", "src", "lib", "client")
BUNDLE_MANIFEST_PATH = Path("build", "mcpb", "manifest.json")
MARKETPLACE_PATH = Path(".claude-plugin", "marketplace.json")
HIDDEN_CHARACTERS_PATH = Path("frontend", "src", "ui", "hidden.ts")


def run(args: argparse.Namespace) -> int:
    """Write all outdated generated files. With `--check`, only list them. Return the exit code."""
    check: bool = args.check
    root = find_checkout()
    if root is None:
        raise NotAvailable(
            "`conductor generate` works only in a source checkout; clone the repository and run it there"
        )
    paths = find_stale_files(root) if check else write_files(root)
    for path in paths:
        print(f"{'stale' if check else 'wrote'} {path.relative_to(root)}")
    if check and paths:
        print("Run `conductor generate` and commit the files.")
    return 1 if check and paths else 0


def find_checkout() -> Path | None:
    """Return the root folder of the source checkout that contains this code.

    Return None if Conductor was installed from a package.
    """
    root = Path(__file__).resolve().parents[3]
    is_checkout = (root / "pyproject.toml").is_file() and (root / SCHEMA_PATH).parent.is_dir()
    return root if is_checkout else None


def render_files(root: Path) -> dict[Path, str]:
    """Return the current content of every generated file, by path."""
    reference_files = {
        root / REFERENCE_PATH / f"{name}.md": text
        for name, text in reference.render_pages().items()
    }
    client = root / CLIENT_TYPES_PATH
    page_files = {
        client / "generated.ts": render_types(),
        client / "schemas.json": render_form_schemas(),
    }
    page_files[root / HIDDEN_CHARACTERS_PATH] = render_typescript_module()
    core = root / CORE_REFERENCE_PATH
    core_files = {core: core_reference.fill_core_reference(_read_text(core) or "")}
    skill_files = {
        root / path: text for path, text in skill_references.render_skill_references(root).items()
    }
    code_files = {
        root / SCHEMA_PATH: render_schema(),
        root / TOOL_TITLES_PATH: render_tool_titles(),
        root / BUNDLE_MANIFEST_PATH: render_bundle_manifest(),
        root / MARKETPLACE_PATH: render_marketplace(root),
    }
    return {**code_files, **core_files, **page_files, **reference_files, **skill_files}


def find_stale_files(root: Path) -> list[Path]:
    """Return the paths of generated files that are missing, outdated or no longer needed."""
    return _find_stale_files(root, render_files(root))


def write_files(root: Path) -> list[Path]:
    """Write the outdated files and delete those that are no longer needed. Return the paths of both."""
    expected = render_files(root)
    paths = _find_stale_files(root, expected)
    for path in paths:
        if path in expected:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(expected[path].encode())
        else:
            path.unlink()
    return paths


def render_schema() -> str:
    """Return the JSON schema of `config.toml`, which editors use to check and complete a config."""
    schema = Config.model_json_schema()
    # Configs of older versions still load, so an editor must not mark them as invalid.
    schema["$defs"]["MidiForwardAction"]["properties"]["curve"] = DEPRECATED_CURVE_SCHEMA
    header = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:conductor:config:{CONFIG_VERSION}",
        "title": "Conductor config.toml",
        "description": Config.__doc__,
    }
    return (
        json.dumps({**schema, **header, "$defs": schema["$defs"]}, indent=2, sort_keys=True) + "\n"
    )


def _read_text(path: Path) -> str | None:
    return path.read_bytes().decode() if path.is_file() else None


def _find_stale_files(root: Path, expected: dict[Path, str]) -> list[Path]:
    outdated = [path for path, text in expected.items() if _read_text(path) != text]
    return [*outdated, *_find_obsolete_files(root, expected)]


def _find_obsolete_files(root: Path, expected: dict[Path, str]) -> list[Path]:
    return [path for path in sorted((root / REFERENCE_PATH).glob("*.md")) if path not in expected]
