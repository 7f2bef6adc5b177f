# Confluence: what one does with it. `make` lists the targets; what each needs beyond Go it says by itself.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
BINARY := bin/confluence

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: run
run: build ## build and serve on http://127.0.0.1:8080/, with the data in ./data
	@exec $(BINARY)

.PHONY: build
build: ## build bin/confluence
	go build -trimpath -ldflags '-X main.version=$(VERSION)' -o $(BINARY) ./cmd/confluence

.PHONY: test
test: tools ## set up what the tests need and run all of them, race detector on, and then the fuzz targets
	go test -race -count=1 -timeout 40m ./...
	@$(MAKE) --no-print-directory fuzz

.PHONY: check
check: ## format, vet, staticcheck, stale generated files, modules, direction of imports
	@.ci/check

.PHONY: generate
generate: ## make the Go code of the pages (views/*.templ)
	go tool templ fmt views
	go tool templ generate -path views

.PHONY: dev
dev: ## serve, and build and restart at each change
	@.ci/dev

FUZZ_TIME ?= 30s
FUZZ := web/FuzzCookie web/FuzzBearer web/FuzzJSONBody web/FuzzWebsocketFrame queue/trace/FuzzReplay

.PHONY: fuzz
# -fuzzminimizetime: without a limit the time goes into making what was found shorter.
fuzz: ## hostile input for cookies, tokens, bodies, frames and replay files, 30 s each
	@for target in $(FUZZ); do \
	  go test -run '^$$' -fuzz "^$${target##*/}$$" -fuzztime $(FUZZ_TIME) -fuzzminimizetime 10x "./$${target%/*}"; \
	done

.PHONY: bench
bench: tools ## what a crowd costs, against floors and peers: a table, and .cache/bench/bench.json and .svg
	cd cmd/peerbench && go run . -out ../../.cache/bench
	go test -run '^$$' -bench . -benchmem -benchtime 300ms -timeout 10m ./queue/...
	go test -count=1 -timeout 5m -v -run '^TestStorm$$' ./cmd/confluence

.PHONY: screenshots
screenshots: tools ## a picture of each page in each state into .cache/screenshots, with an index.html
	CONFLUENCE_SCREENSHOTS=1 go test -count=1 -timeout 10m -run '^(TestEveryPage|TestGallery|TestEveryLanguage)$$' ./cmd/confluence
	@echo "see .cache/screenshots/index.html"

.PHONY: tools
tools: ## install what the tests need beyond Go: Chromium, axe-core, PostgreSQL
	@.ci/tools

.PHONY: clean
clean: ## remove what was built and cached; ./data stays
	rm -rf bin .cache
