"""Generates the manifest of the MCP bundle, with which a client such as Claude Desktop installs Conductor.

`build/bundle.py` packs it with the program of the bundle (`build/mcpb/index.mjs`). The format is that of
github.com/modelcontextprotocol/mcpb (MANIFEST.md), version 0.3: 0.4 only adds experimental parts.
"""

import json
import re

from conductor import __version__
from conductor.base.json_types import JsonObject
from conductor.tools.catalog import REGISTRY

MANIFEST_VERSION = "0.3"
PROGRAM_PATH = "server/index.mjs"
SUMMARY = "Map MIDI controllers and gamepads to keys, apps, MIDI and OSC; every change is a plan with a proof."
DESCRIPTION = (
    "Conductor turns MIDI controllers and gamepads into keystrokes, apps, volume, MIDI and OSC. This extension"
    " connects to the Conductor on this computer: it reads your mappings, explains why a control did or did not"
    " act, simulates gestures, and proposes changes. A proposal is a plan with its diff, conflicts and a replay"
    " of your recent playing. Nothing changes until you approve it in Conductor.\n\n"
    "Install Conductor first. If it is not running, the extension starts it without a window."
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def render_bundle_manifest() -> str:
    """Return the `manifest.json` of the bundle."""
    manifest: JsonObject = {
        "manifest_version": MANIFEST_VERSION,
        "name": "conductor",
        "display_name": "Conductor",
        "version": __version__,
        "description": SUMMARY,
        "long_description": DESCRIPTION,
        "author": {"name": "Conductor"},
        "icon": "icon.png",
        "license": "Apache-2.0",
        "keywords": ["midi", "controller", "gamepad", "shortcuts", "automation", "osc"],
        "server": {
            "type": "node",
            "entry_point": PROGRAM_PATH,
            "mcp_config": {
                "command": "node",
                "args": [f"${{__dirname}}/{PROGRAM_PATH}"],
                "env": {
                    "CONDUCTOR_HOME": "${user_config.home_folder}",
                    "CONDUCTOR_PROGRAM": "${user_config.program}",
                },
            },
        },
        "user_config": {
            "home_folder": {
                "type": "directory",
                "title": "Home folder of Conductor",
                "description": "The folder with config.toml, if you have moved it.",
                "default": "${HOME}/.conductor",
                "required": False,
            },
            "program": {
                "type": "file",
                "title": "Program of Conductor",
                "description": "Started if Conductor is not running. Needed only if it is not found by itself.",
                "required": False,
            },
        },
        "tools": [
            {"name": tool.name, "description": _SENTENCE_END.split(tool.description)[0]}
            for tool in sorted(REGISTRY.list_tools(), key=lambda tool: tool.name)
            if tool.toolset != "skills"
        ],
        # the user's settings can add tools and leave some out
        "tools_generated": True,
        "prompts_generated": True,
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"node": ">=18.0.0"},
        },
    }
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
