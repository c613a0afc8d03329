"""Serves other agents over the Agent2Agent protocol (A2A), on this computer only."""
