"""Generates the plugin marketplace of the repository, from which Claude Code installs the skills and the tools.

The format is that of code.claude.com/docs/en/plugin-marketplaces. The plugin is the folder of the skills, so
that nothing else of the repository is copied; it has no manifest of its own (`strict` is false).
"""

import json
from pathlib import Path

from conductor import __version__
from conductor.base.json_types import JsonObject
from conductor.cli.bundle_manifest import SUMMARY
from conductor.skills.tree import SKILL_FILE_NAME

SKILLS_FOLDER = "skills"


def render_marketplace(root: Path) -> str:
    """Return the `marketplace.json` with all skills in the checkout at `root`."""
    skills = sorted(
        file.parent.name for file in (root / SKILLS_FOLDER).glob(f"*/{SKILL_FILE_NAME}")
    )
    plugin: JsonObject = {
        "name": "conductor",
        "source": f"./{SKILLS_FOLDER}",
        "description": SUMMARY,
        "version": __version__,
        "license": "Apache-2.0",
        "category": "productivity",
        "keywords": ["midi", "controller", "gamepad", "shortcuts", "automation"],
        "strict": False,
        "skills": [f"./{name}" for name in skills],
        "mcpServers": {"conductor": {"command": "conductor", "args": ["mcp"]}},
    }
    marketplace: JsonObject = {
        "name": "conductor",
        "owner": {"name": "Conductor"},
        "metadata": {
            "description": "The skills and tools of Conductor, for agents.",
            "version": __version__,
        },
        "plugins": [plugin],
    }
    return json.dumps(marketplace, indent=2) + "\n"
