"""Defines the subjects of the knowledge base.

They have a module of their own, because the command line needs them to parse its arguments, and other
modules import pydantic, which is slow.
"""

from typing import Literal

Domain = Literal["midi", "osc", "artnet", "hid", "platform", "device", "conductor", "manual"]
DOMAINS: tuple[Domain, ...] = (
    "midi",
    "osc",
    "artnet",
    "hid",
    "platform",
    "device",
    "conductor",
    "manual",
)
