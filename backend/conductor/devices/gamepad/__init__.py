"""Reads buttons, sticks and triggers of gamepads through the SDL library."""
