/* A page for humans.  Trusts no text of others: all text that is not Keyhole's own is quoted or behind a bar. */
#include "cli/page.h"

#include "base/utf8.h"
#include "cli/table.h"
#include "cli/terminal.h"

#define WORDS (1U << 20) /* bytes of the Controller's text */

struct page {
	struct kh_buf *buf;
	struct kh_arena *arena;
	yyjson_val *shown;
	size_t columns;
	long long number, of;
};

static struct kh_view text_of(yyjson_val *obj, const char *key)
{
	return kh_json_str(kh_json_get(obj, key));
}

/* Quotes text of others for one of our lines. */
static struct kh_view quote(const struct page *p, yyjson_val *obj, const char *key)
{
	return kh_arena_quote(p->arena, text_of(obj, key));
}

static uint64_t number_of(yyjson_val *obj, const char *key)
{
	return yyjson_get_uint(kh_json_get(obj, key));
}

/* --- facts about the approval ------------------------------------------------------------------------------------- */

static void write_query(const struct page *p)
{
	yyjson_val *query = kh_json_get(p->shown, "query"), *account = kh_json_get(query, "account");

	if (!yyjson_is_obj(query))
		return;
	struct kh_view content = kh_table_bits(p->arena, number_of(account, "content"));
	struct kh_view all = kh_table_bits(p->arena, number_of(account, "reserved"));
	kh_buf_printf(p->buf, "Query      %.*s, category %llu, to %.*s, taint %.*s\n", KH_FMT(text_of(query, "id")),
		      (unsigned long long)number_of(kh_json_get(query, "body"), "category"),
		      KH_FMT(quote(p, query, "reader")), KH_FMT(text_of(query, "taint")));
	kh_buf_printf(p->buf, "Account    %.*s for the answer, %.*s in all\n", KH_FMT(content), KH_FMT(all));
}

static void write_sources(const struct page *p)
{
	yyjson_arr_iter iter;
	yyjson_val *item;

	yyjson_arr_iter_init(kh_json_get(p->shown, "source"), &iter);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL)
		kh_buf_printf(p->buf, "Source     block %.*s, from %.*s, taint %.*s\n", KH_FMT(text_of(item, "id")),
			      KH_FMT(quote(p, item, "source")), KH_FMT(text_of(item, "taint")));
}

/* What leaves, or is put in, if it is approved.  Its pages follow those of the text. */
static void write_carried(const struct page *p)
{
	yyjson_arr_iter iter;
	yyjson_val *item;

	yyjson_arr_iter_init(kh_json_get(p->shown, "carries"), &iter);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL)
		kh_buf_printf(p->buf, "Carries    the content of block %.*s, from %.*s, taint %.*s: after the text\n",
			      KH_FMT(text_of(item, "block")), KH_FMT(quote(p, item, "source")),
			      KH_FMT(text_of(item, "taint")));
}

/* An upstream server asks: who it is, during which call, and that what is entered leaves. */
static void write_server(const struct page *p)
{
	if (text_of(p->shown, "server").n == 0)
		return;
	kh_buf_printf(p->buf, "Call       %.*s\n", KH_FMT(text_of(p->shown, "declaration")));
	kh_buf_printf(p->buf,
		      "Leaves     whatever you enter, to the upstream server %.*s, as it is: never enter a secret\n",
		      KH_FMT(quote(p, p->shown, "server")));
	kh_buf_lit(p->buf, "Answer     with approve and --value NAME=VALUE for each field, or reject it\n");
}

static void write_decision(const struct page *p)
{
	yyjson_val *decision = kh_json_get(p->shown, "decision");

	if (!yyjson_is_obj(decision))
		return;
	kh_buf_printf(p->buf, "Decided    by %.*s %.*s, from %.*s, at %.*s\n", KH_FMT(text_of(decision, "role")),
		      KH_FMT(quote(p, decision, "by")), KH_FMT(quote(p, decision, "from")),
		      KH_FMT(text_of(decision, "at")));
	if (text_of(decision, "note").n > 0) {
		kh_buf_lit(p->buf, "Note\n");
		kh_terminal_frame(p->buf, kh_tainted_wrap(text_of(decision, "note")), p->columns);
	}
	if (text_of(decision, "edited").n > 0) {
		kh_buf_lit(p->buf, "Edited to\n");
		kh_terminal_frame(p->buf, kh_tainted_wrap(text_of(decision, "edited")), p->columns);
	}
}

