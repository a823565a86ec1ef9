/* Comments and spare commas become blanks.  Strings are left alone. */
#include "cli/upstream/relaxed.h"

/* The end of the string that begins at AT. */
static size_t skip_string(const char *p, size_t n, size_t at)
{
	for (at++; at < n && p[at] != '"'; at++)
		at += p[at] == '\\';
	return at < n ? at + 1 : n;
}

/* Blanks a comment at AT; returns its end, or AT if there is none. */
static size_t blank_comment(char *p, size_t n, size_t at)
{
	size_t end = at + 2;

	if (at + 1 >= n || p[at] != '/' || (p[at + 1] != '/' && p[at + 1] != '*'))
		return at;
	bool is_line = p[at + 1] == '/';
	while (end < n && (is_line ? p[end] != '\n' : !(p[end] == '/' && p[end - 1] == '*' && end > at + 2)))
		end++;
	if (!is_line && end < n)
		end++;
	for (size_t i = at; i < end; i++)
		p[i] = p[i] == '\n' ? '\n' : ' ';
	return end;
}

static void relax(char *p, size_t n)
{
	size_t comma = SIZE_MAX; /* with nothing but blanks after it */

	for (size_t i = 0; i < n;) {
		size_t end = blank_comment(p, n, i);
		if (end > i) {
			i = end;
			continue;
		}
		if ((p[i] == '}' || p[i] == ']') && comma != SIZE_MAX)
			p[comma] = ' ';
		if (!kh_ascii_is_blank(p[i]))
			comma = p[i] == ',' ? i : SIZE_MAX;
		i = p[i] == '"' ? skip_string(p, n, i) : i + 1;
	}
}

static unsigned line_of(struct kh_view text, size_t offset)
{
	unsigned line = 1;

	for (size_t i = 0; i < text.n && i < offset; i++)
		line += text.p[i] == '\n';
	return line;
}

enum kh_err kh_relaxed_read(struct kh_arena *arena, struct kh_view text, yyjson_val **ret_root, struct kh_error *err)
{
	struct kh_view copy = kh_arena_dup(arena, text);
	struct kh_error why = {.offset = SIZE_MAX};

	if (copy.p == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for JSON");
	relax((char *)(uintptr_t)copy.p, copy.n);
	enum kh_err e = kh_json_read(arena, copy, ret_root, &why);
	if (e == KH_OK || e == KH_ENOMEM)
		return e == KH_OK ? e : kh_error_set(err, e, "out_of_memory", "no memory for JSON");
	if (why.offset != SIZE_MAX)
		return kh_error_set(err, KH_EINPUT, "import_invalid", "line %u: %s", line_of(text, why.offset),
				    why.detail);
	return kh_error_set(err, KH_EINPUT, "import_invalid", "%s", why.detail);
}
