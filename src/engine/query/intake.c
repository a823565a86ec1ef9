/* Reads a query before it is admitted.  The query comes from a Controller. */
#include "engine/query/intake.h"

#include "core/bcp/lint.h"
#include "engine/approval/subject.h"

static enum kh_err read_query(struct kh_arena *arena, yyjson_val *in, struct kh_admit_read *read)
{
	struct kh_reasons errors;

	kh_reasons_init(&errors, arena);
	enum kh_err e = kh_canonical_json(arena, in, &read->body, &read->err);
	if (e == KH_OK && read->body.n > KH_QUERY_BYTES)
		e = kh_error_set(&read->err, KH_ELIMIT, "too_large", "a query has at most %d bytes", KH_QUERY_BYTES);
	if (e == KH_OK)
		e = kh_query_read(arena, in, KH_QUERY_ADMIT, &read->query, &errors);
	if (e == KH_OK && errors.n > 0)
		e = kh_error_reason(&read->err, KH_EREFUSED, &errors);
	return e;
}

enum kh_err kh_intake_read(struct kh_arena *arena, struct kh_admit *admit)
{
	struct kh_admit_read *read = &admit->read;

	*read = (struct kh_admit_read){.advice = KH_ADMIT_NO_ADVICE};
	read->e = read_query(arena, admit->query, read);
	if (read->e != KH_OK || read->query.category == 1) /* no category is lower */
		return KH_OK;
	yyjson_mut_val *advice = kh_lint_query(&read->query, arena, kh_json_new(arena));
	read->advised = yyjson_mut_arr_size(advice) > 0;
	if (read->advised)
		read->e = kh_json_write(arena, advice, &read->advice);
	return KH_OK;
}

enum kh_err kh_intake_prepare(struct kh_prepare *at, void *call)
{
	struct kh_admit *admit = call;
	enum kh_err e = kh_intake_read(at->arena, admit);

	/* B20: a reviewer is shown it. */
	if (e == KH_OK && admit->read.e == KH_OK && admit->read.query.category == 3)
		e = kh_subject_prepare(at, admit->read.query.directive);
	admit->since = at->came;
	const struct kh_reader *reader = kh_engine_reader(at->engine, admit->read.query.target);
	at->rehearse = admit->read.e == KH_OK &&
		       (admit->at_once || admit->read.query.category > 1 || (reader != NULL && reader->outside));
	return e;
}

enum kh_err kh_intake_finish(struct kh_engine *engine, struct kh_arena *arena, void *call, struct kh_error *err)
{
	struct kh_admit *admit = call;

	return kh_ask_finish(engine, arena, &admit->ask, err);
}
