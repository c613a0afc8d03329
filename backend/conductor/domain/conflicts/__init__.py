"""Rules that compare mappings without playing them."""
