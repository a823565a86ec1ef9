/*
 * K1: there is no way to make an untrusted instruction; and the taint of a block is never below what its trust starts
 * with, but for a delivery, which is one step below its Reader's.
 *
 * Every combination of trust, type and taint, with values and words that do not exist among them, goes through every
 * way in: the constructor, the delivery's, the output's, the JSON reader, the XML reader, the table of
 * events, and the context that is assembled for an agent.
 */
#include "core/block/blockjson.h"
#include "core/block/event.h"
#include "core/block/prompt.h"
#include "core/block/taint.h"
#include "core/block/xml.h"
#include "prove.h"

#include <limits.h>

static const unsigned char seed[KH_BLOCKS_SEED] = {1};
static struct kh_arena arena;
static unsigned long made, refused;

/* Numbers for labels: all that there are, and some that there are not. */
static const unsigned numbers[] = {0, 1, 2, 3, 4, 255, INT_MAX, UINT_MAX};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

/* Words for labels: NULL is no label at all. */
static const char *const words[] = {NULL,        "",
				    "trusted",   "vetted",
				    "untrusted", "instruction",
				    "data",      "low",
				    "medium",    "high",
				    "Untrusted", "TRUSTED",
				    "trusted ",  " data",
				    "0",         "instruction,data",
				    "vetted\n",  "untrusted\t",
				    "null",      "true"};
#define WORDS (sizeof(words) / sizeof(words[0]))

static void check_block(const struct kh_block *block)
{
	PROVE(block->trust <= KH_UNTRUSTED && block->type <= KH_DATA && block->taint <= KH_TAINT_HIGH, "no such label");
	PROVE(block->trust != KH_UNTRUSTED || block->type == KH_DATA, "an untrusted instruction");
	made++;
}

static void check_set(const struct kh_blocks *set)
{
	for (size_t i = 0; i < set->n; i++) {
		check_block(set->at[i]);
		PROVE(set->at[i]->taint >= kh_label_initial_taint(set->at[i]->trust), "a taint below its trust's");
	}
}

static struct kh_block_spec spec_of(unsigned trust, unsigned type, unsigned taint)
{
	return (struct kh_block_spec){.id = KH_LIT("b1"),
				      .content = KH_LIT("x"),
				      .trust = (enum kh_trust)trust,
				      .type = (enum kh_type)type,
				      .taint = (enum kh_taint)taint};
}

static void prove_constructor(unsigned trust, unsigned type, unsigned taint)
{
	struct kh_block_spec spec = spec_of(trust, type, taint);
	bool exists = trust <= KH_UNTRUSTED && type <= KH_DATA && taint <= KH_TAINT_HIGH;
	bool wanted = exists && (trust != KH_UNTRUSTED || type == KH_DATA);
	const struct kh_block *block = NULL;
	enum kh_err e = kh_block_make(&arena, &spec, &block, NULL);

	PROVE((e == KH_OK) == wanted && (block != NULL) == wanted, "trust %u, type %u, taint %u", trust, type, taint);
	if (block == NULL) {
		refused++;
		return;
	}
	check_block(block);
	PROVE(block->trust == spec.trust && block->type == spec.type, "other labels than asked for");
	PROVE(block->taint == kh_label_max_taint(spec.taint, kh_label_initial_taint(spec.trust)), "a taint too low");
}

static void prove_delivery(unsigned trust, unsigned type, unsigned taint)
{
	struct kh_block_spec spec = spec_of(trust, type, taint);

	for (size_t i = 0; i < NUMBERS; i++) {
		enum kh_taint reader = (enum kh_taint)numbers[i];
		const struct kh_block *block = NULL;
		enum kh_err e = kh_block_delivery(&arena, &spec, reader, &block, NULL);
		PROVE((e == KH_OK) == (numbers[i] <= KH_TAINT_HIGH), "a Reader's taint of %u", numbers[i]);
		if (block == NULL) {
			refused++;
			continue;
		}
		check_block(block);
		PROVE(block->trust == KH_UNTRUSTED && block->type == KH_DATA, "a delivery is untrusted data");
		PROVE(block->taint == kh_taint_step_down(reader), "a delivery is one step below its Reader");
	}
}

/* An output in a context that holds one block of each trust and taint in turn. */
static void prove_output(unsigned trust, unsigned type, unsigned taint)
{
	for (unsigned given = 0; given < 9; given++) {
		struct kh_block_spec spec = spec_of(given / 3, KH_DATA, given % 3);
		const struct kh_block *block = NULL;
		struct kh_blocks set;
		kh_blocks_init(&set, &arena, seed);
		PROVE(kh_blocks_add(&set, &spec, NULL) == KH_OK, "the context's block");
		enum kh_taint before = set.at[0]->taint;
		spec = spec_of(trust, type, taint);
		spec.id = KH_LIT("b2");
		spec.tainted_by = &set.at[0]->id;
		spec.tainted_by_count = 1;
		enum kh_err e = kh_block_output(&arena, &spec, before, &block, NULL);
		PROVE((e == KH_OK) == (type <= KH_DATA && taint <= KH_TAINT_HIGH), "type %u, taint %u", type, taint);
		if (block == NULL) {
			refused++;
			continue;
		}
		PROVE(kh_blocks_put(&set, block, NULL) == KH_OK, "an output");
		check_set(&set);
		PROVE(block->trust == KH_TRUSTED && block->taint >= before && block->tainted_by_count == 1,
		      "an output below what its context was given");
	}
}

static bool is_label(const char *word, bool required, bool (*parse)(const char *word))
{
	return word == NULL ? !required : parse(word);
}

static bool is_trust(const char *word)
{
	enum kh_trust trust;
	return kh_words_parse(&kh_label_trust_words, kh_view_str(word), &trust);
}

