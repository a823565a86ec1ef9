/*
 * Writes blocks as XML, and reads them.  On writing the content is hostile, on reading the whole text.  Written text
 * has exactly one `<block` for each block, whatever its content.  Text is read into blocks only through
 * kh_blocks_add(), so labels that the constructor refuses cannot get in.
 */
#include "core/block/xml.h"

#include "base/buf.h"
#include "base/timestamp.h"
#include "base/utf8.h"

/* ---- writing ---- */

/* The named reference for C, or NULL; for the quotes only if QUOTES. */
static const char *named(uint32_t c, bool quotes)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return quotes ? "&quot;" : NULL;
	case '\'':
		return quotes ? "&apos;" : NULL;
	default:
		return NULL;
	}
}

/* True for a character that XML cannot carry as itself, or that an XML parser would change. */
static bool is_referenced(uint32_t c, bool attribute)
{
	if (c == '\t' || c == '\n')
		return attribute;
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfffe || c == 0xffff;
}

typedef unsigned char lanes __attribute__((vector_size(16)));
typedef signed char signed_lanes __attribute__((vector_size(16)));

/* True for ASCII that is written as it is everywhere, which is most of a text. */
static bool is_plain(char c)
{
	return (unsigned char)(c - ' ') < 0x5f && c != '<' && c != '>' && c != '&' && c != '"' && c != '\'';
}

/* The offset of the next byte from AT on that is_plain() is false for, or the end; sixteen are looked at at once. */
static size_t skip_plain(struct kh_view text, size_t at)
{
	for (; at + sizeof(lanes) <= text.n; at += sizeof(lanes)) {
		lanes v;
		uint64_t half[2];
		memcpy(&v, text.p + at, sizeof(v));
		/* As signed bytes, those above 127 are below the blank, too. */
		lanes hit = (lanes)((signed_lanes)v < ' ') | (lanes)(v == 0x7f) | (lanes)(v == '"') |
			    (lanes)((v | 1) == '\'') | (lanes)((v | 2) == '>'); /* & and ', < and > */
		memcpy(half, &hit, sizeof(half));
		if ((half[0] | half[1]) != 0)
			break;
	}
	while (at < text.n && is_plain(text.p[at]))
		at++;
	return at;
}

static void put_escaped(struct kh_buf *out, struct kh_view text, bool attribute, bool quotes)
{
	size_t from = 0, len;
	uint32_t c;

	for (size_t at = 0; at < text.n; at += len) {
		at = skip_plain(text, at);
		if (at == text.n)
			break;
		len = kh_utf8_decode(text, at, &c);
		const char *name = named(c, quotes);
		if (name == NULL && !is_referenced(c, attribute))
			continue;
		kh_buf_add(out, kh_view_sub(text, from, at));
		if (name != NULL)
			kh_buf_add(out, kh_view_str(name));
		else
			kh_buf_printf(out, "&#%u;", (unsigned)c);
		from = at + len;
	}
	kh_buf_add(out, kh_view_from(text, from));
}

static void put_block(struct kh_buf *out, const struct kh_block *block)
{
	kh_buf_printf(out, "<block id=\"%.*s\" trust=\"%s\" type=\"%s\"", KH_FMT(block->id),
		      kh_words_name(&kh_label_trust_words, block->trust),
		      kh_words_name(&kh_label_type_words, block->type));
	if (block->source.n > 0) {
		kh_buf_lit(out, " source=\"");
		put_escaped(out, block->source, true, true);
		kh_buf_byte(out, '"');
	}
	for (size_t i = 0; i < block->tainted_by_count; i++) {
		kh_buf_add(out, i == 0 ? KH_LIT(" tainted-by=\"") : KH_LIT(","));
		kh_buf_add(out, block->tainted_by[i]);
	}
	if (block->tainted_by_count > 0)
		kh_buf_byte(out, '"');
	if (block->taint != kh_label_initial_taint(block->trust))
		kh_buf_printf(out, " taint=\"%s\"", kh_words_name(&kh_label_taint_words, block->taint));
	if (block->created_at > 0) {
		kh_buf_lit(out, " created-at=\"");
		kh_buf_add(out, kh_timestamp_text(out->arena, block->created_at));
		kh_buf_byte(out, '"');
	}
	kh_buf_byte(out, '>');
	put_escaped(out, block->content, false, block->trust == KH_UNTRUSTED);
	kh_buf_lit(out, "</block>");
}

