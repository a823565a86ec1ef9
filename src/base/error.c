/* Errors and reasons.  Details are bounded and hold no raw input, because callers quote input first. */
#include "base/error.h"

#include "base/utf8.h"
#include "base/words.h"

#include <stdio.h>

/* Makes a text that was cut to fit end with a whole character. */
static void end_whole(char *text)
{
	size_t broken = kh_utf8_invalid(kh_view_str(text));

	if (broken != SIZE_MAX)
		text[broken] = '\0';
}

#undef kh_error_at /* the analyser has a macro of this name */
enum kh_err kh_error_at(struct kh_error *err, enum kh_err e, const char *code, size_t offset, const char *fmt, ...)
{
	va_list args;

	if (err == NULL)
		return e;
	*err = (struct kh_error){.err = e, .offset = offset, .code = code};
	va_start(args, fmt);
	vsnprintf(err->detail, sizeof(err->detail), fmt, args);
	va_end(args);
	end_whole(err->detail);
	return e;
}

enum kh_err kh_error_member(struct kh_error *err, struct kh_view member, enum kh_err e)
{
	if (err == NULL || e == KH_OK)
		return e;
	snprintf(err->member, sizeof(err->member), "%.*s", KH_FMT(member));
	end_whole(err->member);
	return e;
}

enum kh_err kh_error_input(struct kh_error *err, struct kh_view member, const char *code, const char *detail)
{
	return kh_error_member(err, member, kh_error_set(err, KH_EINPUT, code, "%s", detail));
}

static const struct kh_words names = KH_WORDS(
	[KH_OK] = "ok", [KH_ENOMEM] = "out_of_memory", [KH_EINPUT] = "bad_input", [KH_ELIMIT] = "too_large",
	[KH_EREFUSED] = "refused", [KH_ECHANGED] = "changed", [KH_EUNKNOWN] = "unknown", [KH_ESTORE] = "store");

const char *kh_err_name(enum kh_err e)
{
	return kh_words_name(&names, e);
}

void kh_reasons_init(struct kh_reasons *list, struct kh_arena *arena)
{
	*list = (struct kh_reasons){.arena = arena};
}

void kh_reasons_add(struct kh_reasons *list, const char *code, struct kh_view member, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	struct kh_view detail = kh_arena_vprintf(list->arena, fmt, args);
	va_end(args);
	struct kh_reason *at = kh_arena_more(list->arena, list->at, list->n, &list->cap, sizeof(*at));
	if (at == NULL)
		return;
	list->at = at;
	list->at[list->n++] = (struct kh_reason){.code = code, .member = member, .detail = detail};
}

enum kh_err kh_error_reason(struct kh_error *err, enum kh_err e, const struct kh_reasons *list)
{
	return kh_error_member(err, list->at[0].member,
			       kh_error_set(err, e, list->at[0].code, "%.*s", KH_FMT(list->at[0].detail)));
}
