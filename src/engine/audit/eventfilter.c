/*
 * Filters.  A filter that cannot be understood is an error: if it silently let nothing pass, it would look as if
 * nothing had happened.
 */
#include "engine/audit/eventfilter.h"

#include "base/timestamp.h"

#include <stdio.h>

#define DAY 10 /* bytes of 2026-11-15 */

bool kh_eventfilter_is_empty(const struct kh_eventfilter *filter)
{
	return filter->task.p == NULL && filter->principal.p == NULL && filter->kind.p == NULL &&
	       filter->since.p == NULL && filter->until.p == NULL;
}

/* Whether KIND equals WANTED or belongs to the group WANTED. */
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

static bool read_time(struct kh_view text, int64_t *ret_time)
{
	char day[32];

	if (text.p == NULL || kh_timestamp_parse(text, ret_time))
		return true;
	if (text.n != DAY)
		return false;
	snprintf(day, sizeof(day), "%.*sT00:00:00Z", KH_FMT(text));
	return kh_timestamp_parse(kh_view_str(day), ret_time);
}

static enum kh_err refuse(struct kh_error *err, const char *member, const char *expected)
{
	return kh_error_member(err, kh_view_str(member),
			       kh_error_set(err, KH_EINPUT, "bad_value", "expected %s", expected));
}

enum kh_err kh_eventfilter_read(struct kh_eventfilter *filter, const unsigned char id_key[KH_PUBLICID_KEY],
				struct kh_error *err)
{
	static const char time[] = "a time such as 2026-11-15 or 2026-11-15T08:30:00Z, in UTC";

	filter->from = INT64_MIN;
	filter->to = INT64_MAX;
	filter->has_task = filter->task.p != NULL;
	filter->chain = 0;
	if (filter->has_task && !kh_view_eq(filter->task, KH_LIT("system")) &&
	    !kh_publicid_parse(id_key, KH_ID_TASK, filter->task, &filter->chain))
		return refuse(err, "task", "a task's id, t and 16 hexadecimal digits, or `system`");
	if (filter->kind.p != NULL && !is_known(filter->kind))
		return refuse(err, "kind",
			      "a kind of events such as query.delivered, or a group of them such as query");
	if (!read_time(filter->since, &filter->from))
		return refuse(err, "since", time);
	if (!read_time(filter->until, &filter->to))
		return refuse(err, "until", time);
	return KH_OK;
}

bool kh_eventfilter_passes(const struct kh_eventfilter *filter, struct kh_eventline *line,
			   const struct kh_audit_entry *entry)
{
	if (filter->has_task && entry->chain != filter->chain)
		return false;
	if (filter->kind.p != NULL && !is_of(entry->kind, filter->kind))
		return false;
	if (entry->at < filter->from || entry->at >= filter->to)
		return false;
	if (filter->principal.p == NULL)
		return true;
	const struct kh_eventline_name *by = kh_eventline_by(line, entry->by);
	return kh_view_eq(kh_view_str(by->name), filter->principal) ||
	       kh_view_eq(kh_view_str(by->id), filter->principal);
}
