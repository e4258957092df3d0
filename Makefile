# The tasks of the project. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
ENV ?= local
TARGET ?= lambda
TARGET_OF_ENV = $(if $(filter local,$(ENV)),local,lambda)
# Terraform for ENV=local runs against an emulator.
TERRAFORM_FOR_local = local.stack.terraform
TERRAFORM_FOR_dev = tools.terraform --env dev
TERRAFORM_FOR_prod = tools.terraform --env prod
TERRAFORM = $(or $(TERRAFORM_FOR_$(ENV)),$(error ENV is '$(ENV)'. Use one of: dev, prod, local))
CHECKOV_VERSION := 3.3.30
# Tests mostly wait, so there may be more processes than cores.
PROCESSES ?= 3
PYTEST = python -m pytest --numprocesses $(PROCESSES) --no-loadscope-reorder
# Units, functions with their policies, the protocol model, Terraform's own tests, one whole mail.
FAST_TESTS := tests/unit tests/functions tests/model/test_protocol_holds.py tests/infrastructure/test_terraform_tests.py \
  tests/infrastructure/test_tools.py tests/infrastructure/test_function_permissions.py tests/e2e/test_one_mail.py \
  -m "not sites and not exhaustive"

# The locked environment comes first on the PATH: python, node, npm, ruff and others.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
# A test run starts hundreds of Python processes. Where the environment forbids bytecode, each would compile every module.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPATH := $(CURDIR)/layers/webordinary/python:$(CURDIR)/container:$(CURDIR)/ops:$(CURDIR)

# A company's certificates: every tool reads another variable.
ifdef SSL_CERT_FILE
export PIP_CERT ?= $(SSL_CERT_FILE)
export NODE_EXTRA_CA_CERTS ?= $(SSL_CERT_FILE)
export AWS_CA_BUNDLE ?= $(SSL_CERT_FILE)
export GIT_SSL_CAINFO ?= $(SSL_CERT_FILE)
endif

STAMP := $(VENV)/.installed
# Removes colours unless the output is a terminal.
COLOURS = if [ -t 1 ]; then cat; else sed $$'s/\033\[[0-9;]*m//g'; fi
# Fails at once without credentials, before the packages are built.
CHECK_ACCOUNT = $(if $(filter local,$(ENV)),true,python -m $(TERRAFORM_FOR_$(ENV)) ready)