static void write_head(const struct page *p)
{
	yyjson_val *task = kh_json_get(p->shown, "task");

	kh_buf_printf(p->buf, "Approval   %.*s: %.*s, %.*s\n", KH_FMT(text_of(p->shown, "id")),
		      KH_FMT(text_of(p->shown, "kind")), KH_FMT(text_of(p->shown, "state")));
	if (yyjson_is_obj(task)) /* a change of an upstream's tool is of no task */
		kh_buf_printf(p->buf, "Task       %.*s %.*s, %.*s\n", KH_FMT(text_of(task, "id")),
			      KH_FMT(quote(p, task, "title")), KH_FMT(text_of(task, "phase")));
	write_query(p);
	kh_buf_printf(p->buf, "Operation  %.*s\n", KH_FMT(text_of(p->shown, "operation")));
	if (text_of(p->shown, "host").n > 0)
		kh_buf_printf(p->buf, "Host       %.*s\n", KH_FMT(quote(p, p->shown, "host")));
	write_server(p);
	write_sources(p);
	write_carried(p);
	kh_buf_printf(p->buf, "Asked      %.*s\n", KH_FMT(text_of(p->shown, "requested_at")));
	kh_buf_printf(p->buf, "Expires    %.*s\n", KH_FMT(text_of(p->shown, "expires_at")));
	if (kh_view_eq(text_of(p->shown, "decides"), KH_LIT("admin")))
		kh_buf_lit(p->buf, "Decides    only an admin\n");
	write_decision(p);
}

/* --- what the task is for ----------------------------------------------------------------------------------------- */

static const char *author(yyjson_val *written)
{
	struct kh_view by = text_of(written, "by");

	return kh_view_eq(by, KH_LIT("host"))   ? "the host"
	       : kh_view_eq(by, KH_LIT("user")) ? "the user, as the host gave them"
						: "the Controller";
}

/* Writes TEXT, which is not Keyhole's, behind a bar, under a line that says who wrote it. */
static void write_purpose(const struct page *p, const char *what, yyjson_val *written, struct kh_view text)
{
	kh_buf_printf(p->buf, "---- %s, in the words of %s%s ----\n", what, author(written),
		      yyjson_get_bool(kh_json_get(written, "cut")) ? ": only its beginning" : "");
	kh_terminal_frame(p->buf, kh_tainted_wrap(text), p->columns);
	kh_buf_lit(p->buf, "---- End of these words ----\n");
}

static void write_goals(const struct page *p, yyjson_val *task)
{
	yyjson_arr_iter iter;
	yyjson_val *goal;

	yyjson_arr_iter_init(kh_json_get(task, "goals"), &iter);
	while ((goal = yyjson_arr_iter_next(&iter)) != NULL)
		write_purpose(p, "The goal of the task", goal, text_of(goal, "text"));
}

/* The plan's text, and a line for each operation that it names. */
static void write_plan(const struct page *p, yyjson_val *task)
{
	yyjson_val *plan = kh_json_get(task, "plan"), *list = kh_json_get(plan, "operations"), *item;
	struct kh_view text = {NULL, 0};
	yyjson_arr_iter iter;
	struct kh_buf words;

	if (!yyjson_is_obj(plan))
		return;
	kh_buf_init(&words, p->arena, WORDS);
	kh_table_line(&words, kh_json_get(plan, "text"));
	yyjson_arr_iter_init(list, &iter);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		kh_buf_lit(&words, "needs: ");
		kh_table_line(&words, item);
	}
	if (number_of(plan, "operation_count") > yyjson_arr_size(list))
		kh_buf_printf(&words, "and more: %llu in all\n",
			      (unsigned long long)number_of(plan, "operation_count"));
	if (kh_buf_end(&words, &text) != KH_OK)
		p->arena->failed = true;
	write_purpose(p, "The plan", plan, kh_view_trim(text));
}

/* --- the Controller's words --------------------------------------------------------------------------------------- */

/* Adds "name: value", a line for each member; of a list, a line for each item. */
static void add_member(struct kh_buf *words, struct kh_view name, yyjson_val *value)
{
	yyjson_arr_iter iter;
	yyjson_val *item;

	if (!yyjson_is_arr(value)) {
		kh_buf_add(words, name);
		kh_buf_lit(words, ": ");
		kh_table_line(words, value);
		return;
	}
	yyjson_arr_iter_init(value, &iter);
	for (size_t i = 0; (item = yyjson_arr_iter_next(&iter)) != NULL; i++) {
		kh_buf_add(words, name);
		kh_buf_printf(words, "[%zu]: ", i);
		kh_table_line(words, item);
	}
}

