/*
 * Makes text of content.
 *
 * This file only guesses what the bytes are, by the first few of them and by their declared type.  Everything that has
 * a grammar is parsed in a sandbox; plain UTF-8 is passed on as it is, after every byte was checked.
 */
#include "errand/totext.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "core/policy/allot.h"
#include "errand/job.h"

#include <signal.h>
#include <sys/wait.h>

#define PDFTOTEXT "/usr/bin/pdftotext"
#define LOOKED_AT 4096 /* bytes that the guess uses */
#define POPPLER   8    /* processes of pdftotext at most */

enum guess { PLAIN, HTML, PDF, BINARY };

/* The type of a Content-Type without its parameters; empty for a file's name. */
static struct kh_view essence(struct kh_view type)
{
	size_t end = kh_view_find(type, KH_LIT(";"), 0);

	if (kh_view_find(type, KH_LIT("/"), 0) == SIZE_MAX)
		return KH_LIT("");
	return kh_view_trim(kh_view_sub(type, 0, end));
}

static bool ends_with(struct kh_view name, struct kh_view suffix)
{
	return name.n > suffix.n && kh_view_eq_nocase(kh_view_from(name, name.n - suffix.n), suffix);
}

static bool says_html(struct kh_view type)
{
	struct kh_view what = essence(type);

	if (what.n > 0)
		return kh_view_eq_nocase(what, KH_LIT("text/html")) ||
		       kh_view_eq_nocase(what, KH_LIT("application/xhtml+xml"));
	return ends_with(type, KH_LIT(".html")) || ends_with(type, KH_LIT(".htm")) || ends_with(type, KH_LIT(".xhtml"));
}

/* Pictures and sound have no text, whatever their bytes look like; an SVG picture is text. */
static bool says_binary(struct kh_view type)
{
	static const struct kh_view kinds[] = {KH_LIT_INIT("image/"), KH_LIT_INIT("audio/"), KH_LIT_INIT("video/"),
					       KH_LIT_INIT("font/")};
	struct kh_view what = essence(type);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kh_view_eq_nocase(kh_view_sub(what, 0, kinds[i].n), kinds[i]))
			return !kh_view_eq_nocase(what, KH_LIT("image/svg+xml"));
	return false;
}

static bool looks_html(struct kh_view head)
{
	static const struct kh_view starts[] = {KH_LIT_INIT("<!doctype html"), KH_LIT_INIT("<html"),
						KH_LIT_INIT("<head"), KH_LIT_INIT("<body")};

	if (kh_view_starts(head, KH_LIT("\xef\xbb\xbf")))
		head = kh_view_from(head, 3);
	head = kh_view_trim(head);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (kh_view_eq_nocase(kh_view_sub(head, 0, starts[i].n), starts[i]))
			return true;
	return false;
}

/* A NUL, or more than a few bytes (and one in ten) that no text has.  Text in UTF-16 is recognized before. */
static bool looks_binary(struct kh_view head)
{
	size_t odd = 0;

	if (kh_view_starts(head, KH_LIT("\xff\xfe")) || kh_view_starts(head, KH_LIT("\xfe\xff")))
		return false;
	for (size_t i = 0; i < head.n; i++) {
		unsigned char c = (unsigned char)head.p[i];
		if (c == 0)
			return true;
		odd += c < ' ' && (c < '\t' || c > '\r') && c != 0x1b;
	}
	return odd > 3 && odd * 10 > head.n;
}

static enum guess guess(struct kh_view type, struct kh_view bytes)
{
	struct kh_view head = kh_view_sub(bytes, 0, LOOKED_AT);

	if (kh_view_starts(head, KH_LIT("%PDF-")))
		return PDF;
	if (says_html(type) || (essence(type).n == 0 && looks_html(head)))
		return HTML;
	return says_binary(type) || looks_binary(head) ? BINARY : PLAIN;
}

/* True if BYTES can be shown as they are: valid, no control character except newline and tab, not too long. */
static bool is_text(struct kh_view bytes)
{
	if (bytes.n > KH_ERRAND_CONTENT || kh_utf8_invalid(bytes) != SIZE_MAX)
		return false;
	for (size_t i = 0; i < bytes.n; i++) {
		unsigned char c = (unsigned char)bytes.p[i];
		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
			return false;
		if (c == 0xc2 && i + 1 < bytes.n && (unsigned char)bytes.p[i + 1] < 0xa0) /* C1 */
			return false;
	}
	return !kh_view_starts(bytes, KH_LIT("\xef\xbb\xbf"));
}

/* True if a charset other than UTF-8 is named: then bytes that are valid UTF-8 by chance mean something else. */
static bool says_charset(struct kh_view type)
{
	for (size_t i = 0; i + 7 < type.n; i++)
		if (kh_view_eq_nocase(kh_view_sub(type, i, i + 7), KH_LIT("charset")))
			return !kh_view_eq_nocase(kh_view_sub(type, i, i + 13), KH_LIT("charset=utf-8"));
	return false;
}

static enum kh_err write_job(struct kh_arena *arena, struct kh_view type, bool html, size_t most,
			     struct kh_view *ret_job)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	/* It is untrusted, and only a charset is looked for in it. */
	bool fit = kh_utf8_is_ascii(type) && type.n <= 256 && essence(type).n > 0;
	kh_json_add(doc, root, "type", fit ? type : KH_LIT(""));
	yyjson_mut_obj_add_bool(doc, root, "html", html);
	yyjson_mut_obj_add_uint(doc, root, "most", most);
	return kh_json_write(arena, root, ret_job);
}

