"""Parts for Windows. They are tested against fakes of the system libraries; nobody has run them on Windows."""
