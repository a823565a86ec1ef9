/*
 * Fetches a URL through the sandbox.
 *
 * Like sandbox_run.c: it starts an executor, locks down, moves bytes.  The executor resolves names, checks addresses
 * and makes connections; this process has no sockets but its channels.
 */
#include "cli/sandbox_fetch.h"

#include "base/json.h"
#include "cli/foreground.h"
#include "cli/option.h"
#include "cli/result.h"
#include "home/confine.h"
#include "outside/client.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define NAME      "sandbox fetch"
#define FAILED    1
#define UNUSABLE  2
#define REDIRECTS 5

struct arguments {
	struct kh_option_list allow, header;
	const char *ca, *post;
	uint64_t redirects;
	struct kh_limits limits;
	bool http, include, raw, json, help;
};

/* The response, kept after its event was freed. */
struct response {
	unsigned status;
	bool is_elsewhere; /* a redirect that was not followed */
	struct kh_tainted headers, url, location;
};

struct fetching {
	struct kh_arena arena;
	struct arguments args;
	struct kh_fetch request;
	struct kh_client client;
	struct kh_foreground foreground;
	struct kh_result result;
	struct response response;
	int body;          /* descriptor of the body to post, or -1 */
	bool is_looked_at; /* standard error is a terminal */
};

#define OPTIONS 12

static void describe(struct arguments *a, struct kh_option ret_options[OPTIONS])
{
	const struct kh_option options[OPTIONS] = {
		{"--allow", "HOST[:PORT]", "a host that may have a private or local address", .list = &a->allow},
		{"--http", NULL, "plain http is fine, too", .flag = &a->http},
		{"--ca", "FILE", "trust these certificates in place of the system's", .text = &a->ca},
		{"--header", "NAME: VALUE", "send this header", .list = &a->header},
		{"--post", "FILE", "POST this file; - is standard input", .text = &a->post},
		{"--max-bytes", "BYTES", "how long the body may be", .number = &a->limits.output,
		 .unit = KH_OPTION_BYTES},
		{"--timeout", "SECONDS", "wall-clock limit", .number = &a->limits.wall_ms, .unit = KH_OPTION_SECONDS},
		{"--redirects", "N", "follow so many within the host (default: 5)", .number = &a->redirects,
		 .unit = KH_OPTION_NUMBER},
		{"--include", NULL, "write the response's headers before the body", .flag = &a->include},
		{"--raw", NULL, "show the body on a terminal as it is", .flag = &a->raw},
		{"--json", NULL, "write one JSON object about the response, and no body", .flag = &a->json},
		{"--help", NULL, "this", .flag = &a->help},
	};

	memcpy(ret_options, options, sizeof(options));
}

static int print_help(const struct kh_option *options)
{
	fputs("usage: keyhole sandbox fetch [OPTION...] URL\n"
	      "\n"
	      "Fetch a URL: https, from a public address.  The name is resolved and the response read by\n"
	      "processes that have one socket and nothing else.  The body goes to standard output.\n"
	      "\n",
	      stdout);
	kh_option_print(options, OPTIONS, stdout);
	fputs("\n"
	      "Exit status: 0 a good response (2xx, 304) came whole; 1 it did not, or it leads elsewhere; 2 the\n"
	      "command line is not usable.  See keyhole-sandbox(1).\n",
	      stdout);
	return fflush(stdout) == 0 ? 0 : FAILED;
}

static int complain(int status, const char *code, const char *detail)
{
	fprintf(stderr, "keyhole: " NAME ": %s: %s\n", code, detail);
	return status;
}

/* Opens the body to post and finds the file of certificates, because nothing can be opened later. */
static enum kh_err take_files(struct fetching *f, struct kh_error *err)
{
	const char *name = f->args.post;
	char real[PATH_MAX];

	if (name != NULL) {
		f->request.method = KH_METHOD_POST;
		f->body = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	}
	if (f->body >= 0 || name == NULL) {
		name = f->args.ca;
		if (name == NULL)
			return KH_OK;
		if (realpath(name, real) != NULL) {
			f->request.authority = kh_arena_dup(&f->arena, kh_view_str(real));
			return kh_arena_check(&f->arena);
		}
	}
	const char *why = strerror(errno);
	struct kh_view quoted = kh_arena_quote(&f->arena, kh_view_str(name));
	return kh_error_set(err, KH_EINPUT, "bad_option", "%.*s: %s", KH_FMT(quoted), why);
}

static enum kh_err take_request(struct fetching *f, int argc, char **argv, struct kh_error *err)
{
	struct kh_fetch *q = &f->request;

	if (argc != 1)
		return kh_error_set(err, KH_EINPUT, "bad_option", "one URL, after the options (--help says more)");
	if (f->args.redirects > KH_REQUEST_REDIRECTS)
		return kh_error_set(err, KH_EINPUT, "bad_option", "--redirects is at most %d", KH_REQUEST_REDIRECTS);
	q->url = kh_view_str(argv[0]);
	for (; q->hosts < f->args.allow.n; q->hosts++)
		q->host[q->hosts] = kh_view_str(f->args.allow.at[q->hosts]);
	for (; q->headers < f->args.header.n; q->headers++)
		q->header[q->headers] = kh_view_str(f->args.header.at[q->headers]);
	q->plain = f->args.http;
	q->redirects = (unsigned)f->args.redirects;
	q->limits = f->args.limits;
	return take_files(f, err);
}

