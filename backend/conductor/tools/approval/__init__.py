"""Whether a tool call may go ahead: policy, grants and pending approvals."""
