"""Device profiles: their files, the catalog, and the inference of a profile from playing."""
