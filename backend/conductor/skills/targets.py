"""Finds the folders in which other agents look for skills.

GitHub Copilot reads `~/.copilot/skills` in its CLI, in VS Code and in its other agents
(docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/create-skills); `COPILOT_HOME` replaces
`~/.copilot` (docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference).
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

SkillsTarget = Literal["agents", "claude", "codex", "copilot", "cursor", "project"]


def find_skills_folder(target: SkillsTarget, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder in which an agent looks for skills.

    `project` stands for the folder in the current directory that all agents use there.
    """
    home = Path(environment.get("HOME") or Path.home())
    match target:
        case "agents":
            return home / ".agents" / "skills"
        case "claude":
            return Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "skills"
        case "codex":
            return Path(environment.get("CODEX_HOME") or home / ".codex") / "skills"
        case "copilot":
            return Path(environment.get("COPILOT_HOME") or home / ".copilot") / "skills"
        case "cursor":
            return home / ".cursor" / "skills"
        case "project":
            return Path.cwd() / ".agents" / "skills"
