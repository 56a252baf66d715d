# Postings: `make help` lists the targets.
#
# Every target first runs scripts/setup.sh, which installs missing packages (on Debian) and prints nothing if none are
# missing. scripts/env.sh picks cargo and a libclang that matches its headers.

PHP ?= php
PHP_CONFIG ?= php-config
CARGO_TARGET_DIR ?= target
# For `make demo`: the documents to index (a folder of text files, or a file of lines `name<TAB>text`; if not set, the
# descriptions of all Debian packages), and a query in addition to the built-in ones.
CORPUS ?=
QUERY ?=
# For `make demo`: how many queries to search for in one call, on the CPU and on DEVICE.
BATCH ?=
# For `make test-zts`: how many threads, one run after the other, and for how long.
THREADS ?= 2 16 500
SECONDS_EACH ?= 60
# For `make test-apache`.
MINUTES ?= 10
# For `make test-power`: losses of power on each file system.
TIMES ?= 100
# For `make test-machines`: a checkout of Yioop 2019, and numbers of leaves, one run after the other.
YIOOP_DIR ?=
LEAVES ?= 2,4
# For `make soak`.
HOURS ?= 1
# For `make fuzz`: seconds for each target, and which ones; all by default.
TIME ?= 60
TARGETS ?=
# For `make test-aarch64`: parts of names of the tests that run; all if not set.
TESTS ?=
# For `make serve`.
PORT ?= 8000
# For `make bench`: a folder of real lists to measure too, one list per file, numbers separated by commas. For `make
# experiments` also a folder of such folders, or of zip files.
LISTS ?=
# For `make experiments`: what to run (all if not set), and the name under which results are kept. CORPUS= is a file here;
# or an index instead, and a file with a query per line for ranked search in it.
ONLY ?=
MACHINE ?= cpu
INDEX ?=
QUERIES ?=
# Where the passages for `make bench-search` are, or are put.
SEARCH_CORPUS ?= $(CARGO_TARGET_DIR)/search-bench
# Has a target folder of its own: tantivy takes minutes to compile.
SEARCH_BENCH = . scripts/env.sh && env -u CARGO_TARGET_DIR cargo run --release --manifest-path benches/search/Cargo.toml --
# 1: wherever the module is built, as it is for packages, with a profile of what runs often.
OPTIMIZED ?=
# For `make dist`, `deb`, `test-packages` and `test-pie`: a module to pack instead of building one.
MODULE ?=
# For `make test-pie`: pie.phar, or the folder of a clone of PIE that works; and whether PIE also compiles.
PIE ?=
SOURCE ?=
# Where the benches run: values of postings.device and postings.offload.
DEVICE ?= auto
OFFLOAD ?= auto

EXTENSION = modules/postings.so
DEMO_INDEX = $(CARGO_TARGET_DIR)/demo/index
SETUP = PHP='$(PHP)' PHP_CONFIG='$(PHP_CONFIG)' CORPUS='$(CORPUS)' OPTIMIZED='$(OPTIMIZED)' sh scripts/setup.sh
# `-n`: no php.ini, so that the extension built here is loaded and not an installed one.
RUN_PHP = $(PHP) -n -d extension='$(CURDIR)/$(EXTENSION)' -d 'postings.device=$(DEVICE)' -d 'postings.offload=$(OFFLOAD)'

# bindgen and ext-php-rs read these variables; a bare name is left to their own search of PATH.
ifneq ($(PHP),php)
export PHP := $(shell command -v $(PHP))
endif
ifneq ($(PHP_CONFIG),php-config)
export PHP_CONFIG := $(shell command -v $(PHP_CONFIG))
endif
export CARGO_TARGET_DIR

.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: build demo serve test test-aarch64 test-aarch64-php test-asan test-tsan test-intel test-rusticl test-spark test-memory test-valgrind test-zts test-apache test-machines soak test-power fuzz fuzz-corpus test-browser test-packages test-pie dist dist-aarch64 deb lint-packages deny bench bench-search bench-copies bench-shards bench-vectors bench-weights bench-ranked bench-bm25x bench-stream bench-tiers experiments experiments-page docs install clean help setup-build setup-demo setup-test setup-browser setup-bench setup-dist setup-deb setup-packages lint test-rust test-php test-examples

