/* Errors as HTTP status and body. */
#include "http/error.h"

#include <stdio.h>

/* Codes whose status is not that of their error kind. */
static const struct {
	const char *code;
	unsigned status;
} by_code[] = {
	{"unauthorised", 401},
	{"unknown_path", 404},
	{"method_not_allowed", 405},
	/* not a question of rights: the state does not allow it */
	{"already_decided", 409},
	{"already_executing", 409},
	{"already_revoked", 409},
	{"approvals_pending", 409},
	{"budget_exceeded", 409},
	{"declaration_ended", 409},
	{"last_admin", 409},
	{"name_taken", 409},
	{"not_running", 409},
	{"not_shown", 409},
	{"plan_rejected", 409},
	{"query_ended", 409},
	{"review_changed", 409},
	{"several_declarations", 409},
	{"shown_differs", 409},
	{"task_closed", 409},
	{"task_failed", 409},
	{"too_many_blocks", 409},
	{"too_many_pending", 409},
	{"tool_unfit", 409},
	{"unsupported_encoding", 415},
	{"unsupported_type", 415},
	{"concurrent_exceeded", 429},
	{"rate_limited", 429},
	{"too_many_tasks", 429},
	{"too_many_headers", 431},
	/* a fault in a declaration is a fault in the body */
	{"declaration_invalid", 400},
	/* a member is too long, but the body as a whole is not */
	{"too_long", 400},
	{"too_many", 400},
	/* our own faults */
	{"store_corrupt", 500},
	{"store_refused", 500},
	{"unrecorded", 500},
};

static unsigned by_kind(enum kh_err e)
{
	switch (e) {
	case KH_OK:
		return 200;
	case KH_EINPUT:
		return 400;
	case KH_ELIMIT:
		return 413;
	case KH_EREFUSED:
		return 403;
	case KH_ECHANGED:
		return 500;
	case KH_EUNKNOWN:
		return 404;
	case KH_ENOMEM:
	case KH_ESTORE:
		return 503;
	}
	return 500;
}

unsigned kh_http_error_status(enum kh_err e, const struct kh_error *err)
{
	for (size_t i = 0; err != NULL && err->code != NULL && i < sizeof(by_code) / sizeof(by_code[0]); i++) {
		if (strcmp(by_code[i].code, err->code) == 0)
			return by_code[i].status;
	}
	return by_kind(e);
}

/* Writes TEXT as a JSON string.  Error texts are safe to show; quotes, backslashes and control characters are
 * escaped all the same. */
static size_t put_string(char *to, size_t room, const char *text)
{
	size_t n = 0;

	to[n++] = '"';
	for (; *text != '\0' && n + 8 < room; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\' || c < 0x20 || c == 0x7f)
			n += (size_t)snprintf(to + n, room - n, "\\u%04x", c);
		else
			to[n++] = (char)c;
	}
	to[n++] = '"';
	return n;
}

static size_t put_member(char *to, size_t room, const char *name, const char *text)
{
	size_t n = (size_t)snprintf(to, room, "\"%s\":", name);

	return n + put_string(to + n, room - n, text);
}

struct kh_view kh_http_error_text(enum kh_err e, const struct kh_error *err, char ret_text[KH_HTTP_ERROR_TEXT])
{
	const char *code = err != NULL && err->code != NULL ? err->code : kh_err_name(e);
	const char *detail = err != NULL && err->detail[0] != '\0' ? err->detail : kh_err_name(e);
	size_t n = (size_t)snprintf(ret_text, KH_HTTP_ERROR_TEXT, "{\"error\":{");

	/* 128 bytes of member and 256 of detail, at most six times as long when escaped. */
	n += put_member(ret_text + n, 128, "code", code);
	ret_text[n++] = ',';
	n += put_member(ret_text + n, 1568, "detail", detail);
	if (err != NULL && err->member[0] != '\0') {
		ret_text[n++] = ',';
		n += put_member(ret_text + n, 800, "member", err->member);
	}
	n += (size_t)snprintf(ret_text + n, KH_HTTP_ERROR_TEXT - n, "}}\n");
	return kh_view_of(ret_text, n);
}
