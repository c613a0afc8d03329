"""Imports what a window process imports. Nothing of Qt starts before there is an application."""

from importlib import import_module

for name in (
    "conductor.window.process",
    "conductor.window.qt_shell",
    "webview.platforms.qt",
):
    import_module(name)
