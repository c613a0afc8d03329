"""What a model is told before the conversation, in order: identity, base of the reference, skills, topology.

The same config gives the same bytes, so that providers can cache them; what changes by the minute is
`pulse.py`'s and goes behind the last thing the user said.
"""

from conductor.agent.core import base
from conductor.agent.texts import identity
from conductor.agent.topology import topology
from conductor.domain.config import Config


def system_prompt(config: Config, skills: tuple[str, ...] = ()) -> str:
    """Return the whole of it for a config."""
    return "\n\n".join([identity(), base(), *skills, topology(config)])
