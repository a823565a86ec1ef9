/* Matching.  Agents choose names, the operator chooses patterns; neither can make this slow. */
#include "core/policy/match.h"

#include "base/utf8.h"
#include "core/comm/url.h"

#define PATTERN_MAX  256
#define ARGUMENT_MAX 4096

static bool is_word_byte(char c)
{
	return kh_ascii_is_alpha(c) || kh_ascii_is_digit(c) || c == '.' || c == '_' || c == '+' || c == '-';
}

/* The last star first matches as little as possible; on a mismatch it takes one byte more. */
bool kh_match_glob(struct kh_view pattern, struct kh_view name)
{
	size_t p = 0, n = 0, star = SIZE_MAX, from = 0;

	while (n < name.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			from = n;
		} else if (p < pattern.n && pattern.p[p] == name.p[n]) {
			p++, n++;
		} else if (star != SIZE_MAX) {
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

bool kh_match_is_pattern(struct kh_view text)
{
	return text.n >= 1 && text.n <= PATTERN_MAX;
}

/*
 * The positions in a pattern that are reached after some bytes of a value: at[i] means that everything before its byte
 * i has been matched.
 */
struct progress {
	struct kh_view pattern;
	bool at[PATTERN_MAX + 1];
};

/* Whether the star at I matches any byte, because it is one of two stars (`**`). */
static bool is_wide(struct kh_view pattern, size_t i)
{
	return (i + 1 < pattern.n && pattern.p[i + 1] == '*') || (i > 0 && pattern.p[i - 1] == '*');
}

/* A star may match nothing, so if a star is reached, the position after it is reached too. */
static void skip_stars(struct progress *progress)
{
	for (size_t i = 0; i < progress->pattern.n; i++) {
		if (progress->at[i] && progress->pattern.p[i] == '*')
			progress->at[i + 1] = true;
	}
}

/* Takes one byte more.  Goes from the end, so that nothing moves twice.  False if no position is reached any more. */
static bool take_byte(struct progress *progress, char c)
{
	struct kh_view pattern = progress->pattern;
	bool any = false;

	progress->at[pattern.n] = false;
	for (size_t i = pattern.n; i-- > 0;) {
		bool here = progress->at[i], star = pattern.p[i] == '*';
		if (here && !star && pattern.p[i] == c)
			progress->at[i + 1] = any = true;
		progress->at[i] = here && star && (is_word_byte(c) || is_wide(pattern, i));
		any = any || progress->at[i];
	}
	skip_stars(progress);
	return any;
}

bool kh_match_value(struct kh_view pattern, struct kh_view value)
{
	struct progress progress = {.pattern = pattern, .at = {true}};

	if (!kh_match_is_pattern(pattern))
		return false;
	skip_stars(&progress);
	for (size_t i = 0; i < value.n; i++) {
		if (!take_byte(&progress, value.p[i]))
			return false;
	}
	return progress.at[pattern.n];
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

/* Takes ":8443" off the end of PATTERN; *RET_PORT is 0 if there is none, and -1 if it is not a port. */
static struct kh_view take_port(struct kh_view pattern, int *ret_port)
{
	size_t colon = kh_view_find(pattern, KH_LIT(":"), 0);
	int64_t port = 0;

	*ret_port = 0;
	if (colon == SIZE_MAX)
		return pattern;
	struct kh_view digits = kh_view_from(pattern, colon + 1);
	bool good = digits.n >= 1 && digits.n <= 5 && digits.p[0] != '0' && kh_view_int(digits, &port);
	*ret_port = good && port >= 1 && port <= 65535 ? (int)port : -1;
	return kh_view_sub(pattern, 0, colon);
}

bool kh_match_host_port(struct kh_view pattern, struct kh_view host, int port)
{
	int only;
	struct kh_view name = take_port(pattern, &only);

	return kh_match_host(name, host) && (only == 0 || only == port);
}

bool kh_match_path(struct kh_view root, struct kh_view path)
{
	if (!kh_match_is_path(root) || !kh_match_is_path(path) || !kh_view_starts(path, root))
		return false;
	return path.n == root.n || root.n == 1 || path.p[root.n] == '/';
}

bool kh_match_is_glob(struct kh_view text)
{
	return text.n >= 1 && text.n <= 128 && kh_view_is_word(text, "_-.*");
}

bool kh_match_is_name(struct kh_view text)
{
	return text.n >= 1 && text.n <= 64 && (kh_ascii_is_alpha(text.p[0]) || text.p[0] == '_') &&
	       kh_view_is_word(text, "_-.");
}

bool kh_match_is_host(struct kh_view text)
{
	bool below = kh_view_starts(text, KH_LIT("*."));
	struct kh_view rest = kh_view_from(text, below ? 2 : 0), label = {NULL, 0};
	size_t labels = 0;

	if (text.n == 0 || text.n > 253)
		return false;
	while (kh_view_split(&rest, '.', &label)) {
		if (!kh_view_is_label(label))
			return false;
		labels++;
	}
	return labels >= 2 || !below;
}

bool kh_match_is_host_port(struct kh_view text)
{
	int port;

	return kh_match_is_host(take_port(text, &port)) && port >= 0;
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

bool kh_match_is_key_file(struct kh_view text)
{
	bool is_name = text.n > 0 && text.p[0] != '.' && memchr(text.p, '/', text.n) == NULL;

	return is_name || kh_match_is_path(text);
}

bool kh_match_is_variable(struct kh_view text)
{
	return text.n > 0 && !kh_ascii_is_digit(text.p[0]) && kh_view_is_word(text, "_");
}

bool kh_match_is_argument(struct kh_view text)
{
	return text.n <= ARGUMENT_MAX;
}

bool kh_match_is_web(struct kh_view text)
{
	struct kh_url url;

	return kh_url_read_web(text, true, &url, NULL) == KH_OK;
}
