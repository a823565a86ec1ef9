/* The options of commands that read events: which of them are wanted (eventfilter.h). */
#ifndef KH_CLI_EVENTOPTION_H
#define KH_CLI_EVENTOPTION_H

#include "cli/option.h"
#include "engine/audit/eventfilter.h"

struct kh_eventoption {
	const char *task, *principal, *kind, *since, *until; /* NULL: not given */
};

#define KH_EVENTOPTION_COUNT 5
/* The entries of a command's table of options for these. */
void kh_eventoption_describe(struct kh_eventoption *given, struct kh_option ret_options[KH_EVENTOPTION_COUNT]);

/* The filter that they make.  KH_EINPUT `bad_option` says what is wrong with them. */
enum kh_err kh_eventoption_read(const struct kh_eventoption *given, const struct kh_eventline *line,
				struct kh_eventfilter *ret_filter, struct kh_error *err) KH_CHECKED;

#endif
