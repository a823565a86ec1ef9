/* Lists.  What others wrote in them is a value in one line of a table, or a string of JSON. */
#include "cli/listing.h"

#define PAGES 10000 /* more than any store fills; a gateway that is none could go on for ever */

/* Joins all pages. */
static enum kh_err gather(struct kh_frame *f, kh_engine_fn *fn, struct kh_page *page, yyjson_mut_doc *doc,
			  yyjson_mut_val *list)
{
	yyjson_val *items = NULL, *item;
	size_t i, max, pages = 0;

	do {
		if (pages++ == PAGES)
			return kh_error_set(&f->err, KH_EREFUSED, "gateway_strange", "the list has more than %d pages",
					    PAGES);
		enum kh_err e = kh_frame_call(f, fn, page);
		if (e == KH_OK)
			e = kh_json_read(&f->arena, page->json, &items, &f->err);
		if (e != KH_OK)
			return e;
		yyjson_arr_foreach (items, i, max, item)
			yyjson_mut_arr_append(list, yyjson_val_mut_copy(doc, item));
		if (page->next.n > 0 && kh_view_eq(page->next, page->after))
			return kh_error_set(&f->err, KH_EREFUSED, "gateway_strange",
					    "a page of the list names itself as the next");
		page->after = page->next;
	} while (page->after.n > 0);
	return KH_OK;
}

int kh_listing_write(struct kh_frame *f, kh_engine_fn *fn, struct kh_page *page, const char *key, const char *columns,
		     const char *nothing)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	struct kh_buf buf = kh_frame_buf(f);
	yyjson_val *all;

	if (gather(f, fn, page, doc, list) != KH_OK)
		return kh_frame_fail(f);
	if (f->options.json)
		return kh_frame_list(f, key, doc, list);
	if (kh_json_freeze(&f->arena, list, &all, &f->err) != KH_OK)
		return kh_frame_fail(f);
	kh_table_list(&buf, all, columns, nothing);
	return kh_frame_text(f, &buf);
}
