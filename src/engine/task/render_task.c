/* How a task stands after a call. */
#include "engine/task/render_task.h"

static yyjson_mut_val *render(yyjson_mut_doc *doc, struct kh_view task, const char *key, const char *word)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	kh_json_add(doc, obj, "task", task);
	yyjson_mut_obj_add_str(doc, obj, key, word);
	return obj;
}

yyjson_mut_val *kh_render_task_opened(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_task_open *opened)
{
	const struct kh_task_row *row = opened->row;
	yyjson_mut_val *obj = render(doc, opened->id, "phase", kh_words_name(&kh_phase_words, row->phase));

	yyjson_mut_obj_add_uint(doc, obj, "bits", row->budget.budget / KH_MICROBIT);
	kh_json_add(doc, obj, "words", kh_budget_words(arena, &row->budget));
	yyjson_mut_val *readers = yyjson_mut_obj_add_arr(doc, obj, "readers");
	for (size_t i = 0; i < opened->reader_count; i++)
		yyjson_mut_arr_add_strn(doc, readers, opened->readers[i].p, opened->readers[i].n);
	return obj;
}

yyjson_mut_val *kh_render_task_closed(yyjson_mut_doc *doc, const struct kh_task_close *closed)
{
	return render(doc, closed->task, "state", kh_words_name(&kh_rows_task_words, closed->row->state));
}

yyjson_mut_val *kh_render_task_executed(yyjson_mut_doc *doc, const struct kh_execute *executed)
{
	yyjson_mut_val *obj = render(doc, executed->task, "phase",
				     kh_words_name(&kh_phase_words, executed->row->phase));

	if (executed->approval.n > 0)
		kh_json_add(doc, obj, "approval", executed->approval);
	return obj;
}
