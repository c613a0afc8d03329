"""Opens MIDI ports, decodes and encodes messages, and runs the processes that own the ports."""
