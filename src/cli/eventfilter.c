/* Filters.  What cannot be understood is an error: a filter that silently passes nothing would look like peace. */
#include "cli/eventfilter.h"

#include "base/timestamp.h"

#include <stdio.h>

void kh_eventfilter_describe(struct kh_eventfilter *filter, struct kh_option ret_options[KH_EVENTFILTER_OPTIONS])
{
	const struct kh_option all[KH_EVENTFILTER_OPTIONS] = {
		{"--task", "ID", "only events of this task; `system`: those of no task", .text = &filter->task},
		{"--principal", "WHO", "only events by this token: its id, its name, or `keyhole`",
		 .text = &filter->principal},
		{"--kind", "KIND", "only events of this kind, or group of kinds: query.delivered, query",
		 .text = &filter->kind},
		{"--since", "TIME", "only events from then on: 2026-11-15, 2026-11-15T08:30:00Z",
		 .text = &filter->since},
		{"--until", "TIME", "only events before then", .text = &filter->until},
	};

	memcpy(ret_options, all, sizeof(all));
}

bool kh_eventfilter_is_empty(const struct kh_eventfilter *filter)
{
	return filter->task == NULL && filter->principal == NULL && filter->kind == NULL && filter->since == NULL &&
	       filter->until == NULL;
}

/* KIND is a group of kinds, or one itself. */
static bool is_of(struct kh_view kind, struct kh_view wanted)
{
	return kh_view_starts(kind, wanted) && (kind.n == wanted.n || kind.p[wanted.n] == '.');
}

static bool is_known(struct kh_view wanted)
{
	for (size_t i = 0; i < kh_audit_kind_words.n; i++)
		if (wanted.n > 0 && is_of(kh_view_str(kh_audit_kind_words.at[i]), wanted))
			return true;
	return false;
}

static bool read_time(const char *text, int64_t *ret_time)
{
	char day[32];

	if (kh_timestamp_parse(kh_view_str(text), ret_time))
		return true;
	if (strlen(text) != 10)
		return false;
	snprintf(day, sizeof(day), "%sT00:00:00Z", text);
	return kh_timestamp_parse(kh_view_str(day), ret_time);
}

enum kh_err kh_eventfilter_read(struct kh_eventfilter *filter, const struct kh_eventline *line, struct kh_error *err)
{
	filter->from = INT64_MIN;
	filter->to = INT64_MAX;
	filter->has_task = filter->task != NULL;
	filter->chain = 0;
	if (filter->has_task && strcmp(filter->task, "system") != 0 &&
	    !kh_publicid_parse(line->id_key, KH_ID_TASK, kh_view_str(filter->task), &filter->chain))
		return kh_error_set(err, KH_EINPUT, "bad_option",
				    "--task is a task's id, t and 16 hexadecimal digits, or `system`");
	if (filter->kind != NULL && !is_known(kh_view_str(filter->kind)))
		return kh_error_set(err, KH_EINPUT, "bad_option", "--kind is none: keyhole(1) lists them");
	if ((filter->since != NULL && !read_time(filter->since, &filter->from)) ||
	    (filter->until != NULL && !read_time(filter->until, &filter->to)))
		return kh_error_set(err, KH_EINPUT, "bad_option",
				    "--since and --until are times such as 2026-11-15 or 2026-11-15T08:30:00Z, in UTC");
	return KH_OK;
}

bool kh_eventfilter_passes(const struct kh_eventfilter *filter, struct kh_eventline *line,
			   const struct kh_audit_entry *entry)
{
	if (filter->has_task && entry->chain != filter->chain)
		return false;
	if (filter->kind != NULL && !is_of(entry->kind, kh_view_str(filter->kind)))
		return false;
	if (entry->at < filter->from || entry->at >= filter->to)
		return false;
	if (filter->principal == NULL)
		return true;
	const struct kh_eventline_name *by = kh_eventline_by(line, entry->by);
	return strcmp(by->name, filter->principal) == 0 || strcmp(by->id, filter->principal) == 0;
}
