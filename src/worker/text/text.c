/*
 * The worker that makes text of content from outside.
 *
 * It is the most exposed one, because its parser reads what anybody may have written.  It has bytes in and bytes out,
 * and neither files nor sockets; its parser and all charsets are loaded before it is confined.
 */
#include "worker/text/text.h"

#include "worker/text/charset.h"
#include "worker/text/html.h"
#include "worker/text/lines.h"

struct loaded {
	struct kh_parser parser;
	struct kh_recode recode;
};

/* What this process, which does one job, has loaded before it is confined. */
static struct loaded *loaded(void)
{
	static struct loaded here;

	return &here;
}

enum kh_err kh_worker_text_load(bool connected, struct kh_error *err)
{
	(void)connected;
	kh_recode_init(&loaded()->recode);
	return kh_parser_load(&loaded()->parser, err);
}

enum kh_err kh_worker_text_of(const struct kh_parser *parser, const struct kh_recode *converters,
			      struct kh_arena *arena, struct kh_view type, struct kh_view bytes, size_t most,
			      struct kh_view *ret_text)
{
	struct kh_buf utf8, out;
	struct kh_lines lines;
	struct kh_view text;
	size_t mark;
	const char *charset = kh_charset_of(type, bytes, parser != NULL, &mark);

	/* A byte becomes at most three: an invalid one. */
	kh_buf_init(&utf8, arena, 3 * bytes.n);
	kh_recode_add(converters, charset, kh_view_from(bytes, mark), &utf8);
	enum kh_err e = kh_buf_end(&utf8, &text);
	if (e != KH_OK)
		return e;
	kh_buf_init(&out, arena, most);
	if (parser != NULL) {
		e = kh_html_text(parser, arena, text, &out);
	} else {
		kh_lines_init(&lines, &out);
		kh_lines_keep(&lines, text);
	}
	return e != KH_OK ? e : kh_buf_end(&out, ret_text);
}

enum kh_err kh_worker_text_run(const struct kh_worker_job *job, struct kh_error *err)
{
	yyjson_val *html = kh_json_get(job->root, "html");
	struct kh_view type = kh_json_str(kh_json_get(job->root, "type")), text;
	int64_t most = 0;

	if (type.p == NULL || !yyjson_is_bool(html) || !kh_json_int(kh_json_get(job->root, "most"), &most) || most < 0)
		return kh_error_set(err, KH_EINPUT, "job_refused", "a job without type, html and most");
	enum kh_err e = kh_worker_text_of(yyjson_get_bool(html) ? &loaded()->parser : NULL, &loaded()->recode,
					  job->arena, type, job->bytes, (size_t)most, &text);
	if (e == KH_ELIMIT)
		return kh_error_set(err, e, "too_large", "more than %lld bytes of text", (long long)most);
	if (e != KH_OK)
		return kh_error_set(err, e, "too_large", "the page needs more memory than there is");
	return kh_worker_job_write(job, text, err);
}
