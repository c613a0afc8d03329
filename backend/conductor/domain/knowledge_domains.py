"""The subjects of the knowledge base.

They stand apart because the command line needs them to parse its arguments, and pydantic is slow to import.
"""

from typing import Literal

Domain = Literal["midi", "osc", "artnet", "hid", "platform", "device", "conductor"]
DOMAINS: tuple[Domain, ...] = ("midi", "osc", "artnet", "hid", "platform", "device", "conductor")
