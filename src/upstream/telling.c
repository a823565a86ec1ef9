/* Reports, compared by their digests.  What is in them is hostile, and is not looked at. */
#include "upstream/telling.h"

/* A report on its way. */
struct report {
	const struct kh_telling *telling;
	const struct kh_running_found *found;
	struct kh_view about;
	struct kh_arena *arena;
	struct kh_error *err;
};

/* A digest of all that is reported. */
static struct kh_digest digest_of(const struct kh_running_found *found, struct kh_view about)
{
	struct kh_canonical_state state;

	kh_canonical_begin(&state);
	kh_canonical_more(&state, kh_view_of((const char *)found->program.bytes, sizeof(found->program.bytes)));
	kh_canonical_more(&state,
			  kh_view_of((const char *)found->list->digest.bytes, sizeof(found->list->digest.bytes)));
	kh_canonical_more(&state, about);
	return kh_canonical_end(&state);
}

static enum kh_err tell(void *context)
{
	struct report *r = context;

	return r->telling->seen(r->telling->context, r->found, r->about, r->arena, r->err);
}

enum kh_err kh_telling_report(const struct kh_telling *telling, struct kh_port *port,
			      const struct kh_running_found *found, struct kh_arena *arena, struct kh_error *err)
{
	struct report report = {.telling = telling, .found = found, .arena = arena, .err = err};
	enum kh_err e = kh_manner_about(arena, found->manner, &report.about, err);

	if (e != KH_OK)
		return e;
	struct kh_digest digest = digest_of(found, report.about);
	return kh_port_report(port, &digest, tell, &report);
}
