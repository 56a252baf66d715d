# The .la beside the module is what PHP's own `make test` reads the module's name from; `make install` leaves it out.
$(phplibdir)/postings.la: postings-by-cargo
	@echo "dlname='postings.so'" > $@

postings-by-cargo:
	. "$(POSTINGS_ROOT)/scripts/env.sh" && PHP_CONFIG="$(POSTINGS_PHP_CONFIG)" PHP="$(PHP_EXECUTABLE)" \
		cargo build --release --lib --locked --manifest-path "$(POSTINGS_ROOT)/Cargo.toml" --target-dir "$(POSTINGS_ROOT)/target"
	@mkdir -p $(phplibdir)
	cp "$(POSTINGS_ROOT)/target/release/libpostings.so" $(phplibdir)/postings.so

.PHONY: postings-by-cargo
