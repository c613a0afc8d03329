"""Builds the system prompt: identity, base reference, skills, topology.

The same config gives the same bytes, so that providers can cache them; volatile facts are in
`live_context.py` and follow the last user message.
"""

from conductor.agent.core import base_reference
from conductor.agent.texts import identity
from conductor.agent.topology import topology
from conductor.domain.config import Config


def system_prompt(config: Config, skills: tuple[str, ...] = ()) -> str:
    """Return the system prompt for a config and these skill texts."""
    return "\n\n".join([identity(), base_reference(), *skills, topology(config)])