enum kh_err kh_xml_write(struct kh_arena *arena, const struct kh_blocks *set, struct kh_view *ret_text)
{
	struct kh_buf out;

	kh_buf_init(&out, arena, arena->limit);
	for (size_t i = 0; i < set->n; i++) {
		if (i > 0)
			kh_buf_byte(&out, '\n');
		put_block(&out, set->at[i]);
	}
	enum kh_err e = kh_buf_end(&out, ret_text);
	return e == KH_OK ? kh_arena_check(arena) : e;
}

/* ---- reading ---- */

enum attribute { ID, TRUST, TYPE, SOURCE, TAINTED_BY, TAINT, CREATED_AT, MUTABLE, AGENT, ATTRIBUTES };

static const struct kh_words names =
	KH_WORDS([ID] = "id", [TRUST] = "trust", [TYPE] = "type", [SOURCE] = "source", [TAINTED_BY] = "tainted-by",
		 [TAINT] = "taint", [CREATED_AT] = "created-at", [MUTABLE] = "mutable", [AGENT] = "agent");

struct reader {
	struct kh_blocks *set;
	struct kh_arena *arena;
	struct kh_view text;
	size_t at;
	struct kh_error *err;
};

struct tag {
	size_t start;
	struct kh_view values[ATTRIBUTES]; /* p is NULL if the attribute is not there */
	bool empty;                        /* ended in "/>" */
};

#define SYNTAX(reader, ...) kh_error_at((reader)->err, KH_EINPUT, "xml_syntax", (reader)->at, __VA_ARGS__)

static bool looking_at(const struct reader *reader, struct kh_view word)
{
	return kh_view_starts(kh_view_from(reader->text, reader->at), word);
}

/* Skips white space; true if there was some. */
static bool skip_blanks(struct reader *reader)
{
	size_t from = reader->at;

	while (reader->at < reader->text.n && kh_ascii_is_blank(reader->text.p[reader->at]))
		reader->at++;
	return reader->at > from;
}

/* The scalar value that "#65" or "#x41" (without & and ;) stands for. */
static bool parse_numeric(struct kh_view ref, uint32_t *ret_c)
{
	bool hex = ref.n > 1 && ref.p[1] == 'x';
	uint32_t c = 0;

	if (ref.n < (hex ? 3U : 2U) || ref.p[0] != '#')
		return false;
	for (size_t i = hex ? 2 : 1; i < ref.n; i++) {
		char digit = kh_ascii_lower(ref.p[i]);
		if (kh_ascii_is_digit(digit))
			c = c * (hex ? 16 : 10) + (uint32_t)(digit - '0');
		else if (hex && digit >= 'a' && digit <= 'f')
			c = c * 16 + (uint32_t)(digit - 'a') + 10;
		else
			return false;
		if (c > 0x10ffff)
			return false;
	}
	*ret_c = c;
	return c < 0xd800 || c > 0xdfff;
}

static bool parse_reference(struct kh_view ref, uint32_t *ret_c)
{
	static const struct {
		struct kh_view name;
		uint32_t c;
	} five[] = {{KH_LIT_INIT("lt"), '<'},
		    {KH_LIT_INIT("gt"), '>'},
		    {KH_LIT_INIT("amp"), '&'},
		    {KH_LIT_INIT("quot"), '"'},
		    {KH_LIT_INIT("apos"), '\''}};

	for (size_t i = 0; i < sizeof(five) / sizeof(five[0]); i++) {
		if (kh_view_eq(five[i].name, ref)) {
			*ret_c = five[i].c;
			return true;
		}
	}
	return parse_numeric(ref, ret_c);
}