/* True for members of the query that are shown elsewhere: in the head or, the directive of an escalation, as the
 * text. */
static bool is_told(const struct page *p, struct kh_view name)
{
	return kh_view_eq(name, KH_LIT("category")) || kh_view_eq(name, KH_LIT("task")) ||
	       kh_view_eq(name, KH_LIT("target")) ||
	       (kh_view_eq(name, KH_LIT("directive")) && kh_view_eq(text_of(p->shown, "kind"), KH_LIT("escalation")));
}

static void write_words(const struct page *p)
{
	yyjson_val *body = kh_json_get(kh_json_get(p->shown, "query"), "body"), *key;
	struct kh_view text = {NULL, 0};
	yyjson_obj_iter iter;
	struct kh_buf words;

	if (!yyjson_is_obj(body))
		return;
	kh_buf_init(&words, p->arena, WORDS);
	yyjson_obj_iter_init(body, &iter);
	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		if (!is_told(p, kh_json_str(key)))
			add_member(&words, kh_json_str(key), yyjson_obj_iter_get_val(key));
	}
	if (kh_buf_end(&words, &text) != KH_OK)
		p->arena->failed = true;
	kh_buf_lit(p->buf, "---- The query, in the words of the Controller ----\n");
	kh_terminal_frame(p->buf, kh_tainted_wrap(kh_view_trim(text)), p->columns);
	kh_buf_lit(p->buf, "---- End of the query ----\n");
}

/* --- the text ----------------------------------------------------------------------------------------------------- */

/* Returns "line 3, character 7" for byte AT of TEXT. */
static struct kh_view place(const struct page *p, struct kh_view text, size_t at)
{
	size_t line = 1, from = 0;

	for (size_t i = 0; i < at && i < text.n; i++) {
		if (text.p[i] == '\n') {
			line++;
			from = i + 1;
		}
	}
	return kh_arena_printf(p->arena, "line %zu, character %zu", line,
			       kh_utf8_length(kh_view_sub(text, from, at)) + 1);
}

static void write_findings(const struct page *p)
{
	struct kh_view text = text_of(p->shown, "text");
	yyjson_arr_iter iter;
	yyjson_val *item;

	yyjson_arr_iter_init(kh_json_get(p->shown, "findings"), &iter);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		size_t start = number_of(item, "start"), end = number_of(item, "end");
		struct kh_view where = place(p, text, start);
		struct kh_view what = kh_arena_quote(p->arena, kh_view_sub(text, start, end));
		struct kh_view decoded = text_of(item, "decoded"); /* it was quoted when it was found */
		kh_buf_printf(p->buf, "  ! %.*s, %.*s, %.*s: %.*s%s%.*s\n", KH_FMT(text_of(item, "code")),
			      KH_FMT(text_of(item, "severity")), KH_FMT(where), KH_FMT(what),
			      decoded.n > 0 ? " says " : "", KH_FMT(decoded));
	}
}

static void write_marks(const struct page *p)
{
	yyjson_arr_iter iter;
	yyjson_val *item;

	yyjson_arr_iter_init(kh_json_get(p->shown, "marks"), &iter);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		struct kh_view member = text_of(item, "member"), detail = text_of(item, "detail");
		kh_buf_printf(p->buf, "  ! %.*s%s%.*s%s%.*s\n", KH_FMT(text_of(item, "code")),
			      member.n > 0 ? ", of " : "", KH_FMT(member), detail.n > 0 ? ": " : "", KH_FMT(detail));
	}
}

static void write_text(const struct page *p, struct kh_tainted text)
{
	bool untrusted = yyjson_get_bool(kh_json_get(p->shown, "untrusted"));
	struct kh_view label = untrusted ? text_of(p->shown, "label") : KH_LIT("TEXT OF THE CONTROLLER");

	kh_buf_printf(p->buf, "---- %.*s: page %lld of %lld ----\n", KH_FMT(label), p->number, p->of);
	kh_terminal_frame(p->buf, text, p->columns);
	kh_buf_printf(p->buf, "---- END OF %s: page %lld of %lld ----\n", untrusted ? "UNTRUSTED CONTENT" : "THE TEXT",
		      p->number, p->of);
	if (yyjson_arr_size(kh_json_get(p->shown, "findings")) + yyjson_arr_size(kh_json_get(p->shown, "marks")) == 0) {
		kh_buf_lit(p->buf, "Marks      none on this page\n");
		return;
	}
	kh_buf_lit(p->buf, "Marks\n");
	write_findings(p);
	write_marks(p);
}

