/* Names and forms of secrets.  Nothing is shown or kept here. */
#include "cli/upstream/secretive.h"

#define VALUE_MOST 128 /* bytes of a value that can be anything but a secret */

/* Parts of names, in capitals. */
static const char *const names[] = {"TOKEN",   "KEY",     "SECRET", "PASS",    "PWD",  "AUTH", "CRED",
				    "PRIVATE", "BEARER",  "COOKIE", "SESSION", "SIGN", "DSN",  "CONNECTION",
				    "CERT",    "LICENSE", "PAT",    "SALT",    "SEED", "PIN",  "WEBHOOK"};

/* How tokens of well-known services begin. */
static const char *const beginnings[] = {"ghp_",     "gho_",  "ghs_", "github_pat_", "glpat-", "sk-",  "pk-",
					 "sk_",      "pk_",   "rk_",  "xox",         "xapp-",  "AKIA", "ASIA",
					 "AIza",     "ya29.", "eyJ",  "npm_",        "hf_",    "ntn_", "secret_",
					 "lin_api_", "SG.",   "key-", "Bearer ",     "Basic "};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool has_part(struct kh_view name, struct kh_view part)
{
	for (size_t at = 0; at + part.n <= name.n; at++) {
		if (kh_view_eq_nocase(kh_view_sub(name, at, at + part.n), part))
			return true;
	}
	return false;
}

static bool is_named_so(struct kh_view name)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		if (has_part(name, kh_view_str(names[i])))
			return true;
	}
	return false;
}

static bool begins_so(struct kh_view value)
{
	for (size_t i = 0; i < COUNT(beginnings); i++) {
		if (kh_view_starts(value, kh_view_str(beginnings[i])))
			return true;
	}
	return false;
}

/* A run of letters and digits that is no word: long and mixed, or very long. */
static bool is_random(struct kh_view run)
{
	size_t digits = 0, changes = 0;

	for (size_t i = 0; i < run.n; i++) {
		digits += kh_ascii_is_digit(run.p[i]);
		changes += i > 0 && kh_ascii_is_digit(run.p[i]) != kh_ascii_is_digit(run.p[i - 1]);
	}
	return run.n >= 24 || (run.n >= 12 && digits > 0 && digits < run.n) || (run.n >= 8 && changes >= 4);
}

/* Whether some run of letters and digits in TEXT looks random. */
static bool has_random(struct kh_view text)
{
	size_t from = 0;

	for (size_t i = 0; i <= text.n; i++) {
		if (i < text.n && (kh_ascii_is_alpha(text.p[i]) || kh_ascii_is_digit(text.p[i])))
			continue;
		if (is_random(kh_view_sub(text, from, i)))
			return true;
		from = i + 1;
	}
	return false;
}

/* A URL with a user, or with a query or a fragment that may hold a key. */
static bool is_keyed_url(struct kh_view text)
{
	size_t from = kh_view_find(text, KH_LIT("://"), 0);

	return from != SIZE_MAX &&
	       (memchr(text.p + from, '@', text.n - from) != NULL ||
		memchr(text.p + from, '?', text.n - from) != NULL || memchr(text.p + from, '#', text.n - from) != NULL);
}

bool kh_secretive_value(struct kh_view name, struct kh_view value)
{
	if (value.n == 0)
		return false;
	if (is_named_so(name) || value.n > VALUE_MOST || begins_so(value) || is_keyed_url(value))
		return true;
	bool is_path = value.p[0] == '/';
	for (size_t i = 0; i < value.n; i++) {
		/* Blanks, line breaks and most signs are not in what configures a server: in doubt a secret. */
		if ((unsigned char)value.p[i] <= ' ' || (unsigned char)value.p[i] >= 0x7f ||
		    (memchr("=+!$%^&*|;<>\"'`\\{}()[]#?", value.p[i], 24) != NULL && !is_path))
			return true;
	}
	return has_random(value);
}

bool kh_secretive_argument(struct kh_view before, struct kh_view argument)
{
	size_t sign = kh_view_find(argument, KH_LIT("="), 0);
	bool is_option = argument.n > 0 && argument.p[0] == '-';

	if (is_option && sign == SIZE_MAX)
		return false;
	if (is_option || (sign != SIZE_MAX && kh_view_is_word(kh_view_sub(argument, 0, sign), "_-")))
		return kh_secretive_argument(kh_view_sub(argument, 0, sign), kh_view_from(argument, sign + 1));
	if (argument.n == 0 || argument.p[0] == '/' || argument.p[0] == '.')
		return false;
	bool is_valued = before.n > 0 && (before.p[0] == '-' || kh_view_is_word(before, "_-"));
	return begins_so(argument) || is_keyed_url(argument) || (is_valued && is_named_so(before)) ||
	       (argument.p[0] != '@' && kh_view_find(argument, KH_LIT("://"), 0) == SIZE_MAX && has_random(argument));
}
