/* Which events are wanted (L4): by task, principal, kind and time. */
#ifndef KH_CLI_EVENTFILTER_H
#define KH_CLI_EVENTFILTER_H

#include "cli/eventline.h"
#include "cli/option.h"

struct kh_eventfilter {
	/* as they were given; NULL: not */
	const char *task, *principal, *kind, *since, *until;
	/* as they are understood */
	bool has_task;
	int64_t chain, from, to;
};

#define KH_EVENTFILTER_OPTIONS 5
/* The entries of a command's table of options for these. */
void kh_eventfilter_describe(struct kh_eventfilter *filter, struct kh_option ret_options[KH_EVENTFILTER_OPTIONS]);

/* Understands what was given.  KH_EINPUT `bad_option` says what is wrong with it. */
enum kh_err kh_eventfilter_read(struct kh_eventfilter *filter, const struct kh_eventline *line, struct kh_error *err)
	__attribute__((warn_unused_result));

/* Whether everything passes. */
bool kh_eventfilter_is_empty(const struct kh_eventfilter *filter);

bool kh_eventfilter_passes(const struct kh_eventfilter *filter, struct kh_eventline *line,
			   const struct kh_audit_entry *entry);

#endif