build: setup-build $(EXTENSION)  ## build modules/postings.so

demo: setup-demo $(EXTENSION)  ## index all Debian package descriptions and search them; CORPUS= QUERY= DEVICE= BATCH=
	$(RUN_PHP) examples/demo/index.php --output '$(DEMO_INDEX)' $(if $(CORPUS),--corpus '$(CORPUS)')
	$(RUN_PHP) examples/demo/search.php --index '$(DEMO_INDEX)' --sample $(if $(CORPUS),index,debian) $(if $(QUERY),--query '$(QUERY)') $(if $(BATCH),--batch '$(BATCH)')

# All the set-up, then a page at http://localhost:8000.
serve: setup-demo $(EXTENSION)  ## search the demo's index in a browser, as you type; CORPUS= PORT=
	[ -d '$(DEMO_INDEX)' ] || $(RUN_PHP) examples/demo/index.php --output '$(DEMO_INDEX)' $(if $(CORPUS),--corpus '$(CORPUS)')
	DEMO_INDEX='$(abspath $(DEMO_INDEX))' $(RUN_PHP) -S localhost:$(PORT) examples/search-as-you-type/index.php

test: setup-test lint $(EXTENSION) test-rust test-php test-examples  ## check format and lints; run the Rust tests, the PHP tests and the examples

test-browser: setup-browser $(EXTENSION)  ## test examples/search-as-you-type in headless Chromium, which it installs
	$(PHP) -n examples/search-as-you-type/test.php '$(EXTENSION)'

# Builds a thread-safe PHP of Debian's sources first, and the extension for it.
test-zts: setup-build  ## test in a thread-safe PHP, whose requests are threads: the PHP tests, then 2, 16 and 500 threads; THREADS= SECONDS_EACH=
	@THREADS='$(THREADS)' SECONDS_EACH='$(SECONDS_EACH)' sh scripts/test-zts.sh

# Builds Apache's module of that PHP as well.
test-apache: setup-build  ## let threads of Apache's event MPM search under load while a writer commits, and check all answers; MINUTES=
	@MINUTES='$(MINUTES)' sh scripts/test-apache.sh

test-valgrind: setup-test $(EXTENSION)  ## run the PHP tests under valgrind: no error, and no definite leak
	@PHP="$$(command -v '$(PHP)')" PHP_CONFIG="$$(command -v '$(PHP_CONFIG)')" sh scripts/test-valgrind.sh '$(EXTENSION)'

test-memory: setup-build $(EXTENSION)  ## ten million calls, a million exceptions and 100,000 commits in one process, whose memory must stay flat
	@folder=$$(mktemp -d) && { $(RUN_PHP) php-tests/soak/memory.inc "$$folder" 10000000 1000000 100000; status=$$?; rm -rf "$$folder"; exit $$status; }

test-power: setup-build $(EXTENSION)  ## lose power at random moments on ext4, XFS and Btrfs in files, as root; TIMES=
	@PHP="$$(command -v '$(PHP)')" TIMES='$(TIMES)' sh scripts/test-power.sh '$(EXTENSION)'

test-machines: setup-build $(EXTENSION)  ## search shards on several machines, on loopback addresses, that fail; and a Yioop of several, without the drop-in and with it; YIOOP_DIR= LEAVES=
	@PHP="$$(command -v '$(PHP)')" YIOOP_DIR='$(YIOOP_DIR)' LEAVES='$(LEAVES)' sh scripts/test-machines.sh '$(EXTENSION)'

soak: setup-build $(EXTENSION)  ## php-fpm workers search while a writer commits; both are killed at random, all answers are checked; HOURS=
	@PHP="$$(command -v '$(PHP)')" HOURS='$(HOURS)' sh scripts/soak.sh '$(EXTENSION)'

fuzz: setup-build  ## fuzz each target of fuzz/ with AddressSanitizer for TIME= seconds, from fuzz/corpus and what earlier runs learned; TARGETS=
	@TIME='$(TIME)' TARGETS='$(TARGETS)' sh scripts/fuzz.sh

