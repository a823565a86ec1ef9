/* The prompts, from the core.  Opens nothing. */
#include "cli/prompts.h"

#include "core/block/prompt.h"

static void add(yyjson_mut_doc *doc, yyjson_mut_val *obj, const struct kh_prompt *prompt)
{
	yyjson_mut_obj_add_str(doc, obj, "name", prompt->name);
	yyjson_mut_obj_add_str(doc, obj, "description", prompt->description);
}

static int print_list(struct kh_frame *f)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	struct kh_buf buf = kh_frame_buf(f);
	size_t count;
	const struct kh_prompt *prompts = kh_prompt_all(&count);

	for (size_t i = 0; i < count; i++) {
		add(doc, yyjson_mut_arr_add_obj(doc, list), &prompts[i]);
		kh_buf_printf(&buf, "%-16s  %s\n", prompts[i].name, prompts[i].description);
	}
	return f->options.json ? kh_frame_list(f, "prompts", doc, list) : kh_frame_text(f, &buf);
}

int kh_prompts_run(struct kh_frame *f)
{
	if (f->count == 0)
		return print_list(f);
	const struct kh_prompt *prompt = kh_prompt_find(kh_view_str(f->words[0]));
	if (prompt == NULL) {
		kh_error_set(&f->err, KH_EUNKNOWN, "unknown", "there is no such prompt; `keyhole prompt` lists them");
		return kh_frame_fail(f);
	}
	if (f->options.json) {
		yyjson_mut_doc *doc = kh_json_new(&f->arena);
		yyjson_mut_val *obj = yyjson_mut_obj(doc);
		add(doc, obj, prompt);
		kh_json_add(doc, obj, "text", prompt->text);
		return kh_frame_object(f, obj);
	}
	struct kh_buf buf = kh_frame_buf(f);
	kh_buf_add(&buf, prompt->text);
	if (!kh_view_ends(prompt->text, KH_LIT("\n")))
		kh_buf_byte(&buf, '\n');
	return kh_frame_text(f, &buf);
}
