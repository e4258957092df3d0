# Every task of the project. `make help` lists them.

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
# Terraform for this machine brings its own emulator.
TERRAFORM_FOR_local = local.stack.terraform
TERRAFORM_FOR_dev = tools.terraform --env dev
TERRAFORM_FOR_prod = tools.terraform --env prod
TERRAFORM = $(or $(TERRAFORM_FOR_$(ENV)),$(error ENV is '$(ENV)'. Use one of: dev, prod, local))
CHECKOV_VERSION := 3.3.30
# Much of a test run is waiting, so there may be more processes than cores.
PROCESSES ?= 3

# The locked environment comes first on the path: python, node, npm, ruff and the rest are the project's own.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export PYTHONPATH := $(CURDIR)/layers/webordinary/python:$(CURDIR)/container:$(CURDIR)/ops:$(CURDIR)

STAMP := $(VENV)/.installed

##@ Start here
.PHONY: help setup demo up
help: ## Show this tour
	@awk 'BEGIN {FS = ":.*## "} \
	  /^##@/ {printf "\n\033[1m%s\033[0m\n", substr($$0, 5)} \
	  /^[a-z-]+:.*## / {printf "  \033[36mmake %-11s\033[0m %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
	@printf '\n  A stranger starts with \033[36mmake demo\033[0m; the README says more.\n'

setup: $(STAMP) $(VENV)/bin/webordinary ## Install the locked tools and packages into .venv
	@python -m tools.fetch_terraform
	@python -m tools.chromium

$(STAMP): requirements/uv.txt requirements/development.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed, $(PYTHON) is older. Set PYTHON=/path/to/python3.11."; exit 1; }
	@echo "Installing the locked packages into $(VENV) (once, about a minute) …"
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@$(VENV)/bin/uv pip install --quiet --python $(VENV)/bin/python --require-hashes -r requirements/development.txt
	@touch $@

$(VENV)/bin/webordinary: $(STAMP)
	@ln -sf ../../ops/webordinary $@

demo: $(STAMP) ## One mail, all the way to a changed site and a reply, offline
	@python -m local.demo

up: $(STAMP) ## The same system, kept running for real mail clients until Ctrl-C
	@python -m local.up

##@ While you work
.PHONY: test test-sites check check-site format bench chaos attack walk invoke cost screenshots audit
test: $(STAMP) ## Run all tests, from units to the whole system
	@python -m tools.package --target local > /dev/null
	@python -m pytest --numprocesses $(PROCESSES) --no-loadscope-reorder $(ARGS)

check: $(STAMP) ## Lint and type-check everything
	@python -m tools.check

format: $(STAMP) ## Format Python and Terraform
	@ruff format . && ruff check --fix --quiet . && terraform fmt -recursive terraform local/terraform_overrides

bench: $(STAMP) ## Measure, as ratios against a peer or a physical limit of the same run
	@python -m tools.package --target local > /dev/null
	@python -m tests.bench

chaos: $(STAMP) ## Kill workers, pause AWS, repeat messages, and see that every mail is answered once
	@python -m tools.package --target local > /dev/null
	@python -m tests.chaos $(ARGS)

attack: $(STAMP) ## Attack the worker as a hostile repository, build or agent would, and see that all of it is held
	@python -m tests.attack $(ARGS)

walk: $(STAMP) ## Go from an empty account to a website and back, with the emulator as the account
	@python -m tools.package --target local > /dev/null
	@python -m tests.walk

check-site: $(STAMP) ## Look at a site as a worker would: make check-site SITE=folder-or-address [ARGS=--help]
	@python -m local.check_site $(SITE) $(ARGS)

test-sites: $(STAMP) ## Install and build a small site for each trait that sites have, with the real tools
	@python -m pytest --numprocesses 2 -m sites tests/sites $(ARGS)

invoke: $(STAMP) ## Run one function with one event: make invoke FN=claim [EVENT=file]
	@python -m local.invoke $(FN) $(EVENT)

cost: $(STAMP) ## Reckon what it costs, into docs/cost.md
	@python -m tools.cost write

screenshots: $(STAMP) ## Take pictures of answers, on a phone and a desktop, into docs/pictures
	@python -m tools.screenshots

audit: $(STAMP) ## Run checkov over Terraform; every exception is in terraform/checkov.yaml with its reason
	@uv tool run --quiet checkov@$(CHECKOV_VERSION) --config-file terraform/checkov.yaml --skip-download --directory terraform

##@ Deploy
.PHONY: bootstrap doctor plan apply rollback destroy drift package image push
bootstrap: $(STAMP) ## Make what Terraform itself needs: make bootstrap ENV=dev|prod
	@python -m tools.bootstrap --env $(ENV)

doctor: $(STAMP) ## Say what an account still misses: make doctor ENV=dev|prod
	@python -m tools.doctor --env $(ENV)

plan: $(STAMP) ## Show what would change, and keep it for apply: make plan ENV=dev|prod|local
	@$(MAKE) package TARGET=$(TARGET_OF_ENV) > /dev/null
	@python -m $(TERRAFORM) plan

apply: $(STAMP) ## Create or change it: make apply ENV=dev|prod|local
	@$(MAKE) package TARGET=$(TARGET_OF_ENV) > /dev/null
	@python -m $(TERRAFORM) apply

rollback: $(STAMP) ## Make the functions and state machine from before the last apply live again: make rollback ENV=dev|prod
	@webordinary --env $(ENV) rollback $(ARGS)

destroy: $(STAMP) ## Remove it: make destroy ENV=dev|prod|local
	@python -m $(TERRAFORM) destroy

drift: $(STAMP) ## Tell what was changed on AWS without Terraform: make drift ENV=dev|prod
	@$(MAKE) package > /dev/null
	@python -m $(TERRAFORM) drift

package: $(STAMP) ## Make the zips of functions and layers (the same bytes every time)
	@python -m tools.package --target $(TARGET) $(if $(filter dev prod,$(ENV)),--env $(ENV))

image: $(STAMP) ## Build the worker's container image: make image [ENGINE=docker|podman|buildah] [PLATFORM=…]
	@ENGINE="$(ENGINE)" ARGS="$(ARGS)" python -m tools.image

push: $(STAMP) ## Push the image and note its digest for the next plan: make push ENV=dev|prod [ENGINE=…]
	@ENGINE="$(ENGINE)" python -m tools.push --env $(ENV)

##@ Tidy up
.PHONY: lock clean
lock: $(STAMP) ## Lock the requirements anew after an .in file was changed
	@for wanted in requirements/uv requirements/development requirements/bench requirements/runtime layers/dependencies/requirements \
	    functions/broker/requirements functions/picture/requirements functions/process_attachment/requirements container/requirements; do \
	  constraint=$$([[ $$wanted =~ requirements/(uv|development|bench) ]] || echo "-c requirements/development.txt"); \
	  override=$$([ ! -f $$(dirname $$wanted)/overrides.txt ] || echo "--override $$(dirname $$wanted)/overrides.txt"); \
	  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	    --no-header $$override $$constraint $$wanted.in -o $$wanted.txt; \
	done

clean: ## Remove everything that was made here, except the caches of downloads
	@rm -rf build .mypy_cache .pytest_cache .ruff_cache .hypothesis .cache/local
