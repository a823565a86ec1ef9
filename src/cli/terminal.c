/* What is shown.  Trusts nothing that it is given; guarantees that a terminal gets text and nothing else. */
#include "cli/terminal.h"

#include "base/utf8.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define ESCAPE_MAX 12 /* two times \uXXXX */

void kh_terminal_init(struct kh_terminal *terminal, int fd, bool raw)
{
	terminal->fd = fd;
	terminal->escapes = !raw && isatty(fd);
	terminal->ended = false;
	terminal->error = 0;
	terminal->from = terminal->to = 0;
	terminal->start = terminal->end = 0;
}

/* True where the N bytes at P could be the beginning of a character that is longer. */
static bool is_beginning(const char *p, size_t n)
{
	unsigned char first = (unsigned char)p[0];
	size_t whole = first >= 0xf0 && first <= 0xf4   ? 4
		       : first >= 0xe0 && first <= 0xef ? 3
		       : first >= 0xc2 && first <= 0xdf ? 2
							: 0;
	for (size_t i = 1; i < n; i++)
		if (((unsigned char)p[i] & 0xc0) != 0x80)
			return false;
	return n < whole;
}

/* The beginning of a character waits in IN for the rest of it. */
static bool is_waiting(const struct kh_terminal *t)
{
	size_t n = t->to - t->from;

	return t->escapes && !t->ended && n > 0 && n < 4 && is_beginning(t->in + t->from, n);
}

bool kh_terminal_is_idle(const struct kh_terminal *terminal)
{
	if (terminal->error != 0)
		return true;
	return terminal->start == terminal->end && (terminal->from == terminal->to || is_waiting(terminal));
}

static size_t put_escape(char *p, uint32_t c)
{
	if (c < 0x20)
		return (size_t)snprintf(p, ESCAPE_MAX + 1, "\\x%02x", (unsigned)c);
	if (c < 0x10000)
		return (size_t)snprintf(p, ESCAPE_MAX + 1, "\\u%04x", (unsigned)c);
	c -= 0x10000;
	return (size_t)snprintf(p, ESCAPE_MAX + 1, "\\u%04x\\u%04x", 0xd800U + (unsigned)(c >> 10),
				0xdc00U + (unsigned)(c & 0x3ff));
}

/* The line and paragraph separators end a line for some terminals and nothing for others. */
static bool is_shown(uint32_t c)
{
	return c == '\n' || c == '\t' || (!kh_utf8_is_invisible(c) && c != 0x2028 && c != 0x2029);
}

/* Fills OUT from IN. */
static void convert(struct kh_terminal *t)
{
	struct kh_view in = {t->in, t->to};
	char *out = t->out;
	size_t n = 0;

	while (t->from < t->to && n + ESCAPE_MAX + 1 < sizeof(t->out) && !is_waiting(t)) {
		uint32_t c;
		size_t len = kh_utf8_decode(in, t->from, &c);
		if (len == 0) {
			n += (size_t)snprintf(out + n, ESCAPE_MAX, "\\x%02x", (unsigned char)in.p[t->from++]);
		} else if (is_shown(c)) {
			memcpy(out + n, in.p + t->from, len);
			n += len;
			t->from += len;
		} else {
			n += put_escape(out + n, c);
			t->from += len;
		}
	}
	t->start = 0;
	t->end = n;
}

static void copy(struct kh_terminal *t)
{
	size_t n = t->to - t->from < sizeof(t->out) ? t->to - t->from : sizeof(t->out);

	memcpy(t->out, t->in + t->from, n);
	t->from += n;
	t->start = 0;
	t->end = n;
}

void kh_terminal_give(struct kh_terminal *terminal, struct kh_tainted bytes)
{
	struct kh_view v = kh_view_sub(kh_tainted_open(bytes), 0, KH_TERMINAL_TAKES);
	size_t held = terminal->to - terminal->from; /* at most three bytes */

	if (terminal->error != 0)
		return;
	memmove(terminal->in, terminal->in + terminal->from, held);
	if (v.n > 0)
		memcpy(terminal->in + held, v.p, v.n);
	terminal->from = 0;
	terminal->to = held + v.n;
}

void kh_terminal_end(struct kh_terminal *terminal)
{
	terminal->ended = true;
}

void kh_terminal_pump(struct kh_terminal *terminal)
{
	if (terminal->error != 0)
		return;
	if (terminal->start == terminal->end)
		terminal->escapes ? convert(terminal) : copy(terminal);
	ssize_t n = write(terminal->fd, terminal->out + terminal->start, terminal->end - terminal->start);
	if (n >= 0)
		terminal->start += (size_t)n;
	else if (errno != EINTR && errno != EAGAIN)
		terminal->error = errno;
}

static void drain(struct kh_terminal *terminal)
{
	struct pollfd room = {.fd = terminal->fd, .events = POLLOUT};

	while (!kh_terminal_is_idle(terminal)) {
		(void)poll(&room, 1, -1); /* whoever else has it may have made it non-blocking */
		kh_terminal_pump(terminal);
	}
}

bool kh_terminal_say(struct kh_terminal *terminal, struct kh_view text)
{
	do {
		drain(terminal);
		kh_terminal_give(terminal, kh_tainted_wrap(text));
		text = kh_view_from(text, KH_TERMINAL_TAKES);
	} while (text.n > 0);
	drain(terminal);
	return terminal->error == 0;
}
