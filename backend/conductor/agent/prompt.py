"""Builds the system prompt from the identity, the base reference, the skills and the topology.

The same config produces the same bytes, so that providers can cache the prompt. Facts that change often are in
`live_context.py` and follow the last user message.
"""

from conductor.agent.core import build_base_reference
from conductor.agent.texts import load_identity
from conductor.agent.topology import describe_topology
from conductor.domain.config import Config


def build_system_prompt(config: Config, skills: tuple[str, ...] = ()) -> str:
    """Build the system prompt for a config and the texts of the chosen skills."""
    return "\n\n".join(
        [load_identity(), build_base_reference(), *skills, describe_topology(config)]
    )
