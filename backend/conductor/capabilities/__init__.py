"""What the assistant can do besides mapping: calculate, read files, fetch web pages and search the web."""
