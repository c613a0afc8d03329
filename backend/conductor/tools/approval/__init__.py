"""Permission for tool calls: policy, grants and pending approvals."""