/* What is left of its time: PDF takes two steps. */
static uint64_t left_ms(const struct kh_totext *totext)
{
	int64_t left = totext->deadline - kh_clock_ms();

	return left > 1 ? (uint64_t)left : 1;
}

/* Sets content, and original if it differs. */
static void give(struct kh_errand_result *result, struct kh_tainted bytes, struct kh_tainted content)
{
	result->end = KH_ERRAND_OK;
	result->content = content;
	if (!kh_view_eq(kh_tainted_open(bytes), kh_tainted_open(content)))
		result->original = bytes;
}

/* True if the time was over, by the clock or on the processor. */
static bool is_late(const struct kh_errand_job_result *done)
{
	return done->end == KH_ERRAND_JOB_LATE || (WIFSIGNALED(done->status) && WTERMSIG(done->status) == SIGXCPU);
}

static enum kh_err by_worker(const struct kh_errand_tools *tools, const struct kh_totext *totext, bool html,
			     struct kh_arena *arena, struct kh_errand_result *result)
{
	struct kh_errand_job job = {.run = {.profile = KH_PROFILE_TEXT, .limits.wall_ms = left_ms(totext)},
				    .bytes = totext->bytes,
				    .most = kh_allot_output(&totext->limits, KH_ERRAND_CONTENT)};
	struct kh_errand_job_result done;
	enum kh_err e = write_job(arena, kh_tainted_open(totext->type), html, job.most, &job.job);

	if (e == KH_OK)
		e = kh_errand_job_run(tools->client, &job, arena, &done);
	if (e != KH_OK)
		return e;
	if (done.end == KH_ERRAND_JOB_DONE && kh_utf8_invalid(kh_tainted_open(done.output)) == SIZE_MAX)
		give(result, totext->bytes, done.output);
	else if (done.end == KH_ERRAND_JOB_DONE)
		result->why = KH_LIT("the worker that makes text gave what is no text");
	else if (kh_errand_job_said(&done, "too_large"))
		result->why = kh_arena_printf(
			arena, "its text is longer than %zu bytes, or it takes more memory than it may", job.most);
	else if (is_late(&done))
		result->why = KH_LIT("making text of it took too long");
	else
		result->why = kh_arena_printf(arena, "no text could be made of it: %.*s", KH_FMT(done.why));
	return KH_OK;
}

/* pdftotext's output is text already, except for page breaks and what a document can put into it. */
static enum kh_err by_poppler(const struct kh_errand_tools *tools, const struct kh_totext *totext,
			      struct kh_arena *arena, struct kh_errand_result *result)
{
	struct kh_errand_job job = {
		.run = {.profile = KH_PROFILE_RUN,
			.argv = {KH_LIT(PDFTOTEXT), KH_LIT("-q"), KH_LIT("-enc"), KH_LIT("UTF-8"), KH_LIT("-"),
				 KH_LIT("-")},
			.argc = 6,
			.limits = kh_errand_job_limits(&totext->limits, left_ms(totext))},
		.bytes = totext->bytes,
		.most = kh_allot_output(&totext->limits, KH_ERRAND_CONTENT),
	};
	struct kh_errand_job_result done;

	if (job.run.limits.processes == 0 || job.run.limits.processes > POPPLER)
		job.run.limits.processes = POPPLER;
	enum kh_err e = kh_errand_job_run(tools->client, &job, arena, &done);
	if (e != KH_OK)
		return e;
	if (done.end == KH_ERRAND_JOB_DONE && done.status == 0) {
		struct kh_totext text = {.limits = totext->limits, .bytes = done.output, .deadline = totext->deadline};
		e = by_worker(tools, &text, false, arena, result);
		result->original = totext->bytes;
	} else if (done.fault == KH_FAULT_PROGRAM) {
		result->why = KH_LIT("a PDF, and poppler-utils (" PDFTOTEXT "), which reads them, is not installed");
	} else if (is_late(&done)) {
		result->why = KH_LIT("making text of the PDF took too long");
	} else if (done.end == KH_ERRAND_JOB_DONE && WIFSIGNALED(done.status)) {
		result->why = kh_arena_printf(arena,
					      "making text of the PDF took more memory than it may, or " PDFTOTEXT
					      " broke at it: signal %d",
					      WTERMSIG(done.status));
	} else if (done.end != KH_ERRAND_JOB_DONE && done.fault != KH_FAULT_OUTPUT) {
		result->why = kh_arena_printf(arena, "no text could be made of the PDF: %.*s", KH_FMT(done.why));
	} else if (done.fault == KH_FAULT_OUTPUT) {
		result->why = kh_arena_printf(arena, "the text of the PDF is longer than %zu bytes", job.most);
	} else {
		result->why = KH_LIT("the PDF is broken or encrypted: " PDFTOTEXT " could not read it");
	}
	return e;
}

enum kh_err kh_totext_run(const struct kh_errand_tools *tools, const struct kh_totext *totext, struct kh_arena *arena,
			  struct kh_errand_result *result)
{
	struct kh_view type = kh_tainted_open(totext->type), bytes = kh_tainted_open(totext->bytes);
	enum guess what = totext->plain ? PLAIN : guess(type, bytes);
	enum kh_err e = KH_OK;

	result->end = KH_ERRAND_FAILED;
	if (what == BINARY)
		result->why = KH_LIT("it is not text");
	else if (what == PLAIN && is_text(bytes) && !says_charset(type))
		give(result, totext->bytes, totext->bytes);
	else if (what == PDF)
		e = by_poppler(tools, totext, arena, result);
	else
		e = by_worker(tools, totext, what == HTML, arena, result);
	if (result->end != KH_ERRAND_OK)
		result->original = totext->bytes;
	return e;
}
