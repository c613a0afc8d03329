"""The virtual controller, and the parser of the scripts that play it."""
