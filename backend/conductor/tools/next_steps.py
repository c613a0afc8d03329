"""Advice that is sent to agents with an error, by the code of the error."""

NEXT_STEP_BY_ERROR_CODE: dict[str, str] = {
    "mode_not_found": "conductor_list_modes shows the modes",
    "device_not_found": "conductor_list_devices shows the devices",
    "plan_not_found": "conductor_list_plans shows the plans",
    "plan_expired": "call the tool that made the plan again",
    "plan_stale": "read the config with conductor_get_config and call the tool that made the plan again",
    "not_approved": "tell the user; only the user can approve",
    "examples_failed": "fix the mapping or the example, and propose it again",
    "rate_limited": "wait, then call again",
    "not_allowed": "tell the user; only the user can allow it, by approval or in the settings",
    "params_invalid": "conductor_describe_types explains how to write a type; see also the input schema",
    "config_invalid": "fix the problem in the message, and call again; nothing was changed",
}
