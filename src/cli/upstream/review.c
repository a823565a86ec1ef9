/*
 * Reviews an upstream server.  All that it says is untrusted: it is quoted in one of our lines, or stands behind a bar.
 */
#include "cli/upstream/review.h"

#include "base/clock.h"
#include "cli/confirm.h"
#include "cli/upstream/visit.h"
#include "engine/upstream/approve.h"
#include "home/upstreams.h"
#include "upstream/program.h"

#include <unistd.h>

/* --- noting what it offers ---------------------------------------------------------------------------------------- */

static enum kh_err note(struct kh_frame *f, const struct kh_visit *v, const struct kh_digest *program)
{
	struct kh_running_found found = {
		.server = v->up->name, .program = *program, .manner = &v->session.manner, .list = &v->inventory};
	struct kh_view about;

	enum kh_err e = kh_manner_about(v->arena, found.manner, &about, &f->err);
	return e == KH_OK ? kh_upstreams_note(f->home.engine, &found, about, v->arena, &f->err) : e;
}

/* --- showing it --------------------------------------------------------------------------------------------------- */

struct showing {
	struct kh_buf *buf;
	struct kh_arena *arena;
	struct kh_view server; /* its name in the configuration */
	size_t columns;
	size_t waiting; /* tools that wait for a human */
	bool asks;      /* a user is asked at once whether he approves */
};

static void show_text(struct showing *s, const char *what, struct kh_view text)
{
	if (text.n == 0)
		return;
	kh_buf_printf(s->buf, "  %s:\n", what);
	kh_terminal_frame(s->buf, kh_tainted_wrap(text), s->columns);
}

static void show_value(struct showing *s, const char *what, yyjson_val *value)
{
	struct kh_error err;
	struct kh_view text;

	if (value != NULL && kh_canonical_json(s->arena, value, &text, &err) == KH_OK)
		show_text(s, what, text);
}

static struct kh_view code_of(yyjson_val *findings, size_t i)
{
	return kh_json_str(kh_json_get(yyjson_arr_get(findings, i), "code"));
}

/* How many of the findings from FROM on, before TO, have CODE. */
static size_t count_code(yyjson_val *findings, size_t from, size_t to, struct kh_view code)
{
	size_t count = 0;

	for (size_t i = from; i < to; i++)
		count += kh_view_eq(code_of(findings, i), code);
	return count;
}

/* What the screen found: each code once, and how often if it is there more often. */
static void show_findings(struct showing *s, yyjson_val *findings)
{
	size_t n = yyjson_arr_size(findings);

	for (size_t i = 0; i < n; i++) {
		struct kh_view code = code_of(findings, i);
		size_t count = count_code(findings, i, n, code);
		if (count_code(findings, 0, i, code) > 0)
			continue;
		kh_buf_printf(s->buf, "%s%.*s", i == 0 ? "  the screen finds: " : ", ", KH_FMT(code));
		if (count > 1)
			kh_buf_printf(s->buf, " (%zu times)", count);
	}
	if (n > 0)
		kh_buf_byte(s->buf, '\n');
}

static void show_changes(struct showing *s, yyjson_val *changes)
{
	yyjson_arr_iter all;
	yyjson_val *change;

	if (changes == NULL)
		return;
	yyjson_arr_iter_init(changes, &all);
	while ((change = yyjson_arr_iter_next(&all)) != NULL) {
		struct kh_view at = kh_arena_quote(s->arena, kh_json_str(kh_json_get(change, "at")));
		kh_buf_printf(s->buf, "  changed at %.*s\n", KH_FMT(at));
		show_value(s, "was", kh_json_get(change, "was"));
		show_value(s, "is", kh_json_get(change, "is"));
	}
}

/* A word for the state of a tool that a human understands. */
static const char *state_of(yyjson_val *tool)
{
	struct kh_view state = kh_json_str(kh_json_get(tool, "state"));

	if (kh_json_get(tool, "tool") == NULL)
		return "no longer offered";
	if (kh_view_eq(state, KH_LIT("approved")))
		return "approved";
	return kh_view_eq(state, KH_LIT("held")) ? "CHANGED since it was approved" : "new";
}

