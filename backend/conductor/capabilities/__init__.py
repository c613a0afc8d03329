"""What the assistant can do beside mapping: pure parts of calculating, reading files and asking the web."""
