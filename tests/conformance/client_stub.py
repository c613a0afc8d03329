"""Passes a scenario of the suite to the tests' process, and prints what the client there reports.

`python client_stub.py SOCKET URL`
"""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as tests:
    tests.connect(sys.argv[1])
    variables = (os.environ.get(f"MCP_CONFORMANCE_{name}") for name in ("SCENARIO", "CONTEXT"))
    tests.sendall(json.dumps([sys.argv[2], *variables]).encode() + b"\n")
    while piece := tests.recv(65536):
        sys.stderr.write(piece.decode(errors="replace"))