static void show_tool(struct showing *s, yyjson_val *tool)
{
	struct kh_view name = kh_arena_quote(s->arena, kh_json_str(kh_json_get(tool, "name")));
	struct kh_view alias = kh_json_str(kh_json_get(tool, "alias"));
	bool is_approved = kh_view_eq(kh_json_str(kh_json_get(tool, "state")), KH_LIT("approved"));
	yyjson_val *seen = kh_json_get(tool, "tool");

	struct kh_view unfit = kh_json_str(kh_json_get(tool, "unfit")),
		       untyped = kh_json_str(kh_json_get(tool, "untyped"));
	bool is_held = kh_view_eq(kh_json_str(kh_json_get(tool, "state")), KH_LIT("held"));

	s->waiting += is_held || (!is_approved && seen != NULL && unfit.n == 0);
	kh_buf_printf(s->buf, "\ntool %.*s: %s", KH_FMT(name), state_of(tool));
	if (alias.n > 0)
		kh_buf_printf(s->buf, " (for agents: %.*s__%.*s)", KH_FMT(s->server), KH_FMT(alias));
	kh_buf_byte(s->buf, '\n');
	if (unfit.n > 0)
		kh_buf_printf(s->buf, "  it cannot be approved: %.*s\n", KH_FMT(unfit));
	if (untyped.n > 0)
		kh_buf_printf(s->buf, "  nothing of its results is typed by its output schema: %.*s\n",
			      KH_FMT(untyped));
	show_findings(s, kh_json_get(tool, "findings"));
	show_changes(s, kh_json_get(tool, "changes"));
	if (is_approved)
		return;
	show_text(s, "title", kh_json_str(kh_json_get(seen, "title")));
	show_text(s, "description", kh_json_str(kh_json_get(seen, "description")));
	show_value(s, "takes", kh_json_get(seen, "inputSchema"));
	show_value(s, "gives", kh_json_get(seen, "outputSchema"));
	show_value(s, "says of itself", kh_json_get(seen, "annotations"));
}

static void show(struct showing *s, yyjson_val *review)
{
	struct kh_view name = kh_json_str(kh_json_get(review, "name")),
		       digest = kh_json_str(kh_json_get(review, "digest"));
	bool is_approved = kh_view_eq(kh_json_str(kh_json_get(review, "state")), KH_LIT("approved"));
	yyjson_arr_iter all;
	yyjson_val *tool;

	kh_buf_printf(s->buf, "upstream %.*s: %s\n", KH_FMT(name),
		      is_approved                                     ? "its program is the approved one"
		      : kh_json_get(review, "pinned_program") != NULL ? "its program has CHANGED since it was approved"
								      : "not approved");
	show_findings(s, kh_json_get(review, "findings"));
	show_value(s, "it says of itself", kh_json_get(review, "about"));
	yyjson_arr_iter_init(kh_json_get(review, "tools"), &all);
	while ((tool = yyjson_arr_iter_next(&all)) != NULL)
		show_tool(s, tool);
	s->waiting += !is_approved;
	if (s->waiting > 0 && s->asks)
		kh_buf_byte(s->buf, '\n');
	else if (s->waiting > 0)
		kh_buf_printf(
			s->buf,
			"\nTo approve all of this, as it is shown here:\n"
			"    keyhole upstream review %.*s --approve %.*s\n"
			"With --tool NAME only that tool, and with --describe NAME=TEXT your own words for agents.\n",
			KH_FMT(name), KH_FMT(digest));
	else
		kh_buf_lit(s->buf, "\nNothing waits for you.\n");
}

static int approve(struct kh_frame *f, const struct kh_visit *v, struct kh_view digest);

/* What was shown waits for a user, who is there: he is asked, and what he agrees to is what he has seen. */
static int ask(struct kh_frame *f, const struct kh_visit *v, struct kh_view digest)
{
	const struct kh_review_args *args = f->args;
	const char *question = args->tools.n > 0 ? "Approve the tools that you named, as they are shown here? [y/N] "
						 : "Approve all of this, as it is shown here? [y/N] ";

	if (kh_confirm_yes(f, question))
		return approve(f, v, digest);
	kh_frame_note(f, KH_LIT("Nothing was approved.\n"));
	return KH_FRAME_NOT;
}

static int show_review(struct kh_frame *f, const struct kh_visit *v)
{
	struct kh_upstream_review review = {.name = v->up->name};
	struct kh_buf buf = kh_frame_buf(f);
	struct showing s = {.buf = &buf,
			    .arena = &f->arena,
			    .server = v->up->name,
			    .columns = kh_terminal_columns(STDOUT_FILENO),
			    .asks = kh_confirm_can(f)};
	yyjson_val *root;

	enum kh_err e = kh_frame_call(f, kh_upstream_review_run, &review);
	if (e == KH_OK)
		e = kh_json_read(&f->arena, review.json, &root, &f->err);
	if (e != KH_OK)
		return kh_frame_fail(f);
	show(&s, root);
	int status = f->options.json ? kh_frame_json(f, review.json) : kh_frame_text(f, &buf);
	if (status == KH_FRAME_DONE && s.waiting > 0 && s.asks)
		return ask(f, v, kh_json_str(kh_json_get(root, "digest")));
	return kh_frame_outcome(status, s.waiting == 0);
}

