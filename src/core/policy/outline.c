/*
 * Builds the tree from libyaml's events.  The file is hostile: its size is checked before libyaml sees it, depth and
 * count while it is read. libyaml allocates on its own; all of its memory is freed before this returns.
 */
#include "core/policy/outline.h"

#include "base/utf8.h"

#include <yaml.h>

#define CODE "policy_invalid"

struct reader {
	const struct kh_outline_source *source;
	struct kh_error *err;
	yaml_parser_t parser;
	struct kh_view text;
	size_t nodes;
};

struct kh_view kh_outline_place(const struct kh_outline_source *source, unsigned line)
{
	struct kh_view file = source->file;
	bool plain = file.n <= 64 && kh_utf8_is_ascii(file);

	for (size_t i = 0; i < file.n && plain; i++)
		plain = kh_utf8_is_plain((unsigned char)file.p[i]);
	if (file.n == 0)
		return kh_arena_printf(source->arena, "line %u", line);
	if (!plain)
		file = kh_arena_quote(source->arena, file);
	return kh_arena_printf(source->arena, "%.*s:%u", KH_FMT(file), line);
}

enum kh_err kh_outline_error(const struct kh_outline_source *source, unsigned line, size_t offset, struct kh_view what,
			     struct kh_view expected, struct kh_error *err)
{
	struct kh_view place = kh_outline_place(source, line);

	if (kh_arena_check(source->arena) != KH_OK)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory to read a policy");
	return kh_error_at(err, KH_EINPUT, CODE, offset, "%.*s: %.*s: expected %.*s", KH_FMT(place), KH_FMT(what),
			   KH_FMT(expected));
}

struct kh_view kh_outline_found(struct kh_arena *arena, const struct kh_outline *node)
{
	if (node->kind != KH_OUTLINE_SCALAR)
		return node->kind == KH_OUTLINE_MAP ? KH_LIT("a map") : KH_LIT("a list");
	if (node->plain && node->text.n == 0)
		return KH_LIT("an empty value");
	return kh_arena_quote(arena, node->text);
}

static unsigned line_of(struct kh_view text, size_t offset)
{
	unsigned line = 1;

	for (size_t i = 0; i < offset && i < text.n; i++)
		line += text.p[i] == '\n';
	return line;
}

static enum kh_err refuse(struct reader *r, yaml_mark_t mark, struct kh_view what, struct kh_view expected)
{
	return kh_outline_error(r->source, (unsigned)mark.line + 1, mark.index, what, expected, r->err);
}

/* Reports libyaml's own error. */
static enum kh_err syntax(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	/*
	 * libyaml's problem texts are string literals of its own.  A problem with a bad character has an offset but no
	 * line.
	 */
	struct kh_view what = kh_arena_printf(r->source->arena, "not YAML: %s", p->problem ? p->problem : "unreadable");
	yaml_mark_t mark = p->problem_mark;

	if (p->error == YAML_MEMORY_ERROR)
		return kh_error_set(r->err, KH_ENOMEM, "out_of_memory", "no memory to read a policy");
	if (p->error == YAML_READER_ERROR)
		mark = (yaml_mark_t){.index = p->problem_offset, .line = line_of(r->text, p->problem_offset) - 1};
	return refuse(r, mark, what, KH_LIT("YAML, indented with spaces"));
}

/* The next event.  The caller deletes it. */
static enum kh_err next(struct reader *r, yaml_event_t *ret_event)
{
	return yaml_parser_parse(&r->parser, ret_event) ? KH_OK : syntax(r);
}

static enum kh_err build(struct reader *r, const yaml_event_t *event, unsigned depth, struct kh_outline *node);

static enum kh_err build_key(struct reader *r, const yaml_event_t *event, struct kh_outline *child)
{
	if (event->type != YAML_SCALAR_EVENT || event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL ||
	    event->data.scalar.length == 0)
		return refuse(r, event->start_mark, KH_LIT("not a key"), KH_LIT("a key of plain text"));
	child->key = kh_arena_dup(r->source->arena,
				  kh_view_of((const char *)event->data.scalar.value, event->data.scalar.length));
	child->key_line = (unsigned)event->start_mark.line + 1;
	child->key_offset = event->start_mark.index;
	return KH_OK;
}

/* Reads events up to the end of the container NODE. */
static enum kh_err build_children(struct reader *r, yaml_event_type_t end, unsigned depth, struct kh_outline *node)
{
	struct kh_outline **tail = &node->first;

	for (;;) {
		struct kh_outline *child = KH_NEW(r->source->arena, struct kh_outline);
		yaml_event_t event;
		enum kh_err e = child ? next(r, &event) : KH_ENOMEM;
		if (e == KH_OK && event.type == end) {
			yaml_event_delete(&event);
			return KH_OK;
		}
		if (e == KH_OK && node->kind == KH_OUTLINE_MAP) {
			e = build_key(r, &event, child);
			yaml_event_delete(&event);
			if (e == KH_OK)
				e = next(r, &event);
		}
		if (e != KH_OK)
			return e;
		e = build(r, &event, depth, child);
		yaml_event_delete(&event);
		if (e != KH_OK)
			return e;
		*tail = child;
		tail = &child->next;
		node->count++;
	}
}

