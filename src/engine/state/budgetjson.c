/* A budget as JSON, exactly, in bits. */
#include "engine/state/budgetjson.h"

void kh_budgetjson_bits(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, uint64_t microbits)
{
	unsigned long long whole = microbits / KH_MICROBIT, rest = microbits % KH_MICROBIT;
	struct kh_view text = rest != 0 ? kh_arena_printf(op->arena, "%llu.%06llu", whole, rest)
					: kh_arena_printf(op->arena, "%llu", whole);

	while (rest != 0 && text.n > 0 && text.p[text.n - 1] == '0')
		text.n--;
	if (text.p != NULL)
		yyjson_mut_obj_add_val(doc, obj, key, yyjson_mut_rawn(doc, text.p, text.n));
}

void kh_budgetjson_add(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj,
		       const struct kh_limits_budget *limits)
{
	const struct kh_budget *budget = &limits->budget;
	yyjson_mut_val *bits = yyjson_mut_obj_add_obj(doc, obj, "budget");
	yyjson_mut_val *exact = yyjson_mut_obj_add_obj(doc, bits, "microbits");

	kh_budgetjson_bits(op, doc, bits, "bits", limits->limit);
	kh_budgetjson_bits(op, doc, bits, "remaining", budget->remaining);
	yyjson_mut_obj_add_uint(doc, exact, "budget", limits->limit);
	yyjson_mut_obj_add_uint(doc, exact, "remaining", budget->remaining);
	if (kh_op_sees_all(op)) {
		kh_budgetjson_bits(op, doc, bits, "reserved", budget->reserved);
		kh_budgetjson_bits(op, doc, bits, "charged", budget->charged);
		yyjson_mut_obj_add_uint(doc, exact, "reserved", budget->reserved);
		yyjson_mut_obj_add_uint(doc, exact, "charged", budget->charged);
	}
	kh_json_add(doc, obj, "words", kh_budget_words(op->arena, budget));
}
