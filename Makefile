# Every target is a task of build/dev.py; pass its arguments as ARGS="...".
PYTHON ?= python3
TASKS := setup run test prove test-litellm conformance lint bench soak generate package package-test wheel bundle lock clean

.PHONY: help $(TASKS)
help:
	@$(PYTHON) build/dev.py help

$(TASKS):
	@$(PYTHON) build/dev.py $@ $(ARGS)
