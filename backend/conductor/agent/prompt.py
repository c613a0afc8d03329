"""Builds the system prompt from the instructions, the base of the core reference, the skills and the config.

The same config always gives the same text, so that providers can cache the prompt. Facts that change often
follow the last user message instead; see `live_context.py`.
"""

from conductor.agent.core import build_base_reference
from conductor.agent.texts import load_identity
from conductor.agent.topology import describe_topology
from conductor.domain.config import Config


def build_system_prompt(config: Config, skills: tuple[str, ...] = ()) -> str:
    """Return the system prompt for a config, with the texts of the chosen skills."""
    return "\n\n".join(
        [load_identity(), build_base_reference(), *skills, describe_topology(config)]
    )
