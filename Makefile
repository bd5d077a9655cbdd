# Everything here is a short form of a command; none of it is needed to build, test or use warp with Go alone.

GO ?= go
GOLANGCI_VERSION := v2.15.0
GOLANGCI := $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# Static, without symbols and without paths of the machine that built it. The version is what Go records in every binary.
RELEASE := -trimpath -ldflags '-s -w'

PREFIX ?= $(HOME)/.local
MANDIR ?= $(PREFIX)/share/man

FUZZTIME ?= 10s
FUZZ_OF ?= 1
FUZZ_TURN ?= 0
RACE_OF ?= 1
RACE_TURN ?= 0
BENCHTIME ?= 1s
BENCHED := ./pkg/generator ./pkg/op ./pkg/recording ./pkg/aggregate ./pkg/load

.DEFAULT_GOAL := help
.PHONY: help build install test race soak bench bench-memory bench-client bench-analyze fuzz lint fmt cross faults servers clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build ./warp, static and stripped
	CGO_ENABLED=0 $(GO) build $(RELEASE) -o warp .

install: ## install warp into Go's bin directory, and its man pages and completions below PREFIX (~/.local)
	CGO_ENABLED=0 $(GO) install $(RELEASE) .
	@set -eu; warp=$$($(GO) list -f '{{.Target}}' .); \
	"$$warp" man "$(DESTDIR)$(MANDIR)/man1"; \
	deploy/completions/install.sh -w "$$warp" "$(DESTDIR)$(PREFIX)"

test: ## run the tests; needs Go and nothing else
	$(GO) test ./...

# Packages whose tests are long computations of one goroutine: there is no race to detect. Tests of all others run, so a new
# package needs no entry. "make race" fails if one of these is gone, or has become concurrent.
SERIAL := ./internal/testkit ./pkg/compare ./pkg/search ./pkg/trace/index
CONCURRENT := ^[[:space:]]*go [a-z]|\.Go\(|AfterFunc\(|"sync(/atomic)?"|t\.Parallel\(
TESTED := $(GO) list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}'

# The race detector holds every ending process for a second; commands are processes that end. Embedded servers run without it.
race: ## run the tests of what is concurrent with the race detector, without long simulations; one in RACE_OF of the sessions
	@set -eu; serial=$$($(TESTED) $(SERIAL)); packages=$$($(TESTED) ./... | grep -vxF "$$serial"); \
	! grep -nE '$(CONCURRENT)' $(SERIAL:%=%/*.go) || { echo "make race: not serial any more" >&2; exit 1; }; \
	dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; $(GO) build -o "$$dir/warp" .; \
	WARP_TEST_TURN=$(RACE_TURN)/$(RACE_OF) WARP_TEST_EMBEDDED="$$dir/warp" GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 $(GO) test -race -short -vet=off -timeout 30m $$packages

soak: ## run the tests with their long simulations and rulers in full (long)
	WARP_SOAK=1 $(GO) test -count=1 -timeout 2h ./...

bench: ## run the benchmarks (BENCHTIME=1s), and show the memory of a long run
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) $(BENCHED)
	$(MAKE) bench-memory

bench-memory: ## show the memory of a run after 100,000 and 2,000,000 operations (minutes)
	$(GO) test -run '^$$' -bench Memory -benchtime 1x -timeout 30m ./pkg/bench

bench-client: build ## measure what warp itself costs, next to its std engine, other clients, and wrk where installed
	$(GO) run ./test/clientbench -warp ./warp

bench-analyze: build ## time the analysis of 2 and 20 million operations in all forms, next to zstdcat (long)
	$(GO) run ./test/synth/bench -warp ./warp

fuzz: ## run every fuzz test for a while (FUZZTIME=10s), or one in FUZZ_OF of them, those that leave FUZZ_TURN
	@set -eu; n=0; \
	for t in $$(grep -rE '^func Fuzz' --include='*_test.go' . | sed -E 's|^(.*)/[^/]*:func (Fuzz[A-Za-z0-9_]*).*|\1:\2|' | LC_ALL=C sort); do \
		n=$$((n + 1)); [ $$((n % $(FUZZ_OF))) -eq $(FUZZ_TURN) ] || continue; \
		echo "$$t"; \
		if ! out=$$($(GO) test -vet=off -run '^$$' -fuzz "^$${t#*:}\$$" -fuzztime $(FUZZTIME) $(FUZZFLAGS) "$${t%:*}" 2>&1); then \
			echo "$$out"; \
			case $$out in \
			*"Failing input written"*) exit 1 ;; \
			*"context deadline exceeded"*) echo "not a failure: go test stopped a worker when the time was over" ;; \
			*) exit 1 ;; \
			esac; \
		fi; \
	done

lint: ## vet, check style, common faults and the layers of the packages
	$(GOLANGCI) run --allow-serial-runners

fmt: ## format the code as lint wants it
	$(GOLANGCI) fmt

cross: ## build for all systems into dist/
	@set -eu; for p in $(PLATFORMS); do \
		os=$${p%/*}; arch=$${p#*/}; ext=; [ $$os != windows ] || ext=.exe; \
		echo "dist/warp-$$os-$$arch$$ext"; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build $(RELEASE) -o dist/warp-$$os-$$arch$$ext .; \
	done
	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 $(GO) build $(RELEASE) -tags noembed -o dist/warp-linux-amd64-noembed .
	test/sizes.sh dist/warp-linux-amd64 dist/warp-linux-amd64-noembed

faults: ## run clients in networks that are slow, lossy and broken (root and iproute2; a minute)
	test/faults/networks.sh

servers: ## run the suite against servers of other origin (see test/servers)
	@set -eu; for s in minio s3proxy ministack s3s azurite fake-gcs; do \
		test/servers/with.sh $$s test/servers/suite.sh; \
	done

clean: ## remove what was built
	rm -rf warp dist
