"""What the assistant can do beside mapping: calculate, read files, ask the web. Pure parts; `tools.catalog` offers them."""