fuzz-corpus: setup-build  ## keep in fuzz/corpus what fuzzing has learned: the fewest inputs that reach as much; TARGETS=
	@TARGETS='$(TARGETS)' sh scripts/fuzz.sh --keep

test-asan:  ## run the Rust tests with AddressSanitizer, which also finds leaks
	@sh scripts/test-sanitizer.sh address

test-tsan:  ## run the Rust tests that use threads with ThreadSanitizer
	@sh scripts/test-sanitizer.sh thread

test-intel: setup-test $(EXTENSION)  ## run the device tests on Intel's OpenCL runtime for CPUs, which it downloads (PyPI, 700 MB unpacked)
	@PHP="$$(command -v '$(PHP)')" PHP_CONFIG="$$(command -v '$(PHP_CONFIG)')" sh scripts/test-intel.sh '$(EXTENSION)'

test-rusticl: setup-test $(EXTENSION)  ## run the device tests on Mesa's rusticl with llvmpipe, which it installs (Debian 13)
	@PHP="$$(command -v '$(PHP)')" PHP_CONFIG="$$(command -v '$(PHP_CONFIG)')" sh scripts/test-rusticl.sh '$(EXTENSION)'

test-spark: setup-build $(EXTENSION)  ## build indexes with Spark on two executors, which it installs (Debian, PyPI); workers are killed, results compared
	@PHP="$$(command -v '$(PHP)')" sh integrations/spark/test.sh '$(EXTENSION)'

test-aarch64:  ## run the Rust tests as an aarch64 program under qemu, which it downloads (Debian, x86-64); TESTS=
	@sh scripts/test-aarch64.sh $(TESTS)

test-aarch64-php: setup-build  ## run the PHP tests in Debian's PHP for arm64, under qemu: both are downloaded, the extension is cross-built
	@sh scripts/test-aarch64-php.sh

bench: bench-search bench-ranked bench-bm25x $(EXTENSION)  ## measure search, CPU, device and PHP, and write reports and plots to target/bench; DEVICE= LISTS=
	@mkdir -p '$(CARGO_TARGET_DIR)/bench'
	. scripts/env.sh && cargo bench --no-default-features --features lab --bench cpu -- $(if $(LISTS),--lists '$(LISTS)')
	. scripts/env.sh && cargo bench --no-default-features --features lab --bench real
	. scripts/env.sh && cargo bench --no-default-features --features lab --bench device -- --device '$(DEVICE)'
	[ -d '$(DEMO_INDEX)' ] || $(RUN_PHP) examples/demo/index.php --output '$(DEMO_INDEX)'
	$(RUN_PHP) benches/php/bench.php --index '$(DEMO_INDEX)' --output '$(CARGO_TARGET_DIR)/bench/php.json'
	. scripts/env.sh && cargo bench --no-default-features --features lab --bench report

# Downloads some 650 MB of Debian's documentation, once, to SEARCH_CORPUS.
bench-search: setup-bench $(EXTENSION)  ## measure ranked search against tantivy and SQLite FTS5 on a million passages; SEARCH_CORPUS=
	@mkdir -p '$(CARGO_TARGET_DIR)/bench'
	[ -f '$(SEARCH_CORPUS)/passages.txt' ] || sh benches/search/corpus.sh '$(SEARCH_CORPUS)'
	$(SEARCH_BENCH) index --data '$(SEARCH_CORPUS)' --threads 1,2 --out '$(CARGO_TARGET_DIR)/bench/search-index.json'
	$(SEARCH_BENCH) search --data '$(SEARCH_CORPUS)' --out '$(CARGO_TARGET_DIR)/bench/search.json'
	$(SEARCH_BENCH) fields --data '$(SEARCH_CORPUS)' --out '$(CARGO_TARGET_DIR)/bench/search-fields.json'
	$(RUN_PHP) -d extension=pdo -d extension=pdo_sqlite benches/search/php.php --data '$(SEARCH_CORPUS)' --out '$(CARGO_TARGET_DIR)/bench/search-php.json'
	$(RUN_PHP) benches/search/conditions.php --data '$(SEARCH_CORPUS)' --out '$(CARGO_TARGET_DIR)/bench/conditions.json'
	$(SEARCH_BENCH) conditions --data '$(SEARCH_CORPUS)' --out '$(CARGO_TARGET_DIR)/bench/conditions-tantivy.json'

