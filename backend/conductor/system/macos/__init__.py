"""Parts for macOS. They are tested against fakes of the frameworks only; nobody has run them on a Mac."""