/* A reference is never longer than this, ';' and leading zeros included. */
#define REFERENCE_MAX 32

/*
 * Decodes the reference at byte AT of the text, which is an '&', to P; gives the number of bytes written, and where the
 * reference ends.
 */
static enum kh_err put_reference(struct reader *reader, size_t at, size_t end, char *p, size_t *ret_n, size_t *ret_at)
{
	struct kh_view rest = kh_view_sub(reader->text, at + 1, end < at + REFERENCE_MAX ? end : at + REFERENCE_MAX);
	const char *semicolon = rest.n > 0 ? memchr(rest.p, ';', rest.n) : NULL;
	uint32_t c;

	if (semicolon == NULL || !parse_reference(kh_view_of(rest.p, (size_t)(semicolon - rest.p)), &c))
		return kh_error_at(reader->err, KH_EINPUT, "xml_entity", at,
				   "only &lt; &gt; &amp; &quot; &apos; and numeric references are read");
	*ret_n = kh_utf8_encode(c, p);
	*ret_at = at + 1 + (size_t)(semicolon - rest.p) + 1;
	return KH_OK;
}

/* True if a byte of the text cannot be copied as it is. */
static bool is_special(char c, bool attribute)
{
	return c == '&' || c == '\r' || (attribute && (c == '\t' || c == '\n'));
}

/* Decodes the bytes from START to END of the text: references are replaced, line ends normalised as in XML. */
static enum kh_err decode(struct reader *reader, size_t start, size_t end, bool attribute, struct kh_view *ret_v)
{
	struct kh_view text = reader->text;
	size_t at = start, n = 0, len = 0;

	while (at < end && !is_special(text.p[at], attribute))
		at++;
	if (at == end) {
		*ret_v = kh_view_sub(text, start, end);
		return KH_OK;
	}
	char *p = kh_arena_alloc(reader->arena, end - start); /* a reference is never shorter than its character */
	if (p == NULL)
		return KH_ENOMEM;
	for (at = start; at < end;) {
		char c = text.p[at];
		if (c == '&') {
			enum kh_err e = put_reference(reader, at, end, p + n, &len, &at);
			if (e != KH_OK)
				return e;
			n += len;
			continue;
		}
		if (c == '\r' && at + 1 < end && text.p[at + 1] == '\n')
			at++;
		p[n++] = !is_special(c, attribute) ? c : attribute ? ' ' : '\n';
		at++;
	}
	*ret_v = kh_view_of(p, n);
	return KH_OK;
}

/* Reads a comment, from "<!--" to "-->"; as in XML, no "--" in between. */
static enum kh_err read_comment(struct reader *reader)
{
	size_t dashes = kh_view_find(reader->text, KH_LIT("--"), reader->at + 4);

	if (dashes == SIZE_MAX)
		return SYNTAX(reader, "the comment does not end");
	if (dashes + 2 >= reader->text.n || reader->text.p[dashes + 2] != '>') {
		reader->at = dashes;
		return SYNTAX(reader, "\"--\" inside a comment");
	}
	reader->at = dashes + 3;
	return KH_OK;
}

static enum kh_err read_name(struct reader *reader, const struct tag *tag, unsigned *ret_attribute)
{
	size_t from = reader->at;
	unsigned i;

	while (reader->at < reader->text.n && (kh_ascii_is_alpha(reader->text.p[reader->at]) ||
					       reader->text.p[reader->at] == '-' || reader->text.p[reader->at] == '_'))
		reader->at++;
	struct kh_view name = kh_view_sub(reader->text, from, reader->at);
	if (name.n == 0)
		return SYNTAX(reader, "an attribute's name, '>' or '/>' was expected");
	if (!kh_words_parse(&names, name, &i))
		return kh_error_at(reader->err, KH_EINPUT, "xml_attribute", from, "a block has no attribute %.*s",
				   KH_FMT(kh_arena_quote(reader->arena, name)));
	if (tag->values[i].p != NULL)
		return kh_error_at(reader->err, KH_EINPUT, "xml_duplicate", from, "attribute %s is there twice",
				   names.at[i]);
	*ret_attribute = i;
	return KH_OK;
}