void kh_page_write(struct kh_buf *buf, yyjson_val *shown, struct kh_tainted text, size_t columns)
{
	struct page p = {
		.buf = buf,
		.arena = buf->arena,
		.shown = shown,
		.columns = columns,
		.number = yyjson_get_sint(kh_json_get(shown, "page")),
		.of = yyjson_get_sint(kh_json_get(shown, "pages")),
	};

	if (p.number == 1) {
		write_head(&p);
		write_goals(&p, kh_json_get(shown, "task"));
		write_plan(&p, kh_json_get(shown, "task"));
		write_words(&p);
	}
	write_text(&p, text);
	kh_buf_printf(buf, "Digest     %.*s\n", KH_FMT(text_of(shown, "digest")));
}

/* --- what Readers sent -------------------------------------------------------------------------------------------- */

/* Details are quoted: they may hold pieces of what was sent. */
static void write_reasons(const struct page *p, yyjson_val *try)
{
	yyjson_arr_iter iter;
	yyjson_val *item;

	yyjson_arr_iter_init(kh_json_get(try, "reasons"), &iter);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		struct kh_view member = text_of(item, "member");
		kh_buf_printf(p->buf, "  ! %.*s%s%.*s: %.*s\n", KH_FMT(text_of(item, "code")),
			      member.n > 0 ? ", of " : "", KH_FMT(member.n > 0 ? quote(p, item, "member") : member),
			      KH_FMT(quote(p, item, "detail")));
	}
}

static void write_try(const struct page *p, yyjson_val *try)
{
	struct kh_view verdict = text_of(try, "verdict"), purged = text_of(try, "purged_at");
	unsigned long long page = number_of(try, "page"), pages = number_of(try, "pages");
	bool binary = yyjson_get_bool(kh_json_get(try, "binary"));

	kh_buf_printf(p->buf, "Try %llu      round %llu, by %.*s: %.*s%s%.*s, %llu bytes\n",
		      (unsigned long long)number_of(try, "number"), (unsigned long long)number_of(try, "round") + 1,
		      KH_FMT(quote(p, try, "reader")), KH_FMT(text_of(try, "state")), verdict.n > 0 ? ", " : "",
		      KH_FMT(verdict), (unsigned long long)number_of(try, "size"));
	write_reasons(p, try);
	if (purged.n > 0)
		kh_buf_printf(p->buf, "Removed    %.*s\n", KH_FMT(purged));
	if (number_of(try, "size") == 0)
		return;
	kh_buf_printf(p->buf, "---- %.*s: page %llu of %llu%s ----\n", KH_FMT(text_of(p->shown, "label")), page, pages,
		      binary ? ", not UTF-8" : "");
	kh_terminal_frame(p->buf, kh_tainted_wrap(text_of(try, "text")), p->columns);
	kh_buf_printf(p->buf, "---- END OF UNTRUSTED CONTENT: page %llu of %llu ----\n", page, pages);
}

void kh_page_tries(struct kh_buf *buf, yyjson_val *shown, size_t columns)
{
	struct page p = {.buf = buf, .arena = buf->arena, .shown = shown, .columns = columns};
	struct kh_view outcome = text_of(shown, "outcome"), reason = text_of(shown, "reason");
	yyjson_arr_iter iter;
	yyjson_val *item;

	kh_buf_printf(buf, "Query      %.*s, category %llu, to %.*s: %.*s\n", KH_FMT(text_of(shown, "query")),
		      (unsigned long long)number_of(shown, "category"), KH_FMT(quote(&p, shown, "reader")),
		      KH_FMT(outcome.n > 0 ? outcome : text_of(shown, "state")));
	if (reason.n > 0)
		kh_buf_printf(buf, "Reason     %.*s\n", KH_FMT(reason));
	yyjson_arr_iter_init(kh_json_get(shown, "tries"), &iter);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL)
		write_try(&p, item);
}