bench-copies: setup-bench $(EXTENSION)  ## measure copies of an open index and joining two, on a million passages; SEARCH_CORPUS= OTHER=
	[ -f '$(SEARCH_CORPUS)/passages.txt' ] || sh benches/search/corpus.sh '$(SEARCH_CORPUS)'
	$(RUN_PHP) -d memory_limit=2G benches/search/copies.php --data '$(SEARCH_CORPUS)' $(if $(OTHER),--other '$(OTHER)')

# Python and the packages of benches/vectors/requirements.txt, some 200 MB, are downloaded once; the data take 12 GB.
bench-vectors: setup-bench $(EXTENSION)  ## measure the nearest of a million vectors beside faiss, usearch and sqlite-vec; SEARCH_CORPUS=
	[ -f '$(SEARCH_CORPUS)/passages.txt' ] || sh benches/search/corpus.sh '$(SEARCH_CORPUS)'
	[ -x '$(CARGO_TARGET_DIR)/bench/python/bin/python' ] || python3 -m venv '$(CARGO_TARGET_DIR)/bench/python'
	'$(CARGO_TARGET_DIR)/bench/python/bin/pip' -q install -r benches/vectors/requirements.txt
	'$(CARGO_TARGET_DIR)/bench/python/bin/python' benches/vectors/peers.py --data '$(CARGO_TARGET_DIR)/bench/vectors' --passages '$(SEARCH_CORPUS)/passages.txt'
	$(RUN_PHP) -d memory_limit=2G benches/vectors/vectors.php --data '$(CARGO_TARGET_DIR)/bench/vectors' --passages '$(SEARCH_CORPUS)/passages.txt'

bench-weights: setup-bench  ## measure learned sparse weights of a million generated documents beside BMP and PISA
	. scripts/env.sh && cargo bench --no-default-features --features lab --bench weights -- --documents 1000000 \
	    --index '$(abspath $(CARGO_TARGET_DIR))/bench/weights/index' --peers '$(abspath $(CARGO_TARGET_DIR))/bench/weights'
	[ -x '$(CARGO_TARGET_DIR)/bench/python/bin/python' ] || python3 -m venv '$(CARGO_TARGET_DIR)/bench/python'
	'$(CARGO_TARGET_DIR)/bench/python/bin/pip' -q install bmp numpy 'tbb<2021'
	'$(CARGO_TARGET_DIR)/bench/python/bin/pip' -q install --no-deps pyterrier_pisa
	'$(CARGO_TARGET_DIR)/bench/python/bin/python' benches/weights/peers.py '$(CARGO_TARGET_DIR)/bench/weights'

bench-shards: setup-bench $(EXTENSION)  ## compare four indexes, told their common statistics, with one of all passages, and measure both; SEARCH_CORPUS=
	[ -f '$(SEARCH_CORPUS)/passages.txt' ] || sh benches/search/corpus.sh '$(SEARCH_CORPUS)'
	$(RUN_PHP) -d memory_limit=2G benches/search/shards.php --data '$(SEARCH_CORPUS)'

# The passages and queries are those of bench-search, if it has run; without a device nothing is measured.
bench-ranked: setup-test  ## measure ranked search on a device against the CPU, on a generated collection and the passages; DEVICE= SEARCH_CORPUS=
	@mkdir -p '$(CARGO_TARGET_DIR)/bench'
	. scripts/env.sh && set -- --device '$(DEVICE)' --documents 1000000 --out '$(abspath $(CARGO_TARGET_DIR))/bench/ranked.json' && \
	  for index in '$(abspath $(SEARCH_CORPUS))'/ours-*[0-9]; do \
	    queries="$${index%/*}/queries-$${index##*-}/passage.txt"; \
	    if [ -d "$$index" ] && [ -f "$$queries" ]; then \
	      set -- "$$@" --index "$$index" --queries "$$queries" --phrases "$${queries%/*}/phrase.txt"; \
	    fi; \
	  done && cargo bench --no-default-features --features lab --bench ranked -- "$$@"

