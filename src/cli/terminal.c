/* Writes text to terminals.  Trusts no input; guarantees that a terminal gets only text. */
#include "cli/terminal.h"

#include "base/utf8.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ESCAPE_MAX 12 /* two times \uXXXX */
#define BAR        8  /* columns of a frame's left side */
#define NARROW     20 /* the least columns of text */
#define USUAL      80
#define MARKS      3 /* marks that may combine with one character */

void kh_terminal_init(struct kh_terminal *terminal, int fd, bool raw)
{
	terminal->fd = fd;
	terminal->escapes = !raw && isatty(fd);
	terminal->ended = false;
	terminal->error = 0;
	terminal->from = terminal->to = 0;
	terminal->start = terminal->end = 0;
}

/* True if the N bytes at P could be the beginning of a longer character. */
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

/* True if the beginning of a character waits in IN for the rest of it. */
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

/* False for the line and paragraph separators too: they end a line on some terminals and do nothing on others. */
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
		(void)poll(&room, 1, -1); /* another process may have made it non-blocking */
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

size_t kh_terminal_columns(int fd)
{
	struct winsize size = {0};

	return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL;
}

/* --- the frame ---------------------------------------------------------------------------------------------------- */

struct framing {
	struct kh_buf *buf;
	size_t room, used; /* columns */
	unsigned line;
	unsigned marks; /* on the character before */
	bool has_base;  /* there is a character before, on this line */
};

static void begin_line(struct framing *f, bool wrapped)
{
	if (wrapped)
		kh_buf_lit(f->buf, "\n      : ");
	else
		kh_buf_printf(f->buf, "%s%5u | ", f->line > 1 ? "\n" : "", f->line);
	f->used = 0;
	f->has_base = false;
}

static void put_piece(struct framing *f, struct kh_view piece, size_t width)
{
	if (f->used + width > f->room)
		begin_line(f, true);
	kh_buf_add(f->buf, piece);
	f->used += width;
}

/* True for a mark that is drawn onto the character before it. */
static bool combines(uint32_t c)
{
	return !kh_utf8_is_plain(c) && !kh_utf8_is_invisible(c) && !kh_utf8_is_space(c);
}

/* Writes one character, LEN bytes at P; LEN is 0 for a byte that is not a character. */
static void put_character(struct framing *f, const char *p, size_t len, uint32_t c)
{
	char escape[ESCAPE_MAX + 1];

	if (len > 0 && combines(c) && f->has_base && f->marks < MARKS) {
		f->marks++;
		put_piece(f, kh_view_of(p, len), 0);
		return;
	}
	if (c == '\\')
		snprintf(escape, sizeof(escape), "\\\\");
	else if (c == '\t')
		snprintf(escape, sizeof(escape), "\\t");
	else if (len == 0)
		snprintf(escape, sizeof(escape), "\\x{%02x}", (unsigned char)*p);
	else
		snprintf(escape, sizeof(escape), "\\u{%x}", (unsigned)c);
	bool shown = len > 0 && c != '\\' && kh_utf8_is_plain(c);
	/* A character outside of ASCII may be two columns wide; none is wider. */
	if (shown)
		put_piece(f, kh_view_of(p, len), c < 0x80 ? 1 : 2);
	else
		put_piece(f, kh_view_str(escape), strlen(escape));
	f->marks = 0;
	f->has_base = shown && c != ' ';
}

void kh_terminal_frame(struct kh_buf *buf, struct kh_tainted text, size_t columns)
{
	struct framing f = {.buf = buf, .room = columns > BAR + NARROW ? columns - BAR : NARROW, .line = 1};
	struct kh_view v = kh_tainted_open(text);
	size_t len;

	begin_line(&f, false);
	for (size_t at = 0; at<v.n; at += len> 0 ? len : 1) {
		uint32_t c = 0;
		len = kh_utf8_decode(v, at, &c);
		if (len > 0 && c == '\n') {
			f.line++;
			begin_line(&f, false);
		} else {
			put_character(&f, v.p + at, len, c);
		}
	}
	kh_buf_byte(buf, '\n');
}
