/* Looks for all texts at once, from left to right: so one that is overwritten hides none that begins in it.  Pure. */
#include "base/cover.h"

static bool is_number(struct kh_view text)
{
	for (size_t i = 0; i < text.n; i++)
		if (memchr("0123456789+-.eE", text.p[i], 15) == NULL)
			return false;
	return true;
}

static size_t needed(const struct kh_cover *cover, struct kh_view text)
{
	return text.n < cover->least ? text.n : cover->least;
}

/* How many bytes TEXT and the N bytes at P begin with in common. */
static size_t common(struct kh_view text, const char *p, size_t n)
{
	size_t k = 0;

	while (k < text.n && k < n && text.p[k] == p[k])
		k++;
	return k;
}

/* Mostly there is nothing to be found, and this is the fastest way to know. */
static bool occurs(const struct kh_cover *cover, const char *p, size_t n)
{
	for (size_t i = 0; i < cover->count; i++)
		if (memmem(p, n, cover->texts[i].p, needed(cover, cover->texts[i])) != NULL)
			return true;
	return false;
}

/* Lengthens what is covered, which is counted from P, by texts that begin at P. */
static void begin(const struct kh_cover *cover, struct kh_cover_state *state, const char *p, size_t n)
{
	for (size_t i = 0; i < cover->count; i++) {
		struct kh_view text = cover->texts[i];
		size_t k = common(text, p, n);
		if (k < needed(cover, text) || k <= state->covered)
			continue;
		state->covered = k;
		state->sign = cover->is_json && is_number(text) ? '1' : '*';
		state->is_long = k == text.n && text.n >= KH_COVER_LONG && state->sign == '*';
	}
}

/* The same by what follows a long text; half of an escape would end a string of JSON too early. */
static void go_on(const struct kh_cover *cover, struct kh_cover_state *state, char c)
{
	if (!state->is_long || state->covered > 0)
		return;
	state->is_long = (unsigned char)c > ' ' && c != '"';
	if (state->is_long)
		state->covered = cover->is_json && c == '\\' ? 2 : 1;
}

void kh_cover_bytes(const struct kh_cover *cover, struct kh_cover_state *state, char *p, size_t n, size_t out)
{
	if (state->covered == 0 && !state->is_long && !occurs(cover, p, n))
		return;
	for (size_t i = 0; i < out; i++) {
		begin(cover, state, p + i, n - i);
		go_on(cover, state, p[i]);
		if (state->covered == 0)
			continue;
		p[i] = state->sign;
		state->covered--;
	}
}
