/* Looks for bytes, without knowing what they mean.  Pure. */
#include "executor/veil.h"

#include "base/cover.h"
#include "base/spelled.h"

#include <stdio.h>

static void put(struct kh_veil *veil, struct kh_view form)
{
	form = kh_view_sub(form, 0, KH_VEIL_LONGEST);
	if (form.n < KH_VEIL_LEAST || veil->n + form.n + 1 > sizeof(veil->text))
		return;
	memcpy(veil->text + veil->n, form.p, form.n);
	veil->text[veil->n + form.n] = '\0';
	veil->n += form.n + 1;
}

/* One character as JSON writes it in a string; returns how many bytes. */
static size_t escape(char c, char out[8])
{
	static const char plain[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
	const char *at = c != '\0' ? strchr(plain, c) : NULL;

	if (at != NULL)
		return (size_t)snprintf(out, 8, "\\%c", names[at - plain]);
	if ((unsigned char)c < ' ')
		return (size_t)snprintf(out, 8, "\\u%04X", (unsigned)c);
	out[0] = c;
	return 1;
}

/* TEXT as JSON writes it, in ROOM; cut before an escape that has no room. */
static struct kh_view escaped(struct kh_view text, char room[KH_VEIL_LONGEST])
{
	char one[8];
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		size_t k = escape(text.p[i], one);
		if (n + k > KH_VEIL_LONGEST)
			break;
		memcpy(room + n, one, k);
		n += k;
	}
	return kh_view_of(room, n);
}

void kh_veil_add(struct kh_veil *veil, struct kh_view secret)
{
	char room[KH_VEIL_LONGEST];
	struct kh_view form = escaped(secret, room);

	put(veil, secret);
	if (!kh_view_eq(form, kh_view_sub(secret, 0, KH_VEIL_LONGEST)))
		put(veil, form);
	explicit_bzero(room, sizeof(room));
}

/* The next form of VEIL; *CURSOR begins as 0. */
static bool next(const struct kh_veil *veil, size_t *cursor, struct kh_view *ret_form)
{
	if (*cursor >= veil->n)
		return false;
	*ret_form = kh_view_str(veil->text + *cursor);
	*cursor += ret_form->n + 1;
	return true;
}

static size_t all(const struct kh_veil *veil, struct kh_view forms[KH_VEIL_FORMS])
{
	size_t count = 0;

	for (size_t cursor = 0; count < KH_VEIL_FORMS && next(veil, &cursor, &forms[count]);)
		count++;
	return count;
}

void kh_veil_bytes(const struct kh_veil *veil, char *bytes, size_t n)
{
	struct kh_view forms[KH_VEIL_FORMS];
	struct kh_cover cover = {forms, all(veil, forms), KH_COVER_WHOLE, false};
	struct kh_cover_state state = {0};

	kh_cover_bytes(&cover, &state, bytes, n, n);
}

static void cover_text(const void *context, char *bytes, size_t n)
{
	kh_veil_bytes(context, bytes, n);
	kh_veil_edges(context, bytes, n);
}

void kh_veil_text(const struct kh_veil *veil, char *bytes, size_t n, char *room)
{
	if (veil->n > 0)
		kh_spelled_apply(cover_text, veil, bytes, n, room);
}

static void cover_reason(const void *context, char *bytes, size_t n)
{
	char room[KH_VEIL_FORMS][KH_VEIL_LONGEST];
	struct kh_view forms[2 * KH_VEIL_FORMS];
	size_t count = all(context, forms);
	struct kh_cover cover = {forms, 2 * count, KH_VEIL_LEAST, false};
	struct kh_cover_state state = {0};

	for (size_t i = 0; i < count; i++)
		forms[count + i] = escaped(forms[i], room[i]);
	kh_cover_bytes(&cover, &state, bytes, n, n);
	kh_veil_edges(context, bytes, n);
	explicit_bzero(room, sizeof(room));
}

void kh_veil_reason(const struct kh_veil *veil, char *bytes, size_t n, char *room)
{
	kh_spelled_apply(cover_reason, veil, bytes, n, room);
}

size_t kh_veil_lines(const struct kh_veil *veil, struct kh_cover_state *state, bool is_end, char *bytes, size_t n)
{
	struct kh_view forms[KH_VEIL_FORMS];
	struct kh_cover cover = {forms, all(veil, forms), KH_COVER_WHOLE, true};
	size_t tail = is_end ? 0 : kh_veil_tail(veil, bytes, n);

	kh_cover_bytes(&cover, state, bytes, n, n - tail);
	return n - tail;
}

size_t kh_veil_tail(const struct kh_veil *veil, const char *bytes, size_t n)
{
	struct kh_view form;
	size_t longest = 0;

	for (size_t cursor = 0; next(veil, &cursor, &form);)
		for (size_t k = form.n - 1 < n ? form.n - 1 : n; k > longest; k--)
			if (memcmp(bytes + n - k, form.p, k) == 0)
				longest = k;
	return longest;
}

void kh_veil_edges(const struct kh_veil *veil, char *bytes, size_t n)
{
	struct kh_view form;
	size_t tail = kh_veil_tail(veil, bytes, n), head = 0;

	for (size_t cursor = 0; next(veil, &cursor, &form);)
		for (size_t k = form.n - 1 < n ? form.n - 1 : n; k > head; k--)
			if (memcmp(bytes, form.p + form.n - k, k) == 0)
				head = k;
	if (head >= KH_VEIL_LEAST)
		memset(bytes, '*', head);
	if (tail >= KH_VEIL_LEAST)
		memset(bytes + n - tail, '*', tail);
}
