/* Requests to a gateway.  The gateway is trusted to be the one that its certificate names; what it answers is read with
 * the strict reader, within a bound, and none of it decides where the next request goes. */
#include "cli/remote.h"

#include "core/comm/url.h"
#include "outside/converse.h"
#include "wire/address.h"
#include "wire/header.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define API     "/api/v1"
#define WALL_MS 60000
#define DETAIL  400 /* bytes of a detail that are shown */

/* Codes of ours, and those of a gateway that mean something else here than at home. */
static const struct {
	const char *code, *hint;
} hints[] = {
	{"gateway_unreachable", "does `keyhole serve` run there? --url or KEYHOLE_URL names it"},
	{"gateway_strange", "--url or KEYHOLE_URL is the URL of `keyhole serve`, without /api or /mcp"},
	{"gateway_certificate", "--ca FILE or KEYHOLE_CA names the certificate of your own authority"},
	{"sandbox_incomplete", "`keyhole doctor` says what this machine lacks"},
	{"sandbox_failed", "`keyhole doctor` says what this machine lacks"},
	{"unauthorised", "the gateway does not know this token, or it was revoked or has expired: an admin makes "
			 "another, `keyhole token create NAME --role reviewer`"},
	{"forbidden", "this is for a reviewer or an admin: name their token with --token-file FILE"},
	{"unknown_approval", "`keyhole approvals list` has those that wait"},
	{"unknown_event", "`keyhole audit tail` has the newest events"},
	{"store_busy", "nothing was done: try again in a moment"},
	{"store_full", "nothing of it was recorded: the gateway's disk is full"},
	{"disk_low", "nothing was done: the gateway's disk is nearly full"},
	{"outcome_unrecorded", "the gateway's disk is full: ask again, with the id; it is not done a second time"},
	{"stopping", "nothing was done: the gateway stops or starts again; try again in a moment"},
	{"shown_differs", "show it again: `keyhole approvals show ID`"},
	{"not_shown", "every page has to be shown first: `keyhole approvals show ID`"},
};

const char *kh_remote_hint(const char *code)
{
	for (size_t i = 0; code != NULL && i < sizeof(hints) / sizeof(hints[0]); i++)
		if (strcmp(hints[i].code, code) == 0)
			return hints[i].hint;
	return NULL;
}

/* --- where it is -------------------------------------------------------------------------------------------------- */

