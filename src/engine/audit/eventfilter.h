/* Which events are wanted (L4): by task, principal, kind and time. */
#ifndef KH_ENGINE_AUDIT_EVENTFILTER_H
#define KH_ENGINE_AUDIT_EVENTFILTER_H

#include "base/error.h"
#include "engine/audit/eventline.h"

struct kh_eventfilter {
	/* as they were given; p NULL: not given */
	struct kh_view task, principal, kind, since, until;
	/* parsed */
	bool has_task;
	int64_t chain, from, to;
};

/* Parses what was given.  KH_EINPUT `bad_value`, with the member and what was expected. */
enum kh_err kh_eventfilter_read(struct kh_eventfilter *filter, const unsigned char id_key[KH_PUBLICID_KEY],
				struct kh_error *err) KH_CHECKED;

/* Whether the filter lets every event pass. */
bool kh_eventfilter_is_empty(const struct kh_eventfilter *filter);

bool kh_eventfilter_passes(const struct kh_eventfilter *filter, struct kh_eventline *line,
			   const struct kh_audit_entry *entry);

#endif