/* --- approving it ------------------------------------------------------------------------------------------------- */

static yyjson_mut_val *list_tools(yyjson_mut_doc *doc, const struct kh_option_list *names)
{
	yyjson_mut_val *list = yyjson_mut_arr(doc);

	for (size_t i = 0; i < names->n; i++)
		(void)yyjson_mut_arr_add_str(doc, list, names->at[i]);
	return list;
}

/* NAME=TEXT, each as a member; NULL if one is not that. */
static yyjson_mut_val *list_words(struct kh_arena *arena, yyjson_mut_doc *doc, const struct kh_option_list *words)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	for (size_t i = 0; i < words->n; i++) {
		const char *equals = strchr(words->at[i], '=');
		if (equals == NULL)
			return NULL;
		struct kh_view name = kh_arena_dup(arena, kh_view_of(words->at[i], (size_t)(equals - words->at[i])));
		(void)yyjson_mut_obj_add(obj, yyjson_mut_strn(doc, name.p != NULL ? name.p : "", name.n),
					 yyjson_mut_str(doc, equals + 1));
	}
	return obj;
}

static int approve(struct kh_frame *f, const struct kh_visit *v, struct kh_view digest)
{
	const struct kh_review_args *args = f->args;
	struct kh_upstream_approve call = {.name = v->up->name, .digest = digest};
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *words = list_words(&f->arena, doc, &args->words);
	enum kh_err e = KH_OK;

	if (words == NULL)
		return KH_FRAME_REFUSE(f, "bad_option", "--describe takes NAME=TEXT");
	if (args->tools.n > 0)
		e = kh_json_freeze(&f->arena, list_tools(doc, &args->tools), &call.tools, &f->err);
	if (e == KH_OK && args->words.n > 0)
		e = kh_json_freeze(&f->arena, words, &call.words, &f->err);
	if (e == KH_OK)
		e = kh_frame_call(f, kh_upstream_approve_run, &call);
	if (e != KH_OK)
		return kh_frame_fail(f);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	kh_json_add(doc, obj, "upstream", v->up->name);
	yyjson_mut_obj_add_uint(doc, obj, "approved", call.approved);
	if (f->options.json)
		return kh_frame_object(f, obj);
	struct kh_buf buf = kh_frame_buf(f);
	kh_buf_printf(&buf, "%zu tool%s of %.*s approved\n", call.approved, call.approved == 1 ? "" : "s",
		      KH_FMT(v->up->name));
	if (call.unfit > 0)
		kh_buf_printf(&buf, "%zu cannot be approved: the review says why\n", call.unfit);
	return kh_frame_text(f, &buf);
}

static int show_bad(struct kh_frame *f, const struct kh_visit *v)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_buf buf = kh_frame_buf(f);

	kh_json_add(doc, obj, "upstream", v->up->name);
	kh_visit_add_bad(v, doc, obj);
	kh_visit_say_bad(v, &buf);
	return kh_frame_outcome(f->options.json ? kh_frame_object(f, obj) : kh_frame_text(f, &buf), false);
}

int kh_cli_upstream_review_run(struct kh_frame *f)
{
	const struct kh_review_args *args = f->args;
	uint64_t seconds = args->seconds > 0 ? args->seconds : KH_VISIT_SECONDS;
	struct kh_digest digest;
	struct kh_visit visit;

	enum kh_err e = kh_visit_find(&visit, &f->home, f->words[0], &f->arena, &f->err);
	struct kh_program program = {
		.client = f->home.client, .up = visit.up, .until_ms = kh_clock_ms() + (int64_t)seconds * 1000};
	if (e == KH_OK)
		e = kh_program_digest(&program, &f->arena, &digest, &f->err);
	if (e != KH_OK)
		return kh_frame_fail(f);
	e = kh_visit_ask(&visit, f->home.client, seconds, &f->err);
	bool works = e == KH_OK && visit.response.end == KH_RESPONSE_CAME;
	if (works)
		e = note(f, &visit, &digest);
	kh_visit_end(&visit);
	if (e != KH_OK)
		return kh_frame_fail(f);
	if (!works)
		return show_bad(f, &visit);
	return args->approve != NULL ? approve(f, &visit, kh_view_str(args->approve)) : show_review(f, &visit);
}
