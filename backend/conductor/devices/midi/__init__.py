"""MIDI ports, messages, and the processes that own the ports."""
