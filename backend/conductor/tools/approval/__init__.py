"""Permission for tool calls: the policy, saved grants and pending approval requests."""