/* True for a redirect that was not followed; 304 and similar statuses are not redirects. */
static bool is_redirect(unsigned status)
{
	return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

static void take_head(struct fetching *f, const struct kh_head *head)
{
	struct response *r = &f->response;

	r->status = head->status;
	r->headers = kh_result_keep(&f->result, head->headers);
	r->url = kh_result_keep(&f->result, head->url);
	r->location = kh_result_keep(&f->result, head->location);
	r->is_elsewhere = is_redirect(head->status);
	if (f->args.include && !f->args.json)
		kh_terminal_give(&f->foreground.out, r->headers);
}

/* A redirect that was not followed is an answer, but not what was asked for. */
static bool is_good(const struct fetching *f, const struct kh_end *end)
{
	unsigned status = f->response.status;

	return end->fault == KH_FAULT_NONE && ((status >= 200 && status < 300) || status == 304);
}

static bool write_json(struct fetching *f, const struct kh_end *end)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	const struct response *r = &f->response;

	yyjson_mut_obj_add_str(doc, obj, "fault", kh_fault_name(end->fault));
	yyjson_mut_obj_add_str(doc, obj, "detail", end->detail);
	yyjson_mut_obj_add_uint(doc, obj, "status", r->status);
	kh_result_text(&f->result, doc, obj, "url", r->url);
	kh_result_text(&f->result, doc, obj, "location", r->location);
	kh_result_lines(&f->result, doc, obj, "headers", r->headers);
	yyjson_mut_obj_add_uint(doc, obj, "bytes", end->used);
	yyjson_mut_obj_add_uint(doc, obj, "time_us", end->time_us);
	return kh_result_write(&f->result, &f->foreground.out, obj);
}

/* Writes one line on standard error: what went wrong, or, if a human reads it, what the response was. */
static void tell(struct fetching *f, const struct kh_end *end)
{
	const struct response *r = &f->response;
	struct kh_view url = kh_result_quote(&f->result, r->url), to = kh_result_quote(&f->result, r->location);

	if (end->fault != KH_FAULT_NONE)
		complain(FAILED, kh_fault_name(end->fault), kh_exchange_about(end));
	else if (r->is_elsewhere)
		fprintf(stderr, "keyhole: " NAME ": %u: %.*s leads to %.*s, which was not followed\n", r->status,
			KH_FMT(url), KH_FMT(to.n > 2 ? to : KH_LIT("what is no URL")));
	else if (!is_good(f, end))
		fprintf(stderr, "keyhole: " NAME ": %u from %.*s\n", r->status, KH_FMT(url));
	else if (f->is_looked_at)
		fprintf(stderr, "%u, %llu bytes from %.*s\n", r->status, (unsigned long long)end->used, KH_FMT(url));
}

static int finish(struct fetching *f, const struct kh_end *end)
{
	if (!f->args.json)
		tell(f, end);
	else if (!write_json(f, end))
		return complain(FAILED, "output_lost", "cannot write the result");
	return is_good(f, end) ? 0 : FAILED;
}

static void take(void *context, const struct kh_event *event)
{
	struct fetching *f = context;

	if (event->kind == KH_EVENT_HEAD)
		take_head(f, &event->head);
	else if (!f->args.json)
		kh_terminal_give(&f->foreground.out, event->bytes);
}

static int serve(struct fetching *f)
{
	struct kh_foreground *s = &f->foreground;
	struct kh_error err = {.offset = SIZE_MAX};

	f->is_looked_at = isatty(STDERR_FILENO); /* now, because the system call filter makes isatty() fail later */
	if (!kh_foreground_init(s, f->body, f->args.raw))
		return complain(FAILED, "sandbox_failed", strerror(errno));
	if (kh_confine_all(&err) != KH_OK)
		return complain(FAILED, err.code, err.detail);
	s->talk.client = &f->client;
	s->talk.arena = &f->arena;
	s->talk.fetch = &f->request;
	s->take = take;
	s->context = f;
	switch (kh_foreground_run(s)) {
	case KH_FOREGROUND_UNMADE:
		return complain(FAILED, s->talk.err.code, s->talk.err.detail);
	case KH_FOREGROUND_SIGNAL:
		return 128 + s->caught;
	case KH_FOREGROUND_LOST:
		return kh_foreground_lost(s, NAME, FAILED);
	case KH_FOREGROUND_ENDED:
		break;
	}
	return finish(f, &s->talk.end);
}

int kh_sandbox_fetch_main(int argc, char **argv)
{
	struct fetching f = {.body = -1, .args.redirects = REDIRECTS};
	struct kh_option options[OPTIONS];
	struct kh_error err = {.offset = SIZE_MAX};
	int next, status;

	describe(&f.args, options);
	kh_foreground_reserve();
	if (kh_option_read(options, OPTIONS, argc, argv, &next, &err) != KH_OK)
		return complain(UNUSABLE, err.code, err.detail);
	if (f.args.help)
		return print_help(options);
	kh_arena_init(&f.arena, NULL, KH_RESULT_MEMORY);
	kh_result_init(&f.result, &f.arena);
	if (take_request(&f, argc - next, argv + next, &err) != KH_OK) {
		status = complain(UNUSABLE, err.code, err.detail);
	} else if (kh_client_start(&f.client, &(struct kh_client_settings){0}, &err) != KH_OK) {
		status = complain(FAILED, err.code, err.detail);
	} else {
		status = serve(&f);
		kh_client_stop(&f.client);
	}
	kh_arena_done(&f.arena);
	return status;
}
