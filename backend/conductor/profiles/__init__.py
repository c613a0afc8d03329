"""Device profiles: their files, the catalog, and inference from what was played."""