/* Returns what was given, else the variable's value; NULL: neither. */
static const char *given(const char *option, const char *variable)
{
	const char *value = option != NULL ? option : secure_getenv(variable);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

const char *kh_remote_url(const struct kh_remote_options *options)
{
	return given(options->url, "KEYHOLE_URL");
}

static bool is_loopback(const struct kh_url *url)
{
	struct kh_address address;

	if (!url->is_address)
		return kh_view_eq_nocase(url->host, KH_LIT("localhost"));
	if (!kh_address_read(url->host, &address))
		return false;
	address = kh_address_meant(&address);
	const char *range = kh_address_refused(&address);
	return range != NULL && strcmp(range, "loopback") == 0;
}

static enum kh_err check_url(const struct kh_url *url, struct kh_error *err)
{
	if (kh_view_find(url->rest, KH_LIT("?"), 0) != SIZE_MAX || kh_view_find(url->rest, KH_LIT("#"), 0) != SIZE_MAX)
		return kh_error_set(err, KH_EINPUT, "bad_option", "--url is a gateway's URL: no query and no fragment");
	if (url->plain && !is_loopback(url))
		return kh_error_set(err, KH_EINPUT, "bad_option",
				    "--url: the token is sent, so a gateway that is not on this machine needs https");
	return KH_OK;
}

/* A name is resolved by name servers, which must not be able to lead the token elsewhere in clear text. */
static struct kh_view reached(const struct kh_url *url)
{
	return url->plain && !url->is_address ? KH_LIT("127.0.0.1") : url->host;
}

static enum kh_err read_url(struct kh_remote *remote, const char *text, struct kh_arena *arena, struct kh_error *err)
{
	struct kh_url url;
	enum kh_err e = kh_url_read_web(kh_view_str(text), true, &url, err);

	if (e == KH_OK)
		e = check_url(&url, err);
	if (e != KH_OK)
		return e;
	remote->host = kh_request_host(arena, reached(&url), url.port);
	struct kh_view path = url.rest;
	while (path.n > 0 && path.p[path.n - 1] == '/')
		path.n--;
	remote->base = kh_arena_printf(arena, "%s://%.*s%.*s", url.plain ? "http" : "https", KH_FMT(remote->host),
				       KH_FMT(path));
	return kh_arena_check(arena);
}

static enum kh_err read_authority(struct kh_remote *remote, const char *name, struct kh_arena *arena,
				  struct kh_error *err)
{
	char real[PATH_MAX];

	if (name == NULL)
		return KH_OK;
	if (realpath(name, real) == NULL || access(real, R_OK) != 0)
		return kh_error_set(err, KH_EINPUT, "bad_option", "--ca: %.*s: %s",
				    KH_FMT(kh_arena_quote(arena, kh_view_str(name))), strerror(errno));
	remote->authority = kh_arena_dup(arena, kh_view_str(real));
	return kh_arena_check(arena);
}

/* A token goes into a header: one word of visible ASCII. */
static bool is_word(struct kh_view token)
{
	for (size_t i = 0; i < token.n; i++)
		if (token.p[i] <= ' ' || token.p[i] > '~')
			return false;
	return token.n > 0;
}

enum kh_err kh_remote_open(struct kh_remote *remote, const struct kh_remote_options *options, struct kh_view token,
			   struct kh_arena *arena, struct kh_error *err)
{
	*remote = (struct kh_remote){.client.control = -1};
	if (!is_word(token))
		return kh_error_set(err, KH_EINPUT, "secret_invalid",
				    "the token is not one word of visible characters");
	enum kh_err e = read_url(remote, kh_remote_url(options), arena, err);
	if (e == KH_OK)
		e = read_authority(remote, given(options->ca, "KEYHOLE_CA"), arena, err);
	if (e == KH_OK) {
		remote->header = kh_arena_printf(arena, "Authorization: Bearer %.*s", KH_FMT(token));
		e = kh_arena_check(arena);
	}
	if (e == KH_ENOMEM)
		kh_error_set(err, e, "out_of_memory", "out of memory");
	return e == KH_OK ? kh_client_start(&remote->client, &(struct kh_client_settings){.pool = 1}, err) : e;
}

void kh_remote_close(struct kh_remote *remote)
{
	if (remote->header.n > 0)
		explicit_bzero((void *)(uintptr_t)remote->header.p, remote->header.n);
	kh_client_stop(&remote->client);
}

void kh_remote_encode(struct kh_buf *buf, struct kh_view text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (kh_ascii_is_alpha(c) || kh_ascii_is_digit(c) || c == '-' || c == '.' || c == '_')
			kh_buf_byte(buf, c);
		else
			kh_buf_printf(buf, "%%%02X", (unsigned char)c);
	}
}

/* --- one request -------------------------------------------------------------------------------------------------- */

static enum kh_err kind_of(unsigned status)
{
	return status == 404                    ? KH_EUNKNOWN
	       : status == 413                  ? KH_ELIMIT
	       : status == 503                  ? KH_ESTORE
	       : status == 400 || status == 415 ? KH_EINPUT
						: KH_EREFUSED;
}

/* True if this machine is at fault, and not the gateway. */
static bool is_ours(enum kh_fault fault)
{
	return fault == KH_FAULT_INCOMPLETE || fault == KH_FAULT_SANDBOX || fault == KH_FAULT_PROGRAM ||
	       fault == KH_FAULT_WORKER || fault == KH_FAULT_LOST || fault == KH_FAULT_ABSENT;
}

/* No answer, or none that ended. */
static enum kh_err unreached(const struct kh_remote *remote, const struct kh_converse *talk, struct kh_error *err)
{
	struct kh_view why = kh_converse_why(talk);
	enum kh_fault fault = kh_converse_fault(talk);
	bool is_tls = fault == KH_FAULT_TLS;

	if (is_ours(fault))
		return kh_error_set(err, KH_EREFUSED, kh_fault_name(fault), "%.*s was not asked: %.*s",
				    KH_FMT(remote->base), KH_FMT(why));
	return kh_error_set(err, KH_EREFUSED, is_tls ? "gateway_certificate" : "gateway_unreachable",
			    "no answer from %.*s: %.*s", KH_FMT(remote->base), KH_FMT(why));
}

enum kh_err kh_remote_strange(const struct kh_remote *remote, enum kh_err e, const char *what, struct kh_error *err)
{
	if (e == KH_ENOMEM)
		return kh_error_set(err, e, "out_of_memory", "out of memory");
	return kh_error_set(err, KH_EREFUSED, "gateway_strange", "%.*s does not answer as a gateway does: %s",
			    KH_FMT(remote->base), what);
}

static enum kh_err strange(const struct kh_remote *remote, unsigned status, struct kh_error *err)
{
	char what[32];

	snprintf(what, sizeof(what), "status %u", status);
	return kh_remote_strange(remote, KH_EREFUSED, what, err);
}

