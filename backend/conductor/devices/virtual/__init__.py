"""The virtual controller and its script."""
