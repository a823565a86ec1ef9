/* The workers by name and by profile.  Trusts the executor: only it starts them. */
#include "executor/workers.h"

#include "wire/channel.h"
#include "worker/http/http.h"
#include "worker/http/upstream.h"
#include "worker/mcp/mcp.h"
#include "worker/read/read.h"
#include "worker/resolve/resolve.h"
#include "worker/search/search.h"
#include "worker/sni/sni.h"
#include "worker/sql/sql.h"
#include "worker/text/text.h"

#include <signal.h>
#include <stdio.h>

/* Workers that speak with the executor over a channel. */
static const struct {
	const char *name;
	int (*serve)(int channel);
} speakers[] = {
	{"resolve", kh_worker_resolve},
	{"http", kh_worker_http},
	{"sni", kh_worker_sni},
	{"upstream", kh_worker_http_upstream},
};

/* Workers that take a job. */
static const struct kh_worker_job_kind kinds[] = {
	{KH_PROFILE_READ, KH_FILTER_READ, NULL, kh_worker_read_run},
	{KH_PROFILE_TEXT, KH_FILTER_TEXT, kh_worker_text_load, kh_worker_text_run},
	{KH_PROFILE_QUERY, KH_FILTER_QUERY, kh_worker_sql_load, kh_worker_sql_run},
	{KH_PROFILE_SEARCH, KH_FILTER_SEARCH, kh_worker_search_load, kh_worker_search_run},
	{KH_PROFILE_MCP, KH_FILTER_TEXT, NULL, kh_worker_mcp_run},
};

const struct kh_worker_job_kind *kh_workers_find(enum kh_profile profile)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].profile == profile)
			return &kinds[i];
	return NULL;
}

int kh_workers_serve(enum kh_profile profile, struct kh_filter *const filters[KH_FILTERS])
{
	const struct kh_worker_job_kind *kind = kh_workers_find(profile);

	return kind != NULL ? kh_worker_job_serve(kind, filters[kind->filter]) : 1;
}

int kh_workers_main(const char *name)
{
	enum kh_profile profile;

	/* If a peer closes its socket, that is reported as an error and must not kill the worker. */
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		return 1;
	for (size_t i = 0; i < sizeof(speakers) / sizeof(speakers[0]); i++)
		if (strcmp(speakers[i].name, name) == 0)
			return speakers[i].serve(KH_CHANNEL_INHERITED);
	const struct kh_worker_job_kind *kind = kh_profile_read(kh_view_str(name), &profile) ? kh_workers_find(profile)
											     : NULL;
	if (kind != NULL)
		return kh_worker_job_serve(kind, NULL);
	fputs("keyhole worker: there is none of this name; the executor starts them\n", stderr);
	return 2;
}
