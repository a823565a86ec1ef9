/* The options of commands that read events: which events are wanted (eventfilter.h). */
#ifndef KH_CLI_EVENTOPTION_H
#define KH_CLI_EVENTOPTION_H

#include "cli/option.h"
#include "engine/audit/eventfilter.h"

struct kh_eventoption {
	const char *task, *principal, *kind, *since, *until; /* NULL: not given */
};

#define KH_EVENTOPTION_COUNT 5
/* Fills in the entries for these options in a command's table. */
void kh_eventoption_describe(struct kh_eventoption *given, struct kh_option ret_options[KH_EVENTOPTION_COUNT]);

/* Makes the filter.  KH_EINPUT `bad_option` says what is wrong with the options. */
enum kh_err kh_eventoption_read(const struct kh_eventoption *given, const struct kh_eventline *line,
				struct kh_eventfilter *ret_filter, struct kh_error *err) KH_CHECKED;

#endif
