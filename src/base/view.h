/*
 * Views: a pointer and a length.  All text inside Keyhole is a view; nothing assumes a terminating NUL.  A view
 * borrows: it is valid as long as the memory that it points into (usually the request's arena).
 */
#ifndef KH_BASE_VIEW_H
#define KH_BASE_VIEW_H

#include <keyhole/keyhole.h>
#include <stdbool.h>
#include <string.h>

/* A view of a string literal. */
#define KH_LIT(s) ((struct kh_view){"" s, sizeof(s) - 1})

/* The same as a constant initialiser, for static tables. */
#define KH_LIT_INIT(s)              \
	{                           \
		"" s, sizeof(s) - 1 \
	}

/* For printf: "%.*s", KH_FMT(view).  Only for text that Keyhole wrote itself or has validated. */
#define KH_FMT(v) (int)((v).n), (v).p

static inline struct kh_view kh_view_of(const char *p, size_t n)
{
	return (struct kh_view){p, n};
}

/* A view of a NUL-terminated string, for arguments and environment. */
static inline struct kh_view kh_view_str(const char *s)
{
	return (struct kh_view){s, strlen(s)};
}

static inline bool kh_view_eq(struct kh_view a, struct kh_view b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Byte order; if one is a prefix of the other, the shorter comes first. */
static inline int kh_view_cmp(struct kh_view a, struct kh_view b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

static inline bool kh_view_starts(struct kh_view v, struct kh_view prefix)
{
	return v.n >= prefix.n && (prefix.n == 0 || memcmp(v.p, prefix.p, prefix.n) == 0);
}

static inline bool kh_view_ends(struct kh_view v, struct kh_view suffix)
{
	return v.n >= suffix.n && (suffix.n == 0 || memcmp(v.p + v.n - suffix.n, suffix.p, suffix.n) == 0);
}

/* The part of V from START (clamped) to its end. */
static inline struct kh_view kh_view_from(struct kh_view v, size_t start)
{
	if (start > v.n)
		start = v.n;
	return (struct kh_view){start > 0 ? v.p + start : v.p, v.n - start};
}

/* Bytes [start, end) of V, clamped. */
static inline struct kh_view kh_view_sub(struct kh_view v, size_t start, size_t end)
{
	if (end > v.n)
		end = v.n;
	if (start > end)
		start = end;
	return (struct kh_view){start > 0 ? v.p + start : v.p, end - start};
}

/* The offset of NEEDLE in V at or after START, or SIZE_MAX. */
size_t kh_view_find(struct kh_view v, struct kh_view needle, size_t start);

/* V without ASCII blanks (space, tab, CR, LF) at both ends. */
struct kh_view kh_view_trim(struct kh_view v);

/* Takes the next piece up to SEP off *REST; false when nothing is left.  "a,,b" gives "a", "", "b"; an empty view
 * gives one empty piece, a NULL view none. */
bool kh_view_split(struct kh_view *rest, char sep, struct kh_view *ret_piece);

/* True if V has only ASCII letters, digits and characters of MORE; an empty view has. */
bool kh_view_is_word(struct kh_view v, const char *more);

/* True for a label of a DNS name: 1 to 63 letters, digits and hyphens, with no hyphen at its ends. */
bool kh_view_is_label(struct kh_view v);

/* True for [A-Za-z0-9_][A-Za-z0-9_.:-]* of at most MOST bytes: an id too plain to carry any other text. */
bool kh_view_is_id(struct kh_view v, size_t most);

static inline bool kh_ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool kh_ascii_is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool kh_ascii_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static inline char kh_ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* The value of a hexadecimal digit, or -1. */
static inline int kh_ascii_hex(char c)
{
	if (kh_ascii_is_digit(c))
		return c - '0';
	c = kh_ascii_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Equal but for the case of ASCII letters. */
bool kh_view_eq_nocase(struct kh_view a, struct kh_view b);

/* Reads all of V as a decimal integer: optional '-', digits without leading zeros, in int64 range. */
bool kh_view_int(struct kh_view v, int64_t *ret_value);

#endif
