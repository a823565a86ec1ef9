/*
 * Fetches a URL through the sandbox.
 *
 * Like sandbox_run.c: it starts an executor, locks down, moves bytes.  The executor resolves names, checks addresses
 * and makes connections; this process has no sockets but its channels.
 */
#include "cli/sandbox_fetch.h"

#include "base/json.h"
#include "cli/foreground.h"
#include "cli/result.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define FAILED 1

/* The response, kept after its event was freed. */
struct response {
	unsigned status;
	bool is_elsewhere; /* a redirect that was not followed */
	struct kh_tainted headers, url, location;
};

struct fetching {
	struct kh_frame *f;
	const struct kh_sandbox_fetch_args *args;
	struct kh_fetch request;
	struct kh_foreground foreground;
	struct kh_result result;
	struct response response;
	bool is_looked_at; /* standard error is a terminal */
};

static void complain(struct fetching *g, const char *code, const char *detail)
{
	kh_error_set(&g->f->err, KH_EREFUSED, code, "%s", detail);
	kh_frame_fail(g->f);
}

/* Opens the body to post and finds the file of certificates, because nothing can be opened later. */
static enum kh_err take_files(struct fetching *g, struct kh_error *err)
{
	int *body = &g->foreground.input;
	const char *name = g->args->post;
	char real[PATH_MAX];

	if (name != NULL) {
		g->request.method = KH_METHOD_POST;
		*body = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	}
	if (*body >= 0 || name == NULL) {
		name = g->args->ca;
		if (name == NULL)
			return KH_OK;
		if (realpath(name, real) != NULL) {
			g->request.authority = kh_arena_dup(&g->f->arena, kh_view_str(real));
			return kh_arena_check(&g->f->arena);
		}
	}
	const char *why = strerror(errno);
	struct kh_view quoted = kh_arena_quote(&g->f->arena, kh_view_str(name));
	return kh_error_set(err, KH_EINPUT, "bad_option", "%.*s: %s", KH_FMT(quoted), why);
}

static enum kh_err take_request(struct fetching *g)
{
	struct kh_fetch *q = &g->request;
	struct kh_error *err = &g->f->err;

	if (g->f->count != 1)
		return kh_error_set(err, KH_EINPUT, "bad_option", "one URL, after the options (--help says more)");
	if (g->args->redirects > KH_REQUEST_REDIRECTS)
		return kh_error_set(err, KH_EINPUT, "bad_option", "--redirects is at most %d", KH_REQUEST_REDIRECTS);
	q->url = kh_view_str(g->f->words[0]);
	for (; q->hosts < g->args->allow.n; q->hosts++)
		q->host[q->hosts] = kh_view_str(g->args->allow.at[q->hosts]);
	for (; q->headers < g->args->header.n; q->headers++)
		q->header[q->headers] = kh_view_str(g->args->header.at[q->headers]);
	q->plain = g->args->http;
	q->redirects = (unsigned)g->args->redirects;
	q->limits = g->args->limits;
	return take_files(g, err);
}

/* True for a redirect that was not followed; 304 and similar statuses are not redirects. */
static bool is_redirect(unsigned status)
{
	return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

static void take_head(struct fetching *g, const struct kh_head *head)
{
	struct response *r = &g->response;

	r->status = head->status;
	r->headers = kh_result_keep(&g->result, head->headers);
	r->url = kh_result_keep(&g->result, head->url);
	r->location = kh_result_keep(&g->result, head->location);
	r->is_elsewhere = is_redirect(head->status);
	if (g->args->include && !g->args->json)
		kh_terminal_give(&g->foreground.out, r->headers);
}

/* A redirect that was not followed is an answer, but not what was asked for. */
static bool is_good(const struct fetching *g, const struct kh_end *end)
{
	unsigned status = g->response.status;

	return end->fault == KH_FAULT_NONE && ((status >= 200 && status < 300) || status == 304);
}

static bool write_json(struct fetching *g, const struct kh_end *end)
{
	yyjson_mut_doc *doc = kh_json_new(&g->f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	const struct response *r = &g->response;

	yyjson_mut_obj_add_str(doc, obj, "fault", kh_fault_name(end->fault));
	yyjson_mut_obj_add_str(doc, obj, "detail", end->detail);
	yyjson_mut_obj_add_uint(doc, obj, "status", r->status);
	kh_result_text(&g->result, doc, obj, "url", r->url);
	kh_result_text(&g->result, doc, obj, "location", r->location);
	kh_result_lines(&g->result, doc, obj, "headers", r->headers);
	yyjson_mut_obj_add_uint(doc, obj, "bytes", end->used);
	yyjson_mut_obj_add_uint(doc, obj, "time_us", end->time_us);
	return kh_result_write(&g->result, &g->foreground.out, obj);
}

/* Writes one line on standard error: what went wrong, or, if a human reads it, what the response was. */
static void tell(struct fetching *g, const struct kh_end *end)
{
	const struct response *r = &g->response;
	struct kh_view url = kh_result_quote(&g->result, r->url), to = kh_result_quote(&g->result, r->location);

	if (end->fault != KH_FAULT_NONE)
		complain(g, kh_fault_name(end->fault), kh_exchange_about(end));
	else if (r->is_elsewhere)
		fprintf(stderr, "keyhole: sandbox fetch: %u: %.*s leads to %.*s, which was not followed\n", r->status,
			KH_FMT(url), KH_FMT(to.n > 2 ? to : KH_LIT("what is no URL")));
	else if (!is_good(g, end))
		fprintf(stderr, "keyhole: sandbox fetch: %u from %.*s\n", r->status, KH_FMT(url));
	else if (g->is_looked_at)
		fprintf(stderr, "%u, %llu bytes from %.*s\n", r->status, (unsigned long long)end->used, KH_FMT(url));
}

static int finish(void *context, const struct kh_end *end)
{
	struct fetching *g = context;

	if (g->args->json && !write_json(g, end)) {
		complain(g, "output_lost", "cannot write the result");
		return FAILED;
	}
	if (!g->args->json)
		tell(g, end);
	return is_good(g, end) ? 0 : FAILED;
}

static void take(void *context, const struct kh_event *event)
{
	struct fetching *g = context;

	if (event->kind == KH_EVENT_HEAD)
		take_head(g, &event->head);
	else if (!g->args->json)
		kh_terminal_give(&g->foreground.out, event->bytes);
}

int kh_sandbox_fetch(struct kh_frame *f)
{
	/* A terminal is looked for now, because the system call filter makes isatty() fail later. */
	struct fetching g = {.f = f, .args = f->args, .is_looked_at = isatty(STDERR_FILENO)};

	g.foreground.input = -1;
	g.foreground.talk.fetch = &g.request;
	g.foreground.take = take;
	g.foreground.finish = finish;
	g.foreground.context = &g;
	kh_result_init(&g.result, &f->arena);
	return take_request(&g) == KH_OK ? kh_foreground_run(&g.foreground, f, g.args->raw, FAILED) : kh_frame_fail(f);
}
