/* The options of commands that read events: which events are wanted (eventfilter.h). */
#ifndef KH_CLI_EVENTOPTION_H
#define KH_CLI_EVENTOPTION_H

#include "engine/audit/eventfilter.h"

struct kh_eventoption {
	const char *task, *principal, *kind, *since, *until; /* NULL: not given */
};

/* Makes the filter.  KH_EINPUT `bad_option` says what is wrong with the options. */
enum kh_err kh_eventoption_read(const struct kh_eventoption *given, const struct kh_eventline *line,
				struct kh_eventfilter *ret_filter, struct kh_error *err) KH_CHECKED;

#endif
