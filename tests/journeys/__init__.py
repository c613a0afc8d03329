"""Journeys of a person through the page. A package, so that what is slow to start lives as long as it."""
