/* Options that make an event filter. */
#include "cli/eventoption.h"

static struct kh_view view(const char *text)
{
	return text != NULL ? kh_view_str(text) : (struct kh_view){NULL, 0};
}

enum kh_err kh_eventoption_read(const struct kh_eventoption *given, const struct kh_eventline *line,
				struct kh_eventfilter *ret_filter, struct kh_error *err)
{
	struct kh_eventfilter filter = {
		.task = view(given->task),
		.principal = view(given->principal),
		.kind = view(given->kind),
		.since = view(given->since),
		.until = view(given->until),
	};
	struct kh_error why;
	enum kh_err e = kh_eventfilter_read(&filter, line->id_key, &why);

	if (e != KH_OK)
		return kh_error_set(err, e, "bad_option", "--%s: %s", why.member, why.detail);
	*ret_filter = filter;
	return KH_OK;
}
