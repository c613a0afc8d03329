"""Records speech while the user holds a control, and recognises the names of commands in it, offline."""
