/* The driver: opens the blocks, passes each question to the finder of its format, writes the response. */
#include "reader/extract.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "reader/choose.h"
#include "reader/find_address.h"
#include "reader/find_date.h"
#include "reader/find_listed.h"
#include "reader/find_name.h"
#include "reader/find_number.h"
#include "reader/lead.h"
#include "reader/listing.h"

static yyjson_mut_val *write_fields(struct kh_arena *arena, yyjson_mut_doc *doc, const struct kh_query *query,
				    const struct kh_tokens *tokens)
{
	yyjson_mut_val *fields = yyjson_mut_obj(doc);
	const int64_t *values = kh_choose_fields(arena, tokens, query->fields, query->field_count);

	for (size_t i = 0; values != NULL && i < query->field_count; i++) {
		const struct kh_field *field = &query->fields[i];
		yyjson_mut_val *value = field->type == KH_FIELD_BOOLEAN ? yyjson_mut_bool(doc, values[i] != 0)
					: field->type == KH_FIELD_INTEGER
						? yyjson_mut_sint(doc, values[i])
						: yyjson_mut_strn(doc, field->values[values[i]].p,
								  field->values[values[i]].n);
		yyjson_mut_obj_add(fields, yyjson_mut_strn(doc, field->name.p, field->name.n), value);
	}
	return fields;
}

static kh_spot_finder *const finders[KH_FORMAT_COUNT] = {
	[KH_FORMAT_PERSON_NAME] = kh_find_name_person,
	[KH_FORMAT_DATE] = kh_find_date_day,
	[KH_FORMAT_TIME] = kh_find_date_clock,
	[KH_FORMAT_DATETIME] = kh_find_date_both,
	[KH_FORMAT_EMAIL] = kh_find_address_mail,
	[KH_FORMAT_PHONE] = kh_find_address_phone,
	[KH_FORMAT_INTEGER] = kh_find_number_whole,
	[KH_FORMAT_NUMBER] = kh_find_number_any,
	[KH_FORMAT_AMOUNT] = kh_find_number_amount,
	[KH_FORMAT_YES_NO] = kh_choose_yes,
	[KH_FORMAT_COUNTRY] = kh_find_listed_country,
	[KH_FORMAT_LANGUAGE] = kh_find_listed_language,
	[KH_FORMAT_IDENTIFIER] = kh_find_address_identifier,
	[KH_FORMAT_SHORT_LIST] = kh_listing_find,
	[KH_FORMAT_SHORT_TEXT] = kh_lead_text,
};

static yyjson_mut_val *write_answers(struct kh_arena *arena, yyjson_mut_doc *doc, const struct kh_query *query,
				     const struct kh_tokens *tokens)
{
	yyjson_mut_val *answers = yyjson_mut_arr(doc);
	const struct kh_mail mail = kh_mail_read(tokens);

	for (size_t i = 0; i < query->question_count && !arena->failed; i++) {
		const struct kh_question *question = &query->questions[i];
		struct kh_spot spot;
		struct kh_view text = KH_LIT("");
		kh_spot_init(&spot, arena, tokens, &mail, question->text);
		spot.max_words = question->max_words;
		bool found = !arena->failed && finders[question->format](&spot, &text);
		if (!found || arena->failed || text.n == 0 || kh_utf8_invalid(text) != SIZE_MAX)
			continue;
		yyjson_mut_val *one = yyjson_mut_obj(doc);
		kh_json_add(doc, one, "id", question->id);
		kh_json_add(doc, one, "answer", text);
		yyjson_mut_arr_append(answers, one);
	}
	return answers;
}

enum kh_err kh_extract_respond(struct kh_arena *arena, const struct kh_query *query, struct kh_view text,
			       struct kh_view *ret_json)
{
	const struct kh_tokens tokens = kh_tokens_cut(arena, text);
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = doc != NULL ? yyjson_mut_obj(doc) : NULL;
	enum kh_err e = kh_arena_check(arena);

	if (e != KH_OK)
		return e;
	if (query->category == 1) {
		yyjson_mut_obj_add_val(doc, root, "fields", write_fields(arena, doc, query, &tokens));
	} else if (query->category == 2) {
		yyjson_mut_obj_add_val(doc, root, "answers", write_answers(arena, doc, query, &tokens));
	} else {
		struct kh_view summary = kh_lead_summary(arena, &tokens, query->max_words);
		if (summary.n > 0 && kh_utf8_invalid(summary) == SIZE_MAX)
			kh_json_add(doc, root, "summary", summary);
	}
	e = kh_arena_check(arena);
	return e == KH_OK ? kh_json_write(arena, root, ret_json) : e;
}

/* All blocks as one text, separated as paragraphs.  Only here does this Reader open sealed content. */
static struct kh_view open_blocks(struct kh_arena *arena, const struct kh_reader_ask *ask)
{
	struct kh_buf out;
	struct kh_view text = KH_LIT("");

	if (ask->block_count == 1)
		return kh_tainted_open(ask->blocks[0].content);
	kh_buf_init(&out, arena, KH_TOKENS_BYTES);
	for (size_t i = 0; i < ask->block_count; i++) {
		/* Content that does not fit is not read. */
		size_t room = KH_TOKENS_BYTES - out.n;
		if (i > 0 && room > 2)
			kh_buf_lit(&out, "\n\n");
		kh_buf_add(&out, kh_view_sub(kh_tainted_open(ask->blocks[i].content), 0, KH_TOKENS_BYTES - out.n));
	}
	return kh_buf_end(&out, &text) == KH_OK ? text : KH_LIT("");
}

static enum kh_err ask_extract(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *ask,
			       struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault,
			       struct kh_view *ret_detail)
{
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_view response;
	enum kh_err e = kh_reader_prove(arena, ask, &err);

	(void)reader;
	if (e == KH_ECHANGED) {
		*ret_response = kh_tainted_wrap(KH_LIT(""));
		*ret_fault = KH_READER_CHANGED;
		*ret_detail = kh_arena_printf(arena, "%s", err.detail);
		return kh_arena_check(arena);
	}
	if (e != KH_OK)
		return e;
	e = kh_extract_respond(arena, ask->query, open_blocks(arena, ask), &response);
	if (e != KH_OK)
		return e;
	*ret_response = kh_tainted_wrap(response);
	*ret_fault = KH_READER_OK;
	*ret_detail = KH_LIT("");
	return KH_OK;
}

const struct kh_reader_driver kh_reader_extract = {.name = "extract", .pure = true, .quick = true, .ask = ask_extract};
