"""Decides whether tool calls are allowed: the policy, the saved grants and the pending requests for
approval.
"""
