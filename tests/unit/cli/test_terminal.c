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

static struct kh_view frame(struct kh_test *t, struct kh_view text, size_t columns)
{
	struct kh_view out = {NULL, 0};
	struct kh_buf buf;

	kh_buf_init(&buf, &t->arena, 1U << 24);
	kh_terminal_frame(&buf, kh_tainted_wrap(text), columns);
	must(t, kh_buf_end(&buf, &out));
	return out;
}

/* B15, I6: text that a human is to judge shows all that it holds, and looks like nothing of ours. */
static void test_frame(struct kh_test *t)
{
	static const struct {
		struct kh_view in;
		const char *out;
	} shown[] = {
		{KH_LIT_INIT(""), "    1 | \n"},
		{KH_LIT_INIT("a\n\nb"), "    1 | a\n    2 | \n    3 | b\n"},
		{KH_LIT_INIT("a\n"), "    1 | a\n    2 | \n"},
		{KH_LIT_INIT("\r\033[2J\033]0;x\a"), "    1 | \\u{d}\\u{1b}[2J\\u{1b}]0;x\\u{7}\n"},
		{KH_LIT_INIT("\xc2\x9b\x9b\0\x7f"), "    1 | \\u{9b}\\x{9b}\\u{0}\\u{7f}\n"},
		{KH_LIT_INIT("\xe2\x80\xae\xe2\x81\xa6"), "    1 | \\u{202e}\\u{2066}\n"}, /* bidi */
		{KH_LIT_INIT("a\xe2\x80\x8b\xc2\xad"), "    1 | a\\u{200b}\\u{ad}\n"},     /* nothing to be seen */
		{KH_LIT_INIT("\xf3\xa0\x81\x81"), "    1 | \\u{e0041}\n"},                 /* a tag */
		{KH_LIT_INIT("a\xc2\xa0\xe2\x80\xa8z"), "    1 | a\\u{a0}\\u{2028}z\n"},   /* blanks that are not */
		{KH_LIT_INIT("\\u{202e}\t"), "    1 | \\\\u{202e}\\t\n"},                  /* no forged escape */
		{KH_LIT_INIT("\xc3\xa4\xf0\x9f\x98\x80"), "    1 | \xc3\xa4\xf0\x9f\x98\x80\n"}, /* shown */
		{KH_LIT_INIT("e\xcc\x81\xcc\x81\xcc\x81\xcc\x81"),
		 "    1 | e\xcc\x81\xcc\x81\xcc\x81\\u{301}\n"},   /* marks without end */
		{KH_LIT_INIT("\xcc\x81x"), "    1 | \\u{301}x\n"}, /* a mark on our own bar */
		{KH_LIT_INIT("12345678901234567890abc"), "    1 | 12345678901234567890\n      : abc\n"},
		{KH_LIT_INIT("1234567890123456789\xc3\xa4"), "    1 | 1234567890123456789\n      : \xc3\xa4\n"},
		{KH_LIT_INIT("- END -\n    2 | forge"), "    1 | - END -\n    2 |     2 | forge\n"},
	};

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		assert_view(frame(t, shown[i].in, shown[i].in.n > 18 ? 28 : 80), shown[i].out);
}

/* Any bytes, any width: every line has its bar, none is too long, and nothing in it is obeyed. */
static void test_frame_any(struct kh_test *t)
{
	char bytes[2000];
	uint32_t seed = 11;

	for (int round = 0; round < 60; round++) {
		size_t n = next(&seed) % sizeof(bytes), columns = next(&seed) % 120;
		for (size_t i = 0; i < n; i++) {
			uint32_t r = next(&seed);
			bytes[i] = (char)(r % 4 == 0   ? 0xc0 + r / 4 % 64
					  : r % 4 == 1 ? 0x80 + r / 4 % 64
						       : r / 4 % 256);
		}
		struct kh_view out = frame(t, kh_view_of(bytes, n), columns), rest = out, line;
		assert_shown(out);
		assert_true(kh_view_ends(out, KH_LIT("\n")));
		rest.n--;
		while (kh_view_split(&rest, '\n', &line)) {
			bool bar = kh_view_eq(kh_view_sub(line, 5, 8), KH_LIT(" | "));
			assert_true(line.n >= 8 && (bar || kh_view_starts(line, KH_LIT("      : "))));
			size_t characters = kh_utf8_length(line);
			assert_true(characters <= (columns > 28 ? columns : 28) + 3 * n); /* marks have no width */
		}
		kh_arena_clear(&t->arena);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_frame),    KH_TEST_ONCE(test_frame_any), KH_TEST_ONCE(test_escapes),
	KH_TEST_ONCE(test_any), KH_TEST_ONCE(test_lost),
};
KH_TEST_MAIN(cases)