/* Reads name="value" or name='value'. */
static enum kh_err read_attribute(struct reader *reader, struct tag *tag)
{
	unsigned i;
	enum kh_err e = read_name(reader, tag, &i);

	if (e != KH_OK)
		return e;
	skip_blanks(reader);
	if (!looking_at(reader, KH_LIT("=")))
		return SYNTAX(reader, "'=' was expected");
	reader->at++;
	skip_blanks(reader);
	if (!looking_at(reader, KH_LIT("\"")) && !looking_at(reader, KH_LIT("'")))
		return SYNTAX(reader, "a value in quotes was expected");
	char quote = reader->text.p[reader->at++];
	size_t from = reader->at;
	while (reader->at < reader->text.n && reader->text.p[reader->at] != quote && reader->text.p[reader->at] != '<')
		reader->at++;
	if (reader->at == reader->text.n || reader->text.p[reader->at] == '<')
		return SYNTAX(reader, "the attribute's value does not end");
	return decode(reader, from, reader->at++, true, &tag->values[i]);
}

/* Reads from "<block" to ">" or "/>". */
static enum kh_err read_tag(struct reader *reader, struct tag *tag)
{
	*tag = (struct tag){.start = reader->at};
	reader->at += sizeof("<block") - 1;
	for (;;) {
		bool blank = skip_blanks(reader);
		tag->empty = looking_at(reader, KH_LIT("/>"));
		if (tag->empty || looking_at(reader, KH_LIT(">"))) {
			reader->at += tag->empty ? 2 : 1;
			return KH_OK;
		}
		if (!blank)
			return SYNTAX(reader, "white space, '>' or '/>' was expected");
		enum kh_err e = read_attribute(reader, tag);
		if (e != KH_OK)
			return e;
	}
}

/* True at "<block" followed by something that ends the name. */
static bool at_block(const struct reader *reader)
{
	size_t next = reader->at + sizeof("<block") - 1;

	return looking_at(reader, KH_LIT("<block")) && next < reader->text.n &&
	       (kh_ascii_is_blank(reader->text.p[next]) || reader->text.p[next] == '>' || reader->text.p[next] == '/');
}

/* Reads from the end of the tag to the end of "</block>". */
static enum kh_err read_content(struct reader *reader, struct kh_view *ret_content)
{
	size_t from = reader->at;
	const char *hit = from < reader->text.n ? memchr(reader->text.p + from, '<', reader->text.n - from) : NULL;

	reader->at = hit ? (size_t)(hit - reader->text.p) : reader->text.n;
	if (hit == NULL)
		return SYNTAX(reader, "the block does not end");
	if (at_block(reader))
		return kh_error_at(reader->err, KH_EINPUT, "xml_nesting", reader->at, "a block inside a block");
	if (!looking_at(reader, KH_LIT("</block")))
		return SYNTAX(reader, "markup inside a block: no element, comment, CDATA or instruction is read there");
	size_t bracket = kh_view_find(kh_view_sub(reader->text, 0, reader->at), KH_LIT("]]>"), from);
	if (bracket != SIZE_MAX) {
		reader->at = bracket;
		return SYNTAX(reader, "\"]]>\" in content");
	}
	enum kh_err e = decode(reader, from, reader->at, false, ret_content);
	if (e != KH_OK)
		return e;
	reader->at += sizeof("</block") - 1;
	skip_blanks(reader);
	if (!looking_at(reader, KH_LIT(">")))
		return SYNTAX(reader, "'>' was expected");
	reader->at++;
	return KH_OK;
}

static enum kh_err bad_value(struct reader *reader, const struct tag *tag, enum attribute i, const char *want)
{
	struct kh_view quoted = kh_arena_quote(reader->arena, tag->values[i]);

