"""Slash commands, such as `/map pad 36 to cmd+c`: a small command language that works without a model."""