/* A code is a short word; anything else was not written by a gateway.  It is kept as long as the error may be. */
static bool take_code(struct kh_remote *remote, yyjson_val *error)
{
	struct kh_view code = kh_json_str(kh_json_get(error, "code"));

	if (code.n == 0 || code.n > KH_REMOTE_CODE || !kh_view_is_word(code, "_"))
		return false;
	snprintf(remote->code, sizeof(remote->code), "%.*s", KH_FMT(code));
	return true;
}

/* Takes the gateway's refusal {"error": {"code", "detail", "member"}}. */
static enum kh_err refused(struct kh_remote *remote, struct kh_arena *arena, unsigned status, struct kh_view body,
			   struct kh_error *err)
{
	yyjson_val *root = NULL;

	if (kh_json_read(arena, body, &root, NULL) != KH_OK || !take_code(remote, kh_json_get(root, "error")))
		return strange(remote, status, err);
	yyjson_val *error = kh_json_get(root, "error");
	struct kh_view detail = kh_view_sub(kh_json_str(kh_json_get(error, "detail")), 0, DETAIL);
	struct kh_view member = kh_json_str(kh_json_get(error, "member"));
	enum kh_err e = kh_error_set(err, kind_of(status), remote->code, "%.*s", KH_FMT(detail));
	return member.n > 0 ? kh_error_member(err, member, e) : e;
}

#define BEFORE "after="

/* The cursor that the header Link has: `<...after=CURSOR>; rel="next"`. */
static struct kh_view next_of(struct kh_view headers)
{
	struct kh_view link;

	if (!kh_header_find(headers, KH_LIT("Link"), &link))
		return (struct kh_view){NULL, 0};
	size_t at = kh_view_find(link, KH_LIT(BEFORE), 0), end = kh_view_find(link, KH_LIT(">"), 0);
	if (at == SIZE_MAX || end == SIZE_MAX || end < at)
		return (struct kh_view){NULL, 0};
	struct kh_view cursor = kh_view_sub(link, at + sizeof(BEFORE) - 1, end);
	return kh_view_is_word(cursor, "") ? cursor : (struct kh_view){NULL, 0};
}

static enum kh_err take(struct kh_remote *remote, struct kh_converse *talk, struct kh_remote_answer *ret_answer,
			struct kh_error *err)
{
	struct kh_view body = kh_tainted_open(talk->output);
	unsigned status = talk->head.status;

	if (kh_converse_fault(talk) != KH_FAULT_NONE)
		return unreached(remote, talk, err);
	if (status >= 400)
		return refused(remote, talk->arena, status, body, err);
	if (status < 200 || status >= 300)
		return strange(remote, status, err);
	*ret_answer = (struct kh_remote_answer){body, next_of(kh_tainted_open(talk->head.headers))};
	return KH_OK;
}

static enum kh_err request(struct kh_remote *remote, struct kh_arena *arena, enum kh_method method, struct kh_view path,
			   struct kh_view body, struct kh_remote_answer *ret_answer, struct kh_error *err)
{
	struct kh_converse *talk = kh_converse_new(&remote->client, arena, WALL_MS, KH_REMOTE_ANSWER);
	struct kh_fetch fetch = {.url = kh_arena_printf(arena, "%.*s" API "%.*s", KH_FMT(remote->base), KH_FMT(path)),
				 .method = method,
				 .plain = kh_view_starts(remote->base, KH_LIT("http:")),
				 .authority = remote->authority,
				 .limits.output = KH_REMOTE_ANSWER};
	enum kh_err e = KH_ENOMEM;

	fetch.host[fetch.hosts++] = remote->host;
	fetch.header[fetch.headers++] = remote->header;
	if (method == KH_METHOD_POST)
		fetch.header[fetch.headers++] = KH_LIT("Content-Type: application/json");
	if (talk != NULL && kh_arena_check(arena) == KH_OK) {
		talk->fetch = &fetch;
		talk->input[0] = body;
		e = kh_converse_run(talk);
	}
	if (e == KH_OK)
		return take(remote, talk, ret_answer, err);
	return kh_error_set(err, e, "out_of_memory", "out of memory");
}

enum kh_err kh_remote_get(struct kh_remote *remote, struct kh_arena *arena, struct kh_view path,
			  struct kh_remote_answer *ret_answer, struct kh_error *err)
{
	return request(remote, arena, KH_METHOD_GET, path, (struct kh_view){NULL, 0}, ret_answer, err);
}

enum kh_err kh_remote_post(struct kh_remote *remote, struct kh_arena *arena, struct kh_view path, struct kh_view body,
			   struct kh_remote_answer *ret_answer, struct kh_error *err)
{
	return request(remote, arena, KH_METHOD_POST, path, body, ret_answer, err);
}
