/* E7, I6: what the world wrote is text on a terminal, however it was cut into pieces, and bytes elsewhere. */
#include "base/utf8.h"
#include "cli/terminal.h"
#include "harness.h"

#include <fcntl.h>
#include <unistd.h>

#define ROOM 65536

/* What FD gets for BYTES, given in pieces of at most STEP. */
static struct kh_view show(struct kh_test *t, struct kh_view bytes, size_t step, bool escapes)
{
	struct kh_terminal *terminal = kh_arena_alloc(&t->arena, sizeof(*terminal));
	char *out = kh_arena_alloc(&t->arena, ROOM);
	int fds[2];
	size_t n = 0;

	assert_non_null(terminal);
	assert_non_null(out);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(fcntl(fds[0], F_SETPIPE_SZ, 2 * ROOM) >= ROOM, 1);
	kh_terminal_init(terminal, fds[1], false);
	assert_false(terminal->escapes); /* a pipe is no terminal */
	terminal->escapes = escapes;
	for (size_t at = 0; at < bytes.n; at += step) {
		kh_terminal_give(terminal, kh_tainted_wrap(kh_view_sub(bytes, at, at + step)));
		while (!kh_terminal_is_idle(terminal))
			kh_terminal_pump(terminal);
	}
	kh_terminal_end(terminal);
	while (!kh_terminal_is_idle(terminal))
		kh_terminal_pump(terminal);
	assert_int_equal(terminal->error, 0);
	close(fds[1]);
	for (ssize_t got = 1; got > 0; n += (size_t)got) {
		got = read(fds[0], out + n, ROOM - n);
		assert_true(got >= 0);
	}
	close(fds[0]);
	return kh_view_of(out, n);
}

static void assert_shown(struct kh_view v)
{
	size_t len;

	for (size_t at = 0; at < v.n; at += len) {
		uint32_t c;
		len = kh_utf8_decode(v, at, &c);
		assert_true(len > 0);
		assert_true(c == '\n' || c == '\t' || !kh_utf8_is_invisible(c));
	}
}

static void test_escapes(struct kh_test *t)
{
	static const struct {
		struct kh_view in;
		const char *out;
	} cases[] = {
		{KH_LIT_INIT("plain, \ttabs\nand \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"),
		 "plain, \ttabs\nand \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
		{KH_LIT_INIT("\033[31m"), "\\x1b[31m"},
		{KH_LIT_INIT("a\0b\r\b\177"), "a\\x00b\\x0d\\x08\\u007f"},
		{KH_LIT_INIT("\xc2\x9b"), "\\u009b"},                               /* CSI of one character */
		{KH_LIT_INIT("\x9b\xff"), "\\x9b\\xff"},                            /* and as a byte */
		{KH_LIT_INIT("\xe2\x80\xae"), "\\u202e"},                           /* right to left */
		{KH_LIT_INIT("\xe2\x80\xa8"), "\\u2028"},                           /* a line's end for some */
		{KH_LIT_INIT("\xf3\xa0\x81\x81"), "\\udb40\\udc41"},                /* a tag, as JSON writes it */
		{KH_LIT_INIT("\xc0\x80\xed\xa0\x80"), "\\xc0\\x80\\xed\\xa0\\x80"}, /* overlong; half of a pair */
		{KH_LIT_INIT("\xe2\x82"), "\\xe2\\x82"},                            /* never completed */
		{KH_LIT_INIT("\xe2\x82x"), "\\xe2\\x82x"},
		{KH_LIT_INIT("a\\b"), "a\\b"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t step = 1; step <= 8; step++) {
			struct kh_view out = show(t, cases[i].in, step, true);
			assert_view(out, cases[i].out);
			assert_true(kh_view_eq(show(t, cases[i].in, step, false), cases[i].in));
		}
	}
}

/* The same numbers in every run. */
static uint32_t next(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Any bytes: shown text, and the same text for any way of cutting them. */
static void test_any(struct kh_test *t)
{
	char bytes[3000];
	uint32_t seed = 7;

	for (int round = 0; round < 60; round++) {
		size_t n = next(&seed) % sizeof(bytes);
		for (size_t i = 0; i < n; i++) {
			/* Bytes of longer characters more often than chance would have it. */
			uint32_t r = next(&seed);
			bytes[i] = (char)(r % 3 == 0   ? 0xc0 + r / 3 % 64
					  : r % 3 == 1 ? 0x80 + r / 3 % 64
						       : r / 3 % 256);
		}
		struct kh_view whole = show(t, kh_view_of(bytes, n), sizeof(bytes), true);
		assert_shown(whole);
		struct kh_view cut = show(t, kh_view_of(bytes, n), 1 + next(&seed) % 7, true);
		assert_true(kh_view_eq(whole, cut));
		assert_true(kh_view_eq(show(t, kh_view_of(bytes, n), 100, false), kh_view_of(bytes, n)));
		kh_arena_clear(&t->arena);
	}
}

/* What cannot be written is remembered, and nothing hangs. */
static void test_lost(struct kh_test *t)
{
	struct kh_terminal *terminal = kh_arena_alloc(&t->arena, sizeof(*terminal));
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_non_null(terminal);
	kh_terminal_init(terminal, full, false);
	assert_false(kh_terminal_say(terminal, KH_LIT("x")));
	assert_true(terminal->error != 0 && kh_terminal_is_idle(terminal));
	assert_false(kh_terminal_say(terminal, KH_LIT("more")));
	close(full);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_escapes),
	KH_TEST_ONCE(test_any),
	KH_TEST_ONCE(test_lost),
};
KH_TEST_MAIN(cases)