	return kh_error_at(reader->err, KH_EINPUT, "bad_value", tag->start, "%s is %.*s, expected %s", names.at[i],
			   KH_FMT(quoted), want);
}

static enum kh_err read_labels(struct reader *reader, const struct tag *tag, struct kh_block_spec *spec)
{
	for (size_t i = ID; i <= TYPE; i++) {
		if (tag->values[i].p == NULL)
			return kh_error_at(reader->err, KH_EINPUT, "xml_missing", tag->start, "the block has no %s",
					   names.at[i]);
	}
	if (!kh_words_parse(&kh_label_trust_words, tag->values[TRUST], &spec->trust))
		return bad_value(reader, tag, TRUST, "trusted, vetted or untrusted");
	if (!kh_words_parse(&kh_label_type_words, tag->values[TYPE], &spec->type))
		return bad_value(reader, tag, TYPE, "instruction or data");
	if (tag->values[TAINT].p != NULL && !kh_words_parse(&kh_label_taint_words, tag->values[TAINT], &spec->taint))
		return bad_value(reader, tag, TAINT, "low, medium or high");
	if (tag->values[CREATED_AT].p != NULL && !kh_timestamp_parse(tag->values[CREATED_AT], &spec->created_at))
		return bad_value(reader, tag, CREATED_AT, "a time like 2026-01-31T10:30:00Z");
	return KH_OK;
}

/* "b1,b2" */
static enum kh_err read_references(struct reader *reader, struct kh_view list, struct kh_block_spec *spec)
{
	size_t n = 1;

	if (list.n == 0)
		return KH_OK;
	for (size_t i = 0; i < list.n; i++)
		n += list.p[i] == ',';
	struct kh_view *ids = KH_NEW_N(reader->arena, struct kh_view, n);
	if (ids == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < n && kh_view_split(&list, ',', &ids[i]); i++)
		;
	spec->tainted_by = ids;
	spec->tainted_by_count = n;
	return KH_OK;
}

static enum kh_err read_block(struct reader *reader)
{
	struct kh_block_spec spec = {.content = KH_LIT("")};
	struct tag tag;
	enum kh_err e = read_tag(reader, &tag);

	if (e == KH_OK && !tag.empty)
		e = read_content(reader, &spec.content);
	if (e == KH_OK)
		e = read_labels(reader, &tag, &spec);
	if (e == KH_OK)
		e = read_references(reader, tag.values[TAINTED_BY], &spec);
	if (e != KH_OK)
		return e;
	spec.id = tag.values[ID];
	spec.source = tag.values[SOURCE];
	e = kh_blocks_add(reader->set, &spec, reader->err);
	if (e != KH_OK && e != KH_ENOMEM && reader->err != NULL)
		reader->err->offset = tag.start;
	return e;
}

/* Refuses characters that XML does not allow unescaped, because every other parser refuses them. */
static enum kh_err check_characters(struct reader *reader)
{
	size_t len;
	uint32_t c;

	for (reader->at = 0; reader->at < reader->text.n; reader->at += len) {
		len = kh_utf8_decode(reader->text, reader->at, &c);
		if (len == 0)
			return kh_error_at(reader->err, KH_EINPUT, "bad_utf8", reader->at, "not valid UTF-8");
		if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0xfffe || c == 0xffff)
			return SYNTAX(reader, "the character U+%04X stands there raw", (unsigned)c);
	}
	reader->at = 0;
	return KH_OK;
}

enum kh_err kh_xml_read(struct kh_blocks *set, struct kh_view text, struct kh_error *err)
{
	struct reader reader = {.set = set, .arena = set->arena, .text = text, .err = err};
	enum kh_err e = check_characters(&reader);

	while (e == KH_OK) {
		skip_blanks(&reader);
		if (reader.at == text.n)
			break;
		if (at_block(&reader))
			e = read_block(&reader);
		else if (looking_at(&reader, KH_LIT("<!--")))
			e = read_comment(&reader);
		else
			e = SYNTAX(&reader, "only blocks, white space and comments are read");
	}
	return e;
}