##@ Start here
.PHONY: help setup demo up
help: ## Show this help
	@{ awk 'BEGIN {FS = ":.*## "} \
	  /^##@/ {printf "\n\033[1m%s\033[0m\n", substr($$0, 5)} \
	  /^[a-z-]+:.*## / {printf "  \033[36mmake %-12s\033[0m %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST)); \
	  printf '\n  New here? Start with \033[36mmake demo\033[0m and the README.\n'; } | $(COLOURS)

setup: $(STAMP) $(VENV)/bin/webordinary ## Install the locked tools and packages into .venv
	@python -m tools.fetch_terraform
	@python -m tools.chromium
	@printf '\nReady. Next: \033[36mmake demo\033[0m sends one mail through the whole system, offline (about a minute).\n' | $(COLOURS)

$(STAMP): requirements/uv.txt requirements/development.txt
	@command -v $(PYTHON) > /dev/null || \
	  { echo "$(PYTHON) was not found. Install Python 3.11 or newer, or set PYTHON=/path/to/python3.11."; exit 1; }
	@version=$$($(PYTHON) -c 'import sys; print("%d.%02d" % sys.version_info[:2])') || \
	  { echo "$(PYTHON) does not start. Set PYTHON=/path/to/python3.11."; exit 1; }; \
	  [[ ! $$version < 3.11 ]] || \
	  { echo "Python 3.11 or newer is required; $(PYTHON) is older. Set PYTHON=/path/to/python3.11."; exit 1; }
	@echo "Installing the locked packages into $(VENV) (once, about a minute) …"
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt && \
	  $(VENV)/bin/uv pip install --quiet --python $(VENV)/bin/python --require-hashes -r requirements/development.txt || \
	  { echo "The packages could not be installed. With a company's own certificates, set SSL_CERT_FILE=/path/to/ca.pem."; \
	    exit 1; }
	@touch $@

$(VENV)/bin/webordinary: $(STAMP)
	@ln -sf ../../ops/webordinary $@

demo: $(STAMP) ## Process one mail, from request to changed site and reply, offline
	@python -m local.demo

up: $(STAMP) ## Run the system on this machine for your mail client, until Ctrl-C
	@python -m local.up

##@ Develop
.PHONY: test test-all test-nightly test-sites check check-site format bench chaos attack simulate load walk invoke cost screenshots audit
test: $(STAMP) ## Run the fast tests and one whole mail, 5 minutes, or only some: make test [ARGS=tests/unit/mail]
	@python -m tools.package --target local > /dev/null
	@$(PYTEST) $(if $(filter-out -%,$(firstword $(ARGS))),,$(FAST_TESTS)) $(ARGS)

test-all: $(STAMP) ## Run all tests that CI runs, from unit to end-to-end, 16 minutes
	@python -m tools.package --target local > /dev/null
	@$(PYTEST) --durations 25 $(ARGS)

test-nightly: $(STAMP) ## Run the long rest: real sites, the long form of chaos, load, the walk through an empty account
	@$(MAKE) test-sites chaos load walk

check: $(STAMP) ## Lint and type-check everything
	@python -m tools.check

format: $(STAMP) ## Format Python and Terraform
	@ruff format . && ruff check --fix --quiet . && terraform fmt -recursive terraform local/terraform_overrides

bench: $(STAMP) ## Run benchmarks, as ratios against a peer or a physical limit: make bench [ARGS=agent]
	@python -m tools.package --target local > /dev/null
	@python -m tests.bench $(ARGS)

chaos: $(STAMP) ## Kill workers, pause AWS and repeat messages; check that every mail is answered once
	@python -m tools.package --target local > /dev/null
	@python -m tests.chaos $(ARGS)

attack: $(STAMP) ## Attack the worker with hostile repositories, builds and agents; check that it holds
	@python -m tests.attack $(ARGS)

simulate: $(STAMP) ## Simulate fleets of 10 to 100,000 pairs, into docs/simulation.md: make simulate [ARGS=--workload=FILE]
	@python -m tools.simulation $(ARGS)

load: $(STAMP) ## Count calls, what remains, memory and waits against their budget: make load [ARGS=--write]
	@python -m tools.package --target local > /dev/null
	@python -m tests.load $(ARGS)

walk: $(STAMP) ## Deploy into an empty emulated account with the README commands, and remove everything
	@python -m tools.package --target local > /dev/null
	@python -m tests.walk

check-site: $(STAMP) ## Check that a site works here: make check-site SITE=folder-or-url [ARGS=--help]
	@python -m local.check_site $(SITE) $(ARGS)

test-sites: $(STAMP) ## Install and build sample sites of many kinds with the real tools
	@python -m pytest --numprocesses 2 -m sites tests/sites $(ARGS)

invoke: $(STAMP) ## Run one function with one event: make invoke FN=claim [EVENT=file]
	@python -m local.invoke $(FN) $(EVENT)

cost: $(STAMP) ## Estimate the cost, into docs/cost.md
	@python -m tools.cost write

screenshots: $(STAMP) ## Take the pictures of replies and of a real run, into docs/pictures
	@python -m local.pictures

audit: $(STAMP) ## Run checkov on Terraform; terraform/checkov.yaml lists the exceptions
	@uv tool run --quiet checkov@$(CHECKOV_VERSION) --config-file terraform/checkov.yaml --skip-download --directory terraform

##@ Deploy
.PHONY: preflight bootstrap doctor plan apply rollback destroy drift package image push
preflight: $(STAMP) ## Check a new account before the first plan: make preflight ENV=dev|prod
	@python -m tools.preflight --env $(ENV)

bootstrap: $(STAMP) ## Create the resources that Terraform itself needs: make bootstrap ENV=dev|prod
	@python -m tools.bootstrap --env $(ENV)

doctor: $(STAMP) ## Check an account and report what is missing: make doctor ENV=dev|prod
	@python -m tools.doctor --env $(ENV)

plan: $(STAMP) ## Show the changes and save the plan for apply: make plan ENV=dev|prod|local
	@$(CHECK_ACCOUNT)
	@$(MAKE) package TARGET=$(TARGET_OF_ENV) > /dev/null
	@python -m $(TERRAFORM) plan

apply: $(STAMP) ## Deploy: make apply ENV=dev|prod|local
	@$(CHECK_ACCOUNT)
	@$(MAKE) package TARGET=$(TARGET_OF_ENV) > /dev/null
	@python -m $(TERRAFORM) apply

rollback: $(STAMP) ## Roll functions and state machine back to before the last apply: make rollback ENV=dev|prod
	@webordinary --env $(ENV) rollback $(ARGS)

destroy: $(STAMP) ## Remove the deployment: make destroy ENV=dev|prod|local
	@python -m $(TERRAFORM) destroy

drift: $(STAMP) ## Report changes made on AWS outside Terraform: make drift ENV=dev|prod
	@$(if $(filter local,$(ENV)),$(error ENV=local has no account. Use one of: dev, prod))true
	@$(CHECK_ACCOUNT)
	@$(MAKE) package > /dev/null
	@python -m $(TERRAFORM) drift

package: $(STAMP) ## Build the zips of functions and layers (reproducible)
	@python -m tools.package --target $(TARGET) $(if $(filter dev prod,$(ENV)),--env $(ENV))

image: $(STAMP) ## Build the worker's container image: make image [ENGINE=docker|podman|buildah] [PLATFORM=…]
	@$(if $(filter dev prod,$(ENV)),python -m tools.push --env $(ENV) --check)
	@ENGINE="$(ENGINE)" ARGS="$(ARGS)" python -m tools.image

push: $(STAMP) ## Push the image and record its digest for the next plan: make push ENV=dev|prod [ENGINE=…]
	@ENGINE="$(ENGINE)" python -m tools.push --env $(ENV)

##@ Maintain
.PHONY: lock clean
lock: $(STAMP) ## Update the lock files after a change of an .in file
	@for wanted in requirements/uv requirements/development requirements/bench requirements/runtime layers/dependencies/requirements \
	    functions/broker/requirements functions/picture/requirements functions/process_attachment/requirements container/requirements; do \
	  constraint=$$([[ $$wanted =~ requirements/(uv|development|bench) ]] || echo "-c requirements/development.txt"); \
	  override=$$([ ! -f $$(dirname $$wanted)/overrides.txt ] || echo "--override $$(dirname $$wanted)/overrides.txt"); \
	  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	    --no-header $$override $$constraint $$wanted.in -o $$wanted.txt; \
	done

clean: ## Remove all generated files, except downloads
	@rm -rf build .mypy_cache .pytest_cache .ruff_cache .hypothesis .cache/local .cache/snapshots
