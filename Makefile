# `make train` and `make test` need nothing but Debian 12 and Rust; see `make help`.
SHELL := /bin/bash

# The paths of the toolchain that .cargo/config.toml cannot set.
export PATH := $(CURDIR)/.venv/bin:/usr/lib/llvm-22/bin:$(PATH)

CNNC := $(or $(CARGO_TARGET_DIR),target)/release/cnnc
NET ?= examples/mnist_cnn.net
OUT ?= runs/mnist_cnn
EPOCHS ?=
SEED ?=
ROUNDS ?= 7
STEPS ?=

.PHONY: help deps build train test lint fmt zoo bench-deps goldens bench ablation clean

help:
	@echo 'make train [EPOCHS=3] [SEED=0] [OUT=DIR]  train MNIST from nothing: installs, builds, trains, evaluates'
	@echo 'make test                                 every check; what CI runs'
	@echo 'make deps | build | lint | fmt | clean    the parts'
	@echo 'make zoo [NETS="lenet5 resnet18"] [TARGETS=cuda,rocm]'
	@echo '                                          the nets of examples/ as a table: sizes, compile time, certificate'
	@echo 'make goldens                              recompute the golden numbers with PyTorch and JAX'
	@echo 'make bench [NETS="mlp mnist_cnn"] [ROUNDS=7] [STEPS=20]'
	@echo '                                          ms per training step against PyTorch and JAX'
	@echo 'make ablation [NET=FILE]                  ms per training step without each pass of the tuning'

deps:
	@scripts/deps.sh

build: deps
	@scripts/build.sh

train: build
	$(CNNC) train $(NET) --data mnist --out $(OUT) \
	  $(if $(EPOCHS),--epochs $(EPOCHS)) $(if $(SEED),--set train.seed=$(SEED))

test: deps
	@scripts/test.sh

lint: deps
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets --locked -- -D warnings

fmt:
	cargo fmt --all

zoo: build
	python3 scripts/zoo.py --cnnc $(CNNC) $(NETS) $(if $(TARGETS),--targets $(TARGETS))

bench-deps:
	@scripts/bench-deps.sh

goldens: bench-deps
	bench/.venv/bin/python bench/goldens.py --data data/mnist
	bench/.venv/bin/python bench/zoo_goldens.py

bench: build bench-deps
	bench/.venv/bin/python bench/bench.py $(NETS) --cnnc $(CNNC) --rounds $(ROUNDS) $(if $(STEPS),--steps $(STEPS))

ablation: build
	python3 bench/ablation.py $(NET) --cnnc $(CNNC)

clean:
	cargo clean
	rm -rf runs
