/* Pages of the record.  The cursors are the gateway's, and opaque. */
#include "cli/audits_far.h"

#define PAGE ((size_t)256 << 20) /* memory for one page */
#define PATH 4096

typedef enum kh_err take_fn(struct kh_audits_far *far, struct kh_arena *arena, struct kh_view line,
			    struct kh_error *err);

static void add_parameter(struct kh_buf *path, const char *name, struct kh_view value)
{
	if (value.p == NULL)
		return;
	kh_buf_printf(path, "&%s=", name);
	kh_remote_encode(path, value);
}

static enum kh_err path_of(const struct kh_audits_far *far, struct kh_arena *arena, struct kh_view *ret_path)
{
	const struct kh_eventfilter *wanted = far->wanted;
	struct kh_buf path;

	kh_buf_init(&path, arena, PATH);
	kh_buf_lit(&path, "/audit?format=jsonl&limit=1000");
	if (far->after[0] != '\0')
		add_parameter(&path, "after", kh_view_str(far->after));
	else if (far->last > 0)
		kh_buf_printf(&path, "&last=%llu", (unsigned long long)far->last);
	add_parameter(&path, "task", wanted->task);
	add_parameter(&path, "principal", wanted->principal);
	add_parameter(&path, "kind", wanted->kind);
	add_parameter(&path, "since", wanted->since);
	add_parameter(&path, "until", wanted->until);
	return kh_buf_end(&path, ret_path);
}

static enum kh_err put(struct kh_audits_far *far, struct kh_arena *arena, struct kh_view line, struct kh_error *err)
{
	struct kh_eventtext event;
	enum kh_err e = kh_eventtext_read(arena, line, &event);

	if (e != KH_OK)
		return kh_remote_strange(far->remote, e, "no event", err);
	snprintf(far->after, sizeof(far->after), "%.*s", KH_FMT(event.id));
	if (far->out->write != NULL) {
		far->out->write(&event, &far->out->buf);
	} else {
		kh_buf_add(&far->out->buf, line);
		kh_buf_byte(&far->out->buf, '\n');
	}
	return KH_OK;
}

static enum kh_err remember(struct kh_audits_far *far, struct kh_arena *arena, struct kh_view line,
			    struct kh_error *err)
{
	struct kh_eventtext event;
	enum kh_err e = kh_eventtext_read(arena, line, &event);

	if (e != KH_OK)
		return kh_remote_strange(far->remote, e, "no event", err);
	snprintf(far->after, sizeof(far->after), "%.*s", KH_FMT(event.id));
	memcpy(far->ring[far->passed++ % far->room], far->after, sizeof(far->after));
	return KH_OK;
}

/* Takes one page.  *RET_MORE: there is another. */
static enum kh_err take_page(struct kh_audits_far *far, struct kh_arena *arena, take_fn *take, bool *ret_more,
			     struct kh_error *err)
{
	struct kh_remote_answer answer;
	struct kh_view path, rest, line, asked = kh_arena_dup(arena, kh_view_str(far->after));
	enum kh_err e = path_of(far, arena, &path);

	if (e != KH_OK)
		return kh_error_set(err, e, "too_long", "the filter is too long");
	e = kh_remote_get(far->remote, arena, path, &answer, err);
	if (e != KH_OK)
		return e;
	rest = kh_view_trim(answer.body);
	while (e == KH_OK && rest.n > 0 && kh_view_split(&rest, '\n', &line) && kh_eventout_step(far->out))
		e = take(far, arena, line, err);
	if (e == KH_OK && answer.next.n > 0 && kh_view_eq(answer.next, asked))
		return kh_remote_strange(far->remote, KH_EREFUSED, "a page names itself as the next", err);
	if (answer.next.n > 0)
		snprintf(far->after, sizeof(far->after), "%.*s", KH_FMT(answer.next));
	*ret_more = answer.next.n > 0;
	return e;
}

static enum kh_err take_pages(struct kh_audits_far *far, take_fn *take, struct kh_error *err)
{
	enum kh_err e = KH_OK;
	bool more = true;

	while (e == KH_OK && more && !far->out->lost && !far->out->failed) {
		struct kh_arena arena;
		kh_arena_init(&arena, NULL, PAGE);
		e = take_page(far, &arena, take, &more, err);
		kh_eventout_flush(far->out);
		kh_arena_done(&arena);
	}
	return e;
}

/* The gateway names the parameter at fault; here it is an option. */
static enum kh_err told(enum kh_err e, struct kh_error *err)
{
	if (e != KH_EINPUT || err->member[0] == '\0')
		return e;
	char member[sizeof(err->member)], detail[sizeof(err->detail)];
	memcpy(member, err->member, sizeof(member));
	memcpy(detail, err->detail, sizeof(detail));
	err->member[0] = '\0';
	return kh_error_set(err, e, "bad_option", "--%s: %s", member, detail);
}

enum kh_err kh_audits_far_on(struct kh_audits_far *far, struct kh_error *err)
{
	return told(take_pages(far, put, err), err);
}

/* With a filter nobody knows where the last N begin: their ids are found first, and that of the one before them. */
static enum kh_err find_last(struct kh_audits_far *far, uint64_t n, struct kh_arena *arena, struct kh_error *err)
{
	far->room = n + 1;
	far->ring = kh_arena_alloc(arena, far->room * sizeof(*far->ring));
	if (far->ring == NULL)
		return KH_ENOMEM;
	enum kh_err e = take_pages(far, remember, err);
	if (far->passed > n)
		memcpy(far->after, far->ring[(far->passed - n - 1) % far->room], sizeof(far->after));
	else
		far->after[0] = '\0';
	return e;
}

enum kh_err kh_audits_far_last(struct kh_audits_far *far, uint64_t n, struct kh_arena *arena, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	if (kh_eventfilter_is_empty(far->wanted))
		far->last = n;
	else
		e = told(find_last(far, n, arena, err), err);
	if (e == KH_OK)
		e = kh_audits_far_on(far, err);
	far->last = 0;
	return e;
}

enum kh_err kh_audits_far_one(struct kh_audits_far *far, struct kh_view id, struct kh_error *err)
{
	struct kh_remote_answer answer;
	struct kh_arena arena;
	struct kh_buf buf;
	struct kh_view path;

	kh_arena_init(&arena, NULL, PAGE);
	kh_buf_init(&buf, &arena, PATH);
	kh_buf_lit(&buf, "/audit/");
	kh_remote_encode(&buf, id);
	enum kh_err e = kh_buf_end(&buf, &path);
	if (e == KH_OK)
		e = kh_remote_get(far->remote, &arena, path, &answer, err);
	if (e == KH_OK)
		e = put(far, &arena, kh_view_trim(answer.body), err);
	if (e == KH_OK)
		kh_eventout_flush(far->out);
	kh_arena_done(&arena);
	return e;
}
