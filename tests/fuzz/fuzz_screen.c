/*
 * The screen (S1-S4): findings in order and inside the text, in each of the ways to read it; never a failure.  The
 * first byte chooses the way, or that only the forms of the text are made.  That it is linear shows in libFuzzer's time
 * limit, not here.
 */
#include "fuzz.h"

#include "core/screen/forms.h"
#include "core/screen/screen.h"

#define FINDINGS_MAX 256

static int compare(const struct kh_finding *a, const struct kh_finding *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return strcmp(a->rule, b->rule);
}

static void check_findings(const struct kh_findings *findings, struct kh_view text)
{
	enum kh_severity worst = KH_SEVERITY_NONE;

	HOLDS(findings->n <= FINDINGS_MAX);
	for (size_t i = 0; i < findings->n; i++) {
		const struct kh_finding *f = &findings->at[i];
		HOLDS(f->code != NULL && f->rule != NULL);
		HOLDS(f->severity > KH_SEVERITY_NONE && f->severity <= KH_SEVERITY_HIGH);
		HOLDS(f->start <= f->end && f->end <= text.n); /* I-14 */
		HOLDS(f->layer_count <= KH_SCREEN_DEPTH + 2);
		for (size_t k = 0; k < f->layer_count; k++)
			HOLDS(f->layers[k] < KH_LAYER_COUNT);
		HOLDS(f->layer_count > 0 || f->decoded.n == 0);
		HOLDS(i == 0 || compare(&findings->at[i - 1], f) <= 0);
		if (f->severity > worst)
			worst = f->severity;
	}
	HOLDS(findings->severity == worst);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	kh_fuzz_screen();
	return 0;
}

/* Folding never makes more than twice as much. */
static enum kh_err on_form(void *ctx, const struct kh_forms_form *form)
{
	size_t *count = ctx;

	HOLDS(form->folded.n <= 2 * form->text.n + 16);
	HOLDS(form->depth <= KH_SCREEN_DEPTH);
	++*count;
	return KH_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum kh_screen_as ways[] = {KH_SCREEN_DOCUMENT, KH_SCREEN_ANSWER, KH_SCREEN_NAME,
						 KH_SCREEN_REVIEWED};
	enum { WAYS = sizeof(ways) / sizeof(ways[0]) };
	struct kh_view text = kh_fuzz_view(data + (size > 0), size - (size > 0));
	size_t way = size > 0 ? data[0] % (WAYS + 1) : 0, count = 0;
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	if (way < WAYS) {
		struct kh_findings findings;
		HOLDS(kh_screen_text(kh_fuzz_screen(), &arena, text, ways[way], &findings) == KH_OK);
		check_findings(&findings, text);
	} else {
		HOLDS(kh_forms_each(&arena, text, on_form, &count) == KH_OK);
		HOLDS(count > 0);
	}
	kh_arena_done(&arena);
	return 0;
}
