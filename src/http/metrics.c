/* Metrics: a table of names, and their values. */
#include "http/metrics.h"

#include "base/buf.h"
#include "http/reply.h"
#include "store/rows.h"

#include <inttypes.h>

#define TEXT ((size_t)64 << 10)

static void describe(struct kh_buf *buf, const char *name, const char *type, const char *help)
{
	kh_buf_printf(buf, "# HELP keyhole_%s %s\n# TYPE keyhole_%s %s\n", name, help, name, type);
}

static void put(struct kh_buf *buf, const char *name, const char *type, const char *help, uint64_t value)
{
	describe(buf, name, type, help);
	kh_buf_printf(buf, "keyhole_%s %" PRIu64 "\n", name, value);
}

static void put_http(struct kh_buf *buf, const struct kh_http_figures *http)
{
	describe(buf, "http_responses_total", "counter", "Answers by the class of their status.");
	for (unsigned i = 1; i < 6; i++)
		kh_buf_printf(buf, "keyhole_http_responses_total{class=\"%uxx\"} %" PRIu64 "\n", i, http->requests[i]);
	describe(buf, "http_refused_total", "counter",
		 "Requests that were refused before anything was done with them.");
	kh_buf_printf(buf, "keyhole_http_refused_total{why=\"host\"} %" PRIu64 "\n", http->refused_host);
	kh_buf_printf(buf, "keyhole_http_refused_total{why=\"origin\"} %" PRIu64 "\n", http->refused_origin);
	kh_buf_printf(buf, "keyhole_http_refused_total{why=\"token\"} %" PRIu64 "\n", http->refused_token);
	put(buf, "http_connections", "gauge", "Connections that are open.", http->connections);
	put(buf, "http_streams", "gauge", "Streams of events that are open.", http->streams);
	put(buf, "http_waits", "gauge", "Requests that may wait or stream.", http->waits);
}

static void put_works(struct kh_buf *buf, const struct kh_gateway_figures *gateway)
{
	const struct kh_works_figures *pools[] = {&gateway->calls, &gateway->outbox};
	const char *const names[] = {"calls", "asks"};

	describe(buf, "works", "gauge", "Works of a pool: those that wait, and those that are due.");
	for (size_t i = 0; i < 2; i++) {
		kh_buf_printf(buf, "keyhole_works{pool=\"%s\",state=\"parked\"} %zu\n", names[i], pools[i]->parked);
		kh_buf_printf(buf, "keyhole_works{pool=\"%s\",state=\"queued\"} %zu\n", names[i], pools[i]->queued);
	}
	describe(buf, "threads", "gauge", "Threads of a pool.");
	for (size_t i = 0; i < 2; i++)
		kh_buf_printf(buf, "keyhole_threads{pool=\"%s\"} %zu\n", names[i], pools[i]->threads);
	describe(buf, "steps_total", "counter", "Steps that a pool has run.");
	for (size_t i = 0; i < 2; i++)
		kh_buf_printf(buf, "keyhole_steps_total{pool=\"%s\"} %" PRIu64 "\n", names[i], pools[i]->steps);
}

static void put_outcomes(struct kh_buf *buf, const struct kh_gateway_figures *gateway)
{
	describe(buf, "query_outcomes_total", "counter", "What Controllers were told of their queries.");
	for (unsigned i = KH_OUTCOME_NONE; i <= KH_OUTCOME_BUDGET; i++) {
		const char *word = kh_words_name(&kh_rows_outcome_words, i);
		kh_buf_printf(buf, "keyhole_query_outcomes_total{outcome=\"%s\"} %" PRIu64 "\n",
			      i == KH_OUTCOME_NONE ? "waiting" : word, gateway->outcomes[i]);
	}
}

/* The rows of one kind, with the names of their labels; without labels there is one row. */
static void put_tally(struct kh_buf *buf, const struct kh_gateway_figures *gateway, enum kh_tally_kind kind,
		      const char *name, const char *label, const char *other, const char *help)
{
	describe(buf, name, "counter", help);
	for (size_t i = 0; i < gateway->tally_count; i++) {
		const struct kh_tally_row *row = &gateway->tally[i];
		if (row->kind != kind)
			continue;
		kh_buf_printf(buf, "keyhole_%s", name);
		if (label != NULL)
			kh_buf_printf(buf, "{%s=\"%s\"", label, row->label);
		if (other != NULL)
			kh_buf_printf(buf, ",%s=\"%s\"", other, row->other);
		kh_buf_printf(buf, "%s %" PRIu64 "\n", label != NULL ? "}" : "", row->count);
	}
}

