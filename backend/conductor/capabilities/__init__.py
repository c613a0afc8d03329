"""What the assistant can do besides mapping: calculating, reading files, fetching and searching the web."""
