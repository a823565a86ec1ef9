/* The list of findings.  Offsets and codes come from this folder's own code. */
#include "core/screen/findings.h"

#define MOST 256 /* kept at the end */

static bool is_known(const struct kh_findings *list, const char *rule, size_t start, size_t end)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct kh_finding *f = &list->at[i];
		if (f->rule == rule && start < f->end && f->start < end)
			return true;
	}
	return false;
}

void kh_findings_add(struct kh_findings *list, struct kh_arena *arena, const struct kh_form *form, const char *code,
		     const char *rule, enum kh_severity severity, size_t a, size_t b)
{
	struct kh_finding f = {.code = code, .rule = rule, .severity = severity, .layer_count = form->layer_count};

	kh_form_span(form, a, b, &f.start, &f.end);
	if (is_known(list, rule, f.start, f.end))
		return;
	struct kh_finding *at = kh_arena_more(arena, list->at, list->n, &list->cap, sizeof(*at));
	if (at == NULL)
		return;
	memcpy(f.layers, form->layers, sizeof(f.layers));
	if (form->layer_count > 0)
		f.decoded = form->text;
	list->at = at;
	list->at[list->n++] = f;
}

typedef int order_fn(const struct kh_finding *a, const struct kh_finding *b);

static int worse(const struct kh_finding *a, const struct kh_finding *b)
{
	return (a->severity < b->severity) - (a->severity > b->severity);
}

static int earlier(const struct kh_finding *a, const struct kh_finding *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return strcmp(a->rule, b->rule);
}

/* Plain insertion sort is enough, because findings are few and mostly in order. */
static void sort(struct kh_findings *list, order_fn *order)
{
	for (size_t i = 1; i < list->n; i++) {
		struct kh_finding f = list->at[i];
		size_t j = i;
		for (; j > 0 && order(&list->at[j - 1], &f) > 0; j--)
			list->at[j] = list->at[j - 1];
		list->at[j] = f;
	}
}

void kh_findings_end(struct kh_findings *list)
{
	sort(list, worse);
	if (list->n > MOST)
		list->n = MOST;
	list->severity = list->n > 0 ? list->at[0].severity : KH_SEVERITY_NONE;
	sort(list, earlier);
}

bool kh_findings_is_scheme(const struct kh_finding *finding, struct kh_view uri, size_t at)
{
	return kh_view_starts(uri, KH_LIT("file:")) && finding->start == at && finding->layer_count == 0 &&
	       strcmp(finding->rule, "script_url") == 0;
}
