/* Places in JSON values.  Names in them come from anybody. */
#include "core/schema/pointer.h"

#include "base/buf.h"
#include "base/utf8.h"

#define STEPS   160  /* of a pointer: JSON is 64 deep at most, and a schema takes two steps a level */
#define SHOWN   64   /* bytes of a name that are shown as they are */
#define LONGEST 8192 /* bytes of a pointer */

static void put_name(struct kh_buf *buf, struct kh_view name)
{
	if (name.n > SHOWN || !kh_utf8_is_visible(name)) {
		kh_buf_add(buf, kh_arena_quote(buf->arena, name));
		return;
	}
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == '~')
			kh_buf_lit(buf, "~0");
		else if (name.p[i] == '/')
			kh_buf_lit(buf, "~1");
		else
			kh_buf_byte(buf, name.p[i]);
	}
}

struct kh_view kh_pointer_text(struct kh_arena *arena, const struct kh_pointer *at)
{
	const struct kh_pointer *steps[STEPS];
	struct kh_view text = {"", 0};
	struct kh_buf buf;
	size_t n = 0;

	for (; at != NULL && n < STEPS; at = at->up)
		steps[n++] = at;
	kh_buf_init(&buf, arena, LONGEST);
	while (n-- > 0) {
		kh_buf_byte(&buf, '/');
		if (steps[n]->name.p != NULL)
			put_name(&buf, steps[n]->name);
		else
			kh_buf_printf(&buf, "%zu", steps[n]->index);
	}
	if (kh_buf_end(&buf, &text) != KH_OK)
		return kh_view_of("", 0);
	return text;
}

/* TOKEN with ~0 and ~1 replaced; {NULL, 0} if another ~ is in it. */
static struct kh_view unescape(struct kh_arena *arena, struct kh_view token)
{
	char *p = kh_arena_alloc(arena, token.n + 1);
	size_t n = 0;

	for (size_t i = 0; p != NULL && i < token.n; i++) {
		if (token.p[i] != '~') {
			p[n++] = token.p[i];
			continue;
		}
		if (++i == token.n || (token.p[i] != '0' && token.p[i] != '1'))
			return (struct kh_view){NULL, 0};
		p[n++] = token.p[i] == '0' ? '~' : '/';
	}
	return (struct kh_view){p, n};
}

bool kh_pointer_next(struct kh_arena *arena, struct kh_view *rest, struct kh_view *ret_token)
{
	size_t end = 1;

	if (rest->n == 0)
		return false;
	*ret_token = (struct kh_view){NULL, 0};
	while (end < rest->n && rest->p[end] != '/')
		end++;
	if (rest->p[0] == '/')
		*ret_token = unescape(arena, kh_view_of(rest->p + 1, end - 1));
	*rest = kh_view_of(rest->p + end, rest->n - end);
	return true;
}

bool kh_pointer_index(struct kh_view token, size_t *ret_index)
{
	int64_t index;

	if (!kh_view_int(token, &index) || index < 0 || token.p[0] == '-')
		return false;
	*ret_index = (size_t)index;
	return true;
}