/* An escape in quotes can make any character.  Refuse those that would break a message, a command or a C string. */
static enum kh_err check_text(struct reader *r, const yaml_event_t *event)
{
	for (size_t i = 0; i < event->data.scalar.length; i++) {
		unsigned char c = event->data.scalar.value[i];
		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			return refuse(r, event->start_mark, KH_LIT("a control character"),
				      KH_LIT("text without control characters"));
	}
	return KH_OK;
}

static enum kh_err check_bare(struct reader *r, const yaml_event_t *event, const void *anchor, const void *tag)
{
	if (anchor != NULL)
		return refuse(r, event->start_mark, KH_LIT("an anchor"), KH_LIT("values written out, without & and *"));
	if (tag != NULL)
		return refuse(r, event->start_mark, KH_LIT("a tag"), KH_LIT("values without a ! tag"));
	return KH_OK;
}

/* Builds NODE from the event and the events that belong to it. */
static enum kh_err build(struct reader *r, const yaml_event_t *event, unsigned depth, struct kh_outline *node)
{
	enum kh_err e;

	node->line = (unsigned)event->start_mark.line + 1;
	node->offset = event->start_mark.index;
	if (++r->nodes > KH_OUTLINE_NODES)
		return refuse(r, event->start_mark, KH_LIT("too many values"), KH_LIT("at most 20000 in one file"));
	if (depth > KH_OUTLINE_DEPTH)
		return refuse(r, event->start_mark, KH_LIT("nested too deep"), KH_LIT("at most 16 levels"));
	if (event->type == YAML_SCALAR_EVENT) {
		node->kind = KH_OUTLINE_SCALAR;
		node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
		node->text = kh_arena_dup(r->source->arena, kh_view_of((const char *)event->data.scalar.value,
								       event->data.scalar.length));
		e = check_bare(r, event, event->data.scalar.anchor, event->data.scalar.tag);
		return e ? e : check_text(r, event);
	}
	if (event->type == YAML_SEQUENCE_START_EVENT) {
		node->kind = KH_OUTLINE_LIST;
		e = check_bare(r, event, event->data.sequence_start.anchor, event->data.sequence_start.tag);
		return e ? e : build_children(r, YAML_SEQUENCE_END_EVENT, depth + 1, node);
	}
	if (event->type == YAML_MAPPING_START_EVENT) {
		node->kind = KH_OUTLINE_MAP;
		e = check_bare(r, event, event->data.mapping_start.anchor, event->data.mapping_start.tag);
		return e ? e : build_children(r, YAML_MAPPING_END_EVENT, depth + 1, node);
	}
	return refuse(r, event->start_mark, KH_LIT("an alias"), KH_LIT("values written out, without & and *"));
}

/* Reads the events of the stream: at most one document. */
static enum kh_err build_stream(struct reader *r, struct kh_outline *root)
{
	size_t documents = 0;

	for (;;) {
		yaml_event_t event;
		enum kh_err e = next(r, &event);
		if (e != KH_OK)
			return e;
		yaml_event_type_t type = event.type;
		if (type == YAML_DOCUMENT_START_EVENT && documents++ > 0)
			e = refuse(r, event.start_mark, KH_LIT("a second document"), KH_LIT("one document a file"));
		else if (type != YAML_STREAM_START_EVENT && type != YAML_STREAM_END_EVENT &&
			 type != YAML_DOCUMENT_START_EVENT && type != YAML_DOCUMENT_END_EVENT)
			e = build(r, &event, 1, root);
		yaml_event_delete(&event);
		if (e != KH_OK || type == YAML_STREAM_END_EVENT)
			return e;
	}
}

/* Refuses input that libyaml must not see. */
static enum kh_err check_bytes(const struct kh_outline_source *source, struct kh_view text, struct kh_error *err)
{
	size_t bad = kh_utf8_invalid(text);
	const char *nul = text.n > 0 ? memchr(text.p, '\0', text.n) : NULL;
	bool is_nul = nul != NULL && (size_t)(nul - text.p) < bad;

	if (text.n > KH_OUTLINE_SIZE)
		return kh_outline_error(source, 1, 0, KH_LIT("too large"), KH_LIT("a file of at most 262144 bytes"),
					err);
	if (is_nul)
		bad = (size_t)(nul - text.p);
	if (bad == SIZE_MAX)
		return KH_OK;
	return kh_outline_error(source, line_of(text, bad), bad, is_nul ? KH_LIT("a NUL byte") : KH_LIT("not UTF-8"),
				KH_LIT("text in UTF-8"), err);
}

enum kh_err kh_outline_read(const struct kh_outline_source *source, struct kh_view text,
			    const struct kh_outline **ret_root, struct kh_error *err)
{
	struct reader r = {.source = source, .err = err, .text = text};
	struct kh_outline *root = KH_NEW(source->arena, struct kh_outline);
	enum kh_err e = check_bytes(source, text, err);

	if (root == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory to read a policy");
	if (e != KH_OK)
		return e;
	*root = (struct kh_outline){.kind = KH_OUTLINE_MAP, .line = 1};
	if (!yaml_parser_initialize(&r.parser))
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory to read a policy");
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)(text.n ? text.p : ""), text.n);
	e = build_stream(&r, root);
	yaml_parser_delete(&r.parser);
	if (e == KH_OK || e == KH_ENOMEM)
		e = kh_arena_check(source->arena);
	if (e == KH_ENOMEM)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory to read a policy");
	if (e == KH_OK)
		*ret_root = root;
	return e;
}
