"""Virtual keyboard, virtual pointer and window list over the Wayland protocol, without a library."""
