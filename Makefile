# Postings: `make help` says what there is.
#
# Every target sees to its own needs first: scripts/setup.sh installs what this machine lacks (Debian), and says nothing
# where all is there. scripts/env.sh picks cargo and a libclang that fits its headers.

PHP ?= php
PHP_CONFIG ?= php-config
CARGO_TARGET_DIR ?= target
# What `make demo` indexes (a file of lines `name<TAB>text`; the descriptions of all Debian packages if not set), asks
# besides its own queries, and writes its lists with (a name of one: qs, simple9 …).
CORPUS ?=
QUERY ?=
CODEC ?= qs
# A folder of real lists that `make bench` measures too: one a file, numbers between commas.
LISTS ?=
# Where it runs: values of postings.device and postings.offload.
DEVICE ?= auto
OFFLOAD ?= auto

EXTENSION = modules/postings.so
DEMO_INDEX = $(CARGO_TARGET_DIR)/demo/index.postings
SETUP = PHP='$(PHP)' PHP_CONFIG='$(PHP_CONFIG)' CORPUS='$(CORPUS)' sh scripts/setup.sh
# `-n`: no php.ini, so that the extension of this folder runs and not one that is installed.
RUN_PHP = $(PHP) -n -d extension='$(CURDIR)/$(EXTENSION)' -d 'postings.device=$(DEVICE)' -d 'postings.offload=$(OFFLOAD)'

# bindgen and ext-php-rs look at these; a bare name is left to their own search of PATH.
ifneq ($(PHP),php)
export PHP := $(shell command -v $(PHP))
endif
ifneq ($(PHP_CONFIG),php-config)
export PHP_CONFIG := $(shell command -v $(PHP_CONFIG))
endif
export CARGO_TARGET_DIR

.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: build demo test test-aarch64 bench bench-tiers install clean help setup-build setup-demo setup-test lint test-rust test-php test-examples

build: setup-build $(EXTENSION)  ## build modules/postings.so

demo: setup-demo $(EXTENSION)  ## index all Debian package descriptions and search them; CORPUS= QUERY= CODEC= DEVICE= OFFLOAD=
	$(RUN_PHP) examples/demo/index.php --codec '$(CODEC)' --output '$(DEMO_INDEX)' $(if $(CORPUS),--corpus '$(CORPUS)')
	$(RUN_PHP) examples/demo/search.php --index '$(DEMO_INDEX)' --sample $(if $(CORPUS),index,debian) $(if $(QUERY),--query '$(QUERY)')

test: setup-test lint test-rust test-php test-examples  ## format, lints, cargo test, run-tests.php, the examples

test-aarch64:  ## cargo test as an aarch64 program, under qemu; fetches what it needs (Debian, x86-64)
	@sh scripts/test-aarch64.sh

bench: setup-test $(EXTENSION)  ## measure: CPU, device, PHP; DEVICE= LISTS=; writes target/bench/report.json and plots
	@mkdir -p '$(CARGO_TARGET_DIR)/bench'
	. scripts/env.sh && cargo bench --no-default-features --bench cpu -- $(if $(LISTS),--lists '$(LISTS)')
	. scripts/env.sh && cargo bench --no-default-features --bench device -- --device '$(DEVICE)'
	[ -f '$(DEMO_INDEX)' ] || $(RUN_PHP) examples/demo/index.php --output '$(DEMO_INDEX)'
	$(RUN_PHP) benches/php/bench.php --index '$(DEMO_INDEX)' --output '$(CARGO_TARGET_DIR)/bench/php.json'
	. scripts/env.sh && cargo bench --no-default-features --bench report

# CRoaring chooses its instructions when it runs; these builds of it have no others than the tier's to choose.
bench-tiers: setup-test  ## measure intersections by AVX2 and by plain code, CRoaring held back to the same; LISTS=
	@mkdir -p '$(CARGO_TARGET_DIR)/bench'
	. scripts/env.sh && for tier in 'avx2 -DCROARING_COMPILER_SUPPORTS_AVX512=0' 'scalar -DROARING_DISABLE_X64'; do \
	  POSTINGS_BENCH_PEER="$${tier% *}" CFLAGS="$${tier#* }" CARGO_TARGET_DIR='$(CARGO_TARGET_DIR)'/bench-"$${tier% *}" \
	  cargo bench --no-default-features --bench cpu -- --out '$(abspath $(CARGO_TARGET_DIR))/bench' $(if $(LISTS),--lists '$(LISTS)') || exit; \
	done

install: setup-build $(EXTENSION)  ## copy the extension into PHP's extension directory
	install -D -m 644 $(EXTENSION) "$(DESTDIR)$$($(PHP_CONFIG) --extension-dir)/postings.so"
	@echo "Installed. To load it always, put the line  extension=postings  into a php.ini."

clean:  ## remove what was built
	rm -rf modules '$(CARGO_TARGET_DIR)'

help:  ## this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## */\1	/p' Makefile | expand -t 14

setup-build setup-demo setup-test:
	@$(SETUP) $(@:setup-%=%)

# cargo knows what is out of date; a copy that is already the same stays, so that nothing after it is redone.
$(EXTENSION): FORCE
	. scripts/env.sh && cargo build --release --lib
	@mkdir -p modules
	@cmp -s '$(CARGO_TARGET_DIR)/release/libpostings.so' $@ || install -m 644 '$(CARGO_TARGET_DIR)/release/libpostings.so' $@
FORCE:

lint:
	. scripts/env.sh && cargo fmt --check
	. scripts/env.sh && cargo clippy --no-default-features --all-targets -- -D warnings
	. scripts/env.sh && cargo clippy --all-targets -- -D warnings

# Without PHP: a test program is no PHP, and has none of the symbols that the extension finds in the PHP that loads it.
test-rust:
	. scripts/env.sh && cargo test --no-default-features

test-php: $(EXTENSION)
	PHP="$$(command -v '$(PHP)')" PHP_CONFIG="$$(command -v '$(PHP_CONFIG)')" sh php-tests/run.sh '$(EXTENSION)'

test-examples: $(EXTENSION)
	$(PHP) -n examples/test.php '$(EXTENSION)'
