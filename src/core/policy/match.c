/* Matching.  Names are an agent's choice, patterns the operator's; neither can make this slow. */
#include "core/policy/match.h"

#include "base/utf8.h"

static bool is_word_byte(char c)
{
	return kh_ascii_is_alpha(c) || kh_ascii_is_digit(c) || c == '.' || c == '_' || c == '+' || c == '-';
}

/* The last star takes as little as possible first; a mismatch makes it take one byte more. */
static bool match(struct kh_view pattern, struct kh_view name, bool word)
{
	size_t p = 0, n = 0, star = SIZE_MAX, from = 0;

	while (n < name.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			from = n;
		} else if (p < pattern.n && pattern.p[p] == name.p[n]) {
			p++, n++;
		} else if (star != SIZE_MAX && (!word || is_word_byte(name.p[from]))) {
			p = star + 1;
			n = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

bool kh_match_glob(struct kh_view pattern, struct kh_view name)
{
	return match(pattern, name, false);
}

bool kh_match_word(struct kh_view pattern, struct kh_view word)
{
	return match(pattern, word, true);
}

bool kh_match_host(struct kh_view pattern, struct kh_view host)
{
	if (host.n > 1 && host.p[host.n - 1] == '.')
		host.n--;
	if (!kh_view_starts(pattern, KH_LIT("*.")))
		return host.n > 0 && kh_view_eq_nocase(pattern, host);
	struct kh_view suffix = kh_view_from(pattern, 1); /* with its dot: evil-example.com is not below example.com */
	return host.n > suffix.n && kh_view_eq_nocase(kh_view_from(host, host.n - suffix.n), suffix);
}

bool kh_match_path(struct kh_view root, struct kh_view path)
{
	if (!kh_match_is_path(root) || !kh_match_is_path(path) || !kh_view_starts(path, root))
		return false;
	return path.n == root.n || root.n == 1 || path.p[root.n] == '/';
}

static bool is_name_byte(char c)
{
	return kh_ascii_is_alpha(c) || kh_ascii_is_digit(c) || c == '_' || c == '-' || c == '.';
}

bool kh_match_is_glob(struct kh_view text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (!is_name_byte(text.p[i]) && text.p[i] != '*')
			return false;
	}
	return text.n >= 1 && text.n <= 128;
}

bool kh_match_is_name(struct kh_view text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (!is_name_byte(text.p[i]))
			return false;
	}
	return text.n >= 1 && text.n <= 64 && (kh_ascii_is_alpha(text.p[0]) || text.p[0] == '_');
}

static bool is_label(struct kh_view label)
{
	for (size_t i = 0; i < label.n; i++) {
		if (!kh_ascii_is_alpha(label.p[i]) && !kh_ascii_is_digit(label.p[i]) && label.p[i] != '-')
			return false;
	}
	return label.n >= 1 && label.n <= 63 && label.p[0] != '-' && label.p[label.n - 1] != '-';
}

bool kh_match_is_host(struct kh_view text)
{
	bool below = kh_view_starts(text, KH_LIT("*."));
	struct kh_view rest = kh_view_from(text, below ? 2 : 0), label = {NULL, 0};
	size_t labels = 0;

	if (text.n == 0 || text.n > 253)
		return false;
	while (kh_view_split(&rest, '.', &label)) {
		if (!is_label(label))
			return false;
		labels++;
	}
	return labels >= 2 || !below;
}

bool kh_match_is_path(struct kh_view text)
{
	struct kh_view rest = kh_view_from(text, 1), part;

	if (text.n == 0 || text.n > 1024 || text.p[0] != '/' || kh_utf8_invalid(text) != SIZE_MAX)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if ((unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7f)
			return false;
	}
	while (text.n > 1 && kh_view_split(&rest, '/', &part)) {
		if (part.n == 0 || kh_view_eq(part, KH_LIT(".")) || kh_view_eq(part, KH_LIT("..")))
			return false;
	}
	return true;
}