static void put_tallies(struct kh_buf *buf, const struct kh_gateway_figures *gateway)
{
	put(buf, "approvals_pending", "gauge", "Approvals that wait for a decision, in the whole store.",
	    gateway->pending);
	put(buf, "approvals_oldest_seconds", "gauge", "How long the oldest of them has waited.",
	    (uint64_t)(gateway->pending_oldest / 1000000));
	put_tally(buf, gateway, KH_TALLY_DECIDED, "approvals_decided_total", "outcome", NULL,
		  "Approvals that were decided, expired or became void.");
	put_tally(buf, gateway, KH_TALLY_ENDED, "operations_total", "operation", "outcome",
		  "External operations that have ended.");
	put_tally(buf, gateway, KH_TALLY_DENIED, "gate_denials_total", "gate", NULL, "Calls that a gate denied.");
	put_tally(buf, gateway, KH_TALLY_REFUSED, "calls_refused_total", "code", NULL,
		  "Calls that were refused otherwise.");
	put_tally(buf, gateway, KH_TALLY_ALERTS, "alerts_total", "code", NULL, "Alerts that were raised.");
	put_tally(buf, gateway, KH_TALLY_RESERVED, "microbits_reserved_total", NULL, NULL,
		  "Microbits that were reserved from budgets.");
	put_tally(buf, gateway, KH_TALLY_CHARGED, "microbits_charged_total", NULL, NULL,
		  "Microbits that were charged to budgets.");
}

static void put_machine(struct kh_buf *buf, const struct kh_gateway_machine *machine)
{
	put(buf, "executor_up", "gauge", "1 if the executor, through which all goes that goes out, is alive.",
	    machine->executor);
	put(buf, "spawner_up", "gauge", "1 if the spawner is alive, which replaces an executor that has died.",
	    machine->spawner);
	put(buf, "executor_starts_total", "counter", "Executors that were started.", machine->starts);
	put(buf, "executor_deaths_total", "counter", "Executors that have died.", machine->ends);
	put(buf, "disk_free_bytes", "gauge", "Room on the file system of the store.", machine->store_free);
	put(buf, "disk_low", "gauge",
	    "1 if the disk of the store or of the workspaces has less room than is kept free.",
	    machine->store_low || machine->workspace_low);
}

void kh_http_metrics_write(struct kh_buf *buf, const struct kh_http_figures *http,
			   const struct kh_gateway_figures *gateway)
{
	put_http(buf, http);
	put_works(buf, gateway);
	put_outcomes(buf, gateway);
	put_tallies(buf, gateway);
	put_machine(buf, &gateway->machine);
	put(buf, "store_operations_total", "counter", "Operations that the store has run.", gateway->store.operations);
	put(buf, "store_commits_total", "counter", "Commits, each of all operations that waited.",
	    gateway->store.commits);
	put(buf, "audit_events_total", "counter", "Audit events that this process has recorded.",
	    gateway->store.events);
	put(buf, "checkpoints_total", "counter", "Checkpoints that this process has signed and stored.",
	    gateway->store.checkpoints);
	put(buf, "checkpoint_age_seconds", "gauge", "How long ago the last checkpoint was signed, by any process.",
	    (uint64_t)(gateway->checkpoint_age / 1000000));
	put(buf, "checkpoint_uncovered_events", "gauge", "Events since the last checkpoint, in the whole store.",
	    gateway->uncovered);
	put(buf, "witness_lines_total", "counter", "Checkpoints that were written to the witness file.",
	    gateway->store.witness_lines);
	put(buf, "witness_failures_total", "counter", "Times that the witness file could not be written.",
	    gateway->store.witness_failures);
	put(buf, "witness_broken", "gauge", "1 if the witness file could not be written the last time.",
	    gateway->store.witness_broken);
}

static enum kh_work_next run(struct kh_http_request *r)
{
	struct kh_gateway *gateway = r->frame->gateway;
	struct kh_http *http = r->ctx;
	struct kh_error err = {.err = KH_OK};
	struct kh_who who;
	struct kh_view text;
	struct kh_buf buf;
	enum kh_err e = kh_gateway_who(gateway, r->token, true, &who, &err);

	if (e == KH_OK && who.role != KH_ROLE_REVIEWER && who.role != KH_ROLE_ADMIN)
		e = kh_error_set(&err, KH_EREFUSED, "forbidden", "a reviewer's or an admin's token is needed");
	if (e != KH_OK) {
		kh_http_reply_error(r, e, &err);
		return KH_WORK_DONE;
	}
	struct kh_http_figures figures = kh_http_figures(http);
	struct kh_gateway_figures of_gateway = kh_gateway_figures(gateway);

	kh_buf_init(&buf, &r->arena, TEXT);
	kh_http_metrics_write(&buf, &figures, &of_gateway);
	e = kh_buf_end(&buf, &text);
	if (e != KH_OK)
		kh_http_reply_error(r, e, NULL);
	else
		kh_http_reply(r, 200, "text/plain; version=0.0.4; charset=utf-8", text, NULL, 0);
	return KH_WORK_DONE;
}

static const struct kh_http_route routes[] = {{KH_HTTP_GET, "/metrics", KH_HTTP_TOKEN, 0, run, false, false}};

enum kh_err kh_http_metrics_add(struct kh_http *http, struct kh_error *err)
{
	return kh_http_add(http, routes, 1, http, err);
}
