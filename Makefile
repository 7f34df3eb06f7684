# Two commands for a newcomer: `make demo` shows the product, `make test` checks what CI checks, with the tools that are here; CI is `CI=1 make test`.
.PHONY: demo test cross miri ctcheck fuzz proofs circles package rehearsal record mca lab man ssh openssh capi openssl python cluster site install kernels check-toolchain

demo: check-toolchain
	@scripts/demo

test: check-toolchain
	@scripts/test

# Other machines: ARM, big-endian, 32 bits, WebAssembly, none at all; CROSS="i686 wasi" for some.
cross: check-toolchain
	@scripts/cross $(CROSS)

# The kernels, interpreted.
miri: check-toolchain
	@scripts/miri

# Constant time: valgrind watches the secrets.
ctcheck: check-toolchain
	@scripts/ctcheck

# Every fuzz target for FUZZ seconds; FUZZ_TARGETS="macs states" for some.
fuzz: check-toolchain
	@FUZZ="$(or $(FUZZ),60)" FUZZ_TARGETS="$(FUZZ_TARGETS)" scripts/fuzz

# The bounds and the lazy reductions, by Coq and z3: docs/proofs.md.
proofs:
	@scripts/proofs

# The kernels, from the compiled code, by a checker and z3: docs/kernels.md.
kernels: check-toolchain
	@scripts/prove-kernels

# No circle of imports between the modules of a crate.
circles: check-toolchain
	@scripts/circles

# What would be published: complete, and works by itself; and the oldest Rust.
package: check-toolchain
	@scripts/package

# A release up to what needs a person, installed on clean machines: RELEASING.md.
rehearsal: check-toolchain
	@scripts/rehearsal

# What the documents quote, measured three times on this machine.
record: check-toolchain
	@scripts/record

# What llvm-mca estimates for processors that are not here.
mca: check-toolchain
	@scripts/mca

# The papers' tables and figures beside today's rivals, in lab/records; LAB=--quick for two minutes,
# LAB="note pmac" for those tables. A quick run goes elsewhere, or it would replace a full one of the same day.
lab: check-toolchain
	. scripts/machine && cargo run --release --locked -p wegman-bench -- lab run \
		--out "$$directory$(if $(findstring --quick,$(LAB)),-quick)" $(LAB)

# wegman as the MAC of an SSH client that talks to OpenSSH's sshd on this machine.
ssh: check-toolchain
	@examples/russh/run

# The C libraries; the path of libwegman.so is the last line.
capi: check-toolchain
	@scripts/capi build

# The provider for OpenSSL 3; its path is the last line.
openssl: check-toolchain
	@scripts/openssl-provider

# What `make capi` built, the header, manual pages, and the files for pkg-config and CMake, for PREFIX (/usr/local), LIBDIR,
# DESTDIR.
install:
	@PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" DESTDIR="$(DESTDIR)" scripts/capi install

# OpenSSH itself with our UMAC: the same tags, and what it costs.
openssh: check-toolchain
	@scripts/openssh

# The Python package as a wheel; its path is the last line.
python: check-toolchain
	@scripts/python build

# wegman-cluster on Dask over an S3 server, and what it costs.
cluster: check-toolchain
	@scripts/cluster

# The page, and the npm package in it, served to this machine until Ctrl-C.
site: check-toolchain
	@scripts/site serve

# The manual pages and completions of the command, for packagers.
target := $(or $(CARGO_TARGET_DIR),target)
man: check-toolchain
	cargo build --release -p wegman-cli
	mkdir -p $(target)/man $(target)/completions
	$(target)/release/wegman man $(target)/man
	for shell in bash zsh fish; do \
		$(target)/release/wegman completions $$shell > $(target)/completions/wegman.$$shell; done

check-toolchain:
	@scripts/check-toolchain
