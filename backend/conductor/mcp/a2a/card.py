"""Builds the agent card, by which other agents find out what Conductor can do and how to connect."""

from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    HTTPAuthSecurityScheme,
    SecurityRequirement,
    SecurityScheme,
    StringList,
)
from a2a.utils.constants import (
    AGENT_CARD_WELL_KNOWN_PATH,
    PROTOCOL_VERSION_1_0,
    TransportProtocol,
)

from conductor.base.loopback import LOOPBACK_HOST
from conductor.mcp.a2a.skills import SKILLS

A2A_ENDPOINT_PATH = "/a2a"
CARD_DESCRIPTION = (
    "Maps MIDI controllers and gamepads to keystrokes, apps, volume, MIDI and OSC, on this computer. Proposes"
    " changes as plans with a proof, which only the user can approve; explains and simulates events."
)
JSON_MODE, TEXT_MODE = "application/json", "text/plain"


def build_card_address(port: int) -> str:
    """Return the address of the agent card of a server that listens on this port."""
    return f"http://{LOOPBACK_HOST}:{port}{AGENT_CARD_WELL_KNOWN_PATH}"


def build_agent_card(name: str, version: str, port: int) -> AgentCard:
    """Return the agent card for a server that listens on this port."""
    return AgentCard(
        name=name,
        description=CARD_DESCRIPTION,
        version=version,
        supported_interfaces=[
            AgentInterface(
                url=f"http://{LOOPBACK_HOST}:{port}{A2A_ENDPOINT_PATH}",
                protocol_binding=TransportProtocol.JSONRPC.value,
                protocol_version=PROTOCOL_VERSION_1_0,
            )
        ],
        capabilities=AgentCapabilities(
            streaming=True, push_notifications=True, extended_agent_card=False
        ),
        security_schemes={
            "token": SecurityScheme(
                http_auth_security_scheme=HTTPAuthSecurityScheme(
                    scheme="Bearer",
                    description="The token in `mcp-token` in Conductor's home, as for MCP over HTTP",
                )
            )
        },
        security_requirements=[SecurityRequirement(schemes={"token": StringList()})],
        default_input_modes=[JSON_MODE, TEXT_MODE],
        default_output_modes=[JSON_MODE, TEXT_MODE],
        skills=[
            AgentSkill(
                id=skill.skill_id,
                name=skill.name,
                description=skill.description,
                tags=skill.tags,
                examples=skill.examples,
            )
            for skill in SKILLS
        ],
    )