static bool is_type(const char *word)
{
	enum kh_type type;
	return kh_words_parse(&kh_label_type_words, kh_view_str(word), &type);
}

static bool is_taint(const char *word)
{
	enum kh_taint taint;
	return kh_words_parse(&kh_label_taint_words, kh_view_str(word), &taint);
}

/* Whether a reader must take a block with these labels. */
static bool readable(const char *trust, const char *type, const char *taint)
{
	return is_label(trust, true, is_trust) && is_label(type, true, is_type) && is_label(taint, false, is_taint) &&
	       (strcmp(trust, "untrusted") != 0 || strcmp(type, "data") == 0);
}

static void prove_json(const char *trust, const char *type, const char *taint)
{
	yyjson_mut_doc *doc = kh_json_new(&arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_view text;
	struct kh_blocks set;
	yyjson_val *root;

	yyjson_mut_obj_add_str(doc, obj, "id", "b1");
	yyjson_mut_obj_add_str(doc, obj, "content", "x");
	if (trust != NULL)
		yyjson_mut_obj_add_str(doc, obj, "trust", trust);
	if (type != NULL)
		yyjson_mut_obj_add_str(doc, obj, "type", type);
	if (taint != NULL)
		yyjson_mut_obj_add_str(doc, obj, "taint", taint);
	PROVE(kh_json_write(&arena, obj, &text) == KH_OK && kh_json_read(&arena, text, &root, NULL) == KH_OK, "JSON");
	kh_blocks_init(&set, &arena, seed);
	enum kh_err e = kh_blockjson_read(&set, root, NULL);
	PROVE((e == KH_OK) == readable(trust, type, taint), "%.*s", KH_FMT(text));
	PROVE(set.n == (e == KH_OK), "%.*s", KH_FMT(text));
	refused += e != KH_OK;
	check_set(&set);
}

static void prove_xml(const char *trust, const char *type, const char *taint)
{
	struct kh_blocks set;
	struct kh_view text = kh_arena_printf(&arena, "<block id=\"b1\"%s%s%s%s%s%s%s%s%s>x</block>",
					      trust ? " trust=\"" : "", trust ? trust : "", trust ? "\"" : "",
					      type ? " type=\"" : "", type ? type : "", type ? "\"" : "",
					      taint ? " taint=\"" : "", taint ? taint : "", taint ? "\"" : "");

	kh_blocks_init(&set, &arena, seed);
	enum kh_err e = kh_xml_read(&set, text, NULL);
	PROVE((e == KH_OK) == readable(trust, type, taint), "%.*s", KH_FMT(text));
	PROVE(set.n == (e == KH_OK), "%.*s", KH_FMT(text));
	refused += e != KH_OK;
	check_set(&set);
}

static void prove_events(void)
{
	for (unsigned event = 0; event < KH_EVENT_COUNT; event++) {
		for (unsigned user = 0; user <= KH_UNTRUSTED; user++) {
			struct kh_event_label label = kh_event_labels((enum kh_event_kind)event, (enum kh_trust)user);
			PROVE(label.trust != KH_UNTRUSTED || label.type == KH_DATA, "event %u", event);
			prove_constructor(label.trust, label.type, KH_TAINT_LOW);
		}
	}
	PROVED("K1 K3 events: %d events x 3 trusts of user messages", KH_EVENT_COUNT);
}

/* A context with one block of each kind that there is, as it is assembled for an agent. */
static void prove_assembled(void)
{
	struct kh_blocks context, set;

	kh_blocks_init(&context, &arena, seed);
	for (unsigned i = 0; i < 18; i++) {
		struct kh_block_spec spec = spec_of(i / 6, i / 3 % 2, i % 3);
		spec.id = kh_arena_printf(&arena, "b%u", i);
		enum kh_err e = kh_blocks_add(&context, &spec, NULL);
		PROVE((e == KH_OK) == (i / 6 != KH_UNTRUSTED || i / 3 % 2 == KH_DATA), "block %u", i);
	}
	PROVE(context.n == 15, "%zu kinds", context.n);
	PROVE(kh_prompt_assemble(&context, &arena, &set, NULL) == KH_OK && set.n == 16, "the assembled context");
	check_set(&set);
	PROVED("K1 assembled context: the 15 kinds of blocks that there are, behind the security policy");
}

int main(void)
{
	kh_arena_init(&arena, NULL, 256U << 20);
	for (size_t i = 0; i < NUMBERS * NUMBERS * NUMBERS; i++) {
		unsigned trust = numbers[i % NUMBERS], type = numbers[i / NUMBERS % NUMBERS],
			 taint = numbers[i / NUMBERS / NUMBERS];
		prove_constructor(trust, type, taint);
		prove_delivery(trust, type, taint);
		prove_output(trust, type, taint);
		kh_arena_clear(&arena);
	}
	PROVED("K1 constructor, delivery and output: trust, type and taint of 0..4, 255, 2^31-1 and 2^32-1 each (x 8 "
	       "taints of a "
	       "Reader, x 9 contexts): %lu blocks made, %lu refused, no untrusted instruction",
	       made, refused);
	made = refused = 0;
	for (size_t i = 0; i < WORDS * WORDS * WORDS; i++) {
		const char *trust = words[i % WORDS], *type = words[i / WORDS % WORDS],
			   *taint = words[i / WORDS / WORDS];
		prove_json(trust, type, taint);
		prove_xml(trust, type, taint);
		kh_arena_clear(&arena);
	}
	PROVED("K1 K2 JSON and XML reader: %zu words or none for trust, type and taint each: %lu blocks made, %lu "
	       "refused, no "
	       "untrusted instruction",
	       WORDS - 1, made, refused);
	prove_events();
	prove_assembled();
	kh_arena_done(&arena);
	return 0;
}
