"""Builds the system prompt: identity, base reference, skills, topology.

The same config gives the same bytes, so that providers can cache them; volatile facts are in
`live_context.py` and follow the last user message.
"""

from conductor.agent.core import build_base_reference
from conductor.agent.texts import load_identity
from conductor.agent.topology import describe_topology
from conductor.domain.config import Config


def build_system_prompt(config: Config, skills: tuple[str, ...] = ()) -> str:
    """Return the system prompt for a config and these skill texts."""
    return "\n\n".join(
        [load_identity(), build_base_reference(), *skills, describe_topology(config)]
    )
