# The front door.  Each target installs what is missing on Debian or Ubuntu (tools/deps), then does its work: one line a
# step on the terminal, the details in build*/log/.
#
#   make            build build/keyhole and the library      make bench    speed, as ratios of one run
#   make test       every part: five minutes on two cores    make eval     detection figures on the corpora
#   make test-full  everything: twenty-five minutes          make deep     valgrind, all faults, coverage, proofs, fuzzing
#   make lint       format, static analysis, own checks      make soak     hours: models, kills, fuzzing
#   make install    into DESTDIR and PREFIX                  make dist     a source archive of HEAD
#   make demo       a guided tour                            make run      the gateway, and what to paste
#   make clean      remove build*/

PREFIX  ?= /usr/local
DESTDIR ?=
VERSION := $(shell sed -n "s/^  version: '\(.*\)',$$/\1/p" meson.build)

export DESTDIR
MAKEFLAGS += --no-print-directory

.PHONY: build run demo test test-full soak bench eval lint deep install dist clean

build:
	@tools/deps
	@tools/build release

run: build
	@tools/run

demo: build
	@build/keyhole demo

test:
	@tools/deps test
	@tools/test

test-full:
	@tools/deps test full
	@tools/test full

soak:
	@tools/deps test full
	@tools/soak

bench: build
	@tools/deps bench
	@tools/require bench/run "there is no benchmark in this tree"
	@bench/run

eval: build
	@tools/require tools/eval "there is no evaluation in this tree"
	@tools/eval build/keyhole
	@tools/eval-extract build/keyhole
	@tools/eval-launder build/tools/verify-calls
	@tools/eval-bounds build/keyhole

lint:
	@tools/deps lint
	@tools/lint

deep:
	@tools/deps deep
	@tools/deep

install: build
	@meson configure build -Dprefix='$(PREFIX)' >build/log/install.log
	@ninja -C build >>build/log/install.log
	@meson install -C build --no-rebuild --quiet
	@echo "installed in $(DESTDIR)$(PREFIX)"

# git's own archive of HEAD: the same commit gives the same bytes.
dist:
	@mkdir -p build-dist
	@git archive --format=tar.gz --prefix=keyhole-$(VERSION)/ -o build-dist/keyhole-$(VERSION).tar.gz HEAD
	@echo "build-dist/keyhole-$(VERSION).tar.gz"

clean:
	@rm -rf build build-*
