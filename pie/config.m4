dnl phpize turns this into ./configure. The library is built by cargo; see Makefile.frag.
PHP_ARG_ENABLE([postings],
  [whether to enable postings],
  [AS_HELP_STRING([--enable-postings], [Enable postings: compressed posting lists, on the CPU and on OpenCL devices])],
  [yes])

if test "$PHP_POSTINGS" != "no"; then
  dnl rustup's cargo is often not in the PATH of a build; `. scripts/env.sh` finds it, and a libclang for bindgen.
  AC_MSG_CHECKING([for cargo])
  POSTINGS_CARGO=`. "$srcdir/../scripts/env.sh"; cargo --version 2>/dev/null`
  if test -z "$POSTINGS_CARGO"; then
    AC_MSG_RESULT([no])
    AC_MSG_ERROR([postings is written in Rust: install Rust 1.89 or newer (https://rustup.rs; on Debian 12: rustc-web cargo-web)])
  fi
  AC_MSG_RESULT([$POSTINGS_CARGO])

  dnl No C sources, so not PHP_NEW_EXTENSION: the module is named here and made by the rule in Makefile.frag.
  POSTINGS_ROOT=`cd "$srcdir/.." && pwd`
  PHP_SUBST([POSTINGS_ROOT])
  POSTINGS_PHP_CONFIG=`command -v "$PHP_CONFIG"`
  PHP_SUBST([POSTINGS_PHP_CONFIG])
  PHP_MODULES="$PHP_MODULES \$(phplibdir)/postings.la"
  PHP_ADD_MAKEFILE_FRAGMENT([$srcdir/Makefile.frag])
fi