# bm25x needs CUDA's driver and NVRTC; without them nothing is measured.
bench-bm25x: setup-test  ## measure ranked search on a device beside bm25x on CUDA, on a million passages; DEVICE= SEARCH_CORPUS=
	@mkdir -p '$(CARGO_TARGET_DIR)/bench'
	[ -f '$(SEARCH_CORPUS)/passages.txt' ] || sh benches/search/corpus.sh '$(SEARCH_CORPUS)'
	. scripts/env.sh && cargo run --release --manifest-path benches/bm25x/Cargo.toml -- --device '$(DEVICE)' \
	    --passages '$(SEARCH_CORPUS)/passages.txt' --out '$(CARGO_TARGET_DIR)/bench/bm25x.json'

bench-stream: setup-test  ## measure how many queries a second a stream keeps up with, by CPU, device and both; DEVICE= SEARCH_CORPUS=
	. scripts/env.sh && set -- --device '$(DEVICE)' && \
	  for index in '$(abspath $(SEARCH_CORPUS))'/ours-*[0-9]; do \
	    queries="$${index%/*}/queries-$${index##*-}/passage.txt"; \
	    if [ -d "$$index" ] && [ -f "$$queries" ]; then set -- --device '$(DEVICE)' --index "$$index" --queries "$$queries"; fi; \
	  done && if [ $$# = 2 ]; then set -- "$$@" --documents 1000000; fi && cargo bench --no-default-features --features lab --bench stream -- "$$@"

# CRoaring chooses its instructions when it runs; these builds of it have no others than the tier's to choose.
bench-tiers: setup-test  ## measure intersections by AVX2 and by plain code, also of real lists, CRoaring held back to the same; LISTS=
	@mkdir -p '$(CARGO_TARGET_DIR)/bench'
	. scripts/env.sh && for tier in 'avx2 -DCROARING_COMPILER_SUPPORTS_AVX512=0' 'scalar -DROARING_DISABLE_X64'; do \
	  export POSTINGS_BENCH_PEER="$${tier% *}" CFLAGS="$${tier#* }" CARGO_TARGET_DIR='$(CARGO_TARGET_DIR)'/bench-"$${tier% *}"; \
	  cargo bench --no-default-features --features lab --bench cpu -- --out '$(abspath $(CARGO_TARGET_DIR))/bench' $(if $(LISTS),--lists '$(LISTS)') && \
	  cargo bench --no-default-features --features lab --bench real -- --out '$(abspath $(CARGO_TARGET_DIR))/bench' || exit; \
	done

DESCRIPTIONS = $(CARGO_TARGET_DIR)/experiments/descriptions.txt
EXPERIMENTS = . scripts/env.sh && cargo bench --no-default-features --features lab --bench experiments --
experiments: setup-demo  ## redraw the papers' tables and figures: docs/experiments/results.md; LISTS= CORPUS= INDEX= QUERIES= DEVICE= MACHINE= ONLY=
	@mkdir -p '$(CARGO_TARGET_DIR)/experiments'
	$(if $(CORPUS)$(INDEX),,[ -f '$(DESCRIPTIONS)' ] || sh benches/experiments/descriptions.sh '$(DESCRIPTIONS)')
	$(EXPERIMENTS) $(if $(INDEX),--index '$(INDEX)' $(if $(QUERIES),--queries '$(QUERIES)'),--text '$(or $(CORPUS),$(DESCRIPTIONS))') \
	  --machine '$(MACHINE)' $(if $(LISTS),--lists '$(LISTS)') \
	  $(if $(filter-out auto,$(DEVICE)),--device '$(DEVICE)') $(if $(ONLY),--only '$(ONLY)')

experiments-page: setup-build  ## make docs/experiments/results.md of the results in docs/experiments/ that are there
	$(EXPERIMENTS) --render

# README's table is one of results.md.
docs: setup-build  ## make docs/api.md of the stubs, and docs/results.md of the benches' results in docs/results/
	$(PHP) -n scripts/api.php
	$(PHP) -n scripts/results.php

install: setup-build $(EXTENSION)  ## copy the extension into PHP's extension directory
	install -D -m 644 $(EXTENSION) "$(DESTDIR)$$($(PHP_CONFIG) --extension-dir)/postings.so"
	@echo "Installed. To load it in every PHP process, add this line to php.ini:  extension=postings"

PACKAGING = PHP="$$(command -v '$(PHP)')" PHP_CONFIG="$$(command -v '$(PHP_CONFIG)')" MODULE='$(abspath $(MODULE))' sh packaging
dist: setup-dist  ## make the archive that PIE installs without a compiler, in target/dist; PHP= PHP_CONFIG= MODULE=
	$(PACKAGING)/dist.sh

deb: setup-deb  ## make a Debian package by dh-php's conventions, in target/dist; PHP= PHP_CONFIG= MODULE=
	$(PACKAGING)/deb.sh

dist-aarch64: setup-dist  ## cross-build the archive for arm64, of Debian's PHP, and search with what is in it under qemu
	@sh scripts/test-aarch64-php.sh archive

# As root. Debian 12 has PHP 8.2, Debian 13 PHP 8.4; for others only dist and deb work.
test-packages: setup-packages  ## install both in a bare Debian (debootstrap) and search there; PHP= PHP_CONFIG= MODULE=
	archive=$$($(PACKAGING)/dist.sh) && package=$$($(PACKAGING)/deb.sh) && sh packaging/test.sh "$$archive" "$$package"

# As root, for a mount namespace.
test-pie: setup-dist  ## let PIE itself install the archive and search, with a stand-in for Packagist and GitHub; PIE= SOURCE=1 MODULE=
	@PHP="$$(command -v '$(PHP)')" PHP_CONFIG="$$(command -v '$(PHP_CONFIG)')" PIE='$(PIE)' SOURCE='$(SOURCE)' MODULE='$(and $(MODULE),$(abspath $(MODULE)))' \
	  sh scripts/test-pie.sh

lint-packages: setup-packages  ## check the scripts of packages and the workflow of releases
	sh packaging/lint.sh

# Compiles cargo-deny, once. Needs the network, for the database of advisories.
deny: setup-build  ## check licences, sources and advisories of all crates with cargo-deny
	sh packaging/deny.sh

clean:  ## remove everything that was built
	rm -rf modules '$(CARGO_TARGET_DIR)'

help:  ## print this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## */\1	/p' Makefile | expand -t 14

setup-build setup-demo setup-test setup-browser setup-bench setup-dist setup-deb setup-packages:
	@$(SETUP) $(@:setup-%=%)

# cargo knows what is out of date. An identical copy is kept, so that nothing that depends on it is redone.
ifeq ($(OPTIMIZED),1)
BUILD = sh packaging/build.sh
else
BUILD = . scripts/env.sh && cargo build --release --lib && echo '$(CARGO_TARGET_DIR)/release/libpostings.so'
endif
$(EXTENSION): FORCE
	@mkdir -p modules
	built=$$($(BUILD)) && { cmp -s "$$built" $@ || install -m 644 "$$built" $@; }
FORCE:

# With PHP as a release, which the extension is: what generates the bindings to PHP is compiled once for both.
lint:
	. scripts/env.sh && cargo fmt --check
	. scripts/env.sh && cargo clippy --no-default-features --features lab --all-targets -- -D warnings
	. scripts/env.sh && cargo clippy --release --lib -- -D warnings
	$(PHP) -n scripts/api.php --check
	$(PHP) -n scripts/results.php --check

# Without PHP, because a test program lacks the symbols that the extension finds in the PHP process that loads it.
test-rust:
	. scripts/env.sh && cargo test --no-default-features --features lab

test-php: $(EXTENSION)
	PHP="$$(command -v '$(PHP)')" PHP_CONFIG="$$(command -v '$(PHP_CONFIG)')" sh php-tests/run.sh '$(EXTENSION)'

test-examples: $(EXTENSION)
	$(PHP) -n examples/test.php '$(EXTENSION)'
