/* Lines of text. */
#include "worker/text/lines.h"

#include "base/utf8.h"

#define REPLACEMENT 0xfffd

void kh_lines_init(struct kh_lines *lines, struct kh_buf *out)
{
	*lines = (struct kh_lines){.out = out};
}

/* Writes what is pending: newlines, if there is text above them; else the blank. */
static void settle(struct kh_lines *lines)
{
	struct kh_buf *out = lines->out;

	for (unsigned have = 0; out->n > 0 && have < lines->breaks; have++)
		kh_buf_byte(out, '\n');
	if (lines->blank && lines->breaks == 0 && out->n > 0 && out->p[out->n - 1] != '\n' &&
	    out->p[out->n - 1] != '\t')
		kh_buf_byte(out, ' ');
	lines->breaks = 0;
	lines->blank = false;
}

static bool is_control(uint32_t c)
{
	return c < ' ' || (c >= 0x7f && c < 0xa0);
}

/* The character at *AT, which is moved past it; the replacement character if it is invalid. */
static uint32_t next(struct kh_view text, size_t *at)
{
	uint32_t c = REPLACEMENT;
	size_t n = kh_utf8_decode(text, *at, &c);

	*at += n > 0 ? n : 1;
	return n > 0 ? c : REPLACEMENT;
}

void kh_lines_flow(struct kh_lines *lines, struct kh_view text)
{
	for (size_t at = 0; at < text.n && lines->out->err == KH_OK;) {
		uint32_t c = next(text, &at);
		if (c == ' ' || (c >= '\t' && c <= '\r')) {
			lines->blank = true;
		} else if (!is_control(c)) {
			if (lines->blank || lines->breaks > 0)
				settle(lines);
			kh_buf_char(lines->out, c);
		}
	}
}

void kh_lines_keep(struct kh_lines *lines, struct kh_view text)
{
	for (size_t at = 0; at < text.n && lines->out->err == KH_OK;) {
		uint32_t c = next(text, &at);
		if (c == '\r' && at < text.n && text.p[at] == '\n')
			continue;
		if (c == '\r' || c == '\f' || c == '\v')
			c = '\n';
		if (is_control(c) && c != '\n' && c != '\t')
			continue;
		settle(lines);
		kh_buf_char(lines->out, c);
	}
}

void kh_lines_break(struct kh_lines *lines, unsigned count)
{
	if (lines->breaks < count)
		lines->breaks = count;
	lines->blank = false;
}

void kh_lines_tab(struct kh_lines *lines)
{
	lines->blank = false;
	settle(lines);
	kh_buf_byte(lines->out, '\t');
}
