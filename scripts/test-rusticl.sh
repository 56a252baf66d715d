#!/bin/sh
# Runs the device tests, those of Rust and those of PHP, and a batch of the demo's on Mesa's OpenCL, rusticl, with its driver
# for CPUs, llvmpipe. Installs Debian's mesa-opencl-icd; unless RUSTICL_ENABLE names a driver, rusticl has no devices.
#
#   scripts/test-rusticl.sh path/to/postings.so
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
what=rusticl
. scripts/packages.sh
. scripts/driver.sh

extension=$(realpath "$1") || exit 1
own_folder rusticl

command -v apt-cache >/dev/null || skip 'needs a Debian with Mesa 25'
newest_from mesa-opencl-icd 25 >/dev/null || skip 'needs Mesa 25, as in Debian 13'
need_packages mesa-opencl-icd ocl-icd-libopencl1
export RUSTICL_ENABLE=llvmpipe
test_driver "$extension" libRusticlOpenCL.so.1 llvmpipe "$home"
