/* The functions of libpq that are used. */
#include "worker/sql/pq.h"

#include "worker/library.h"

#define FUNCTION(name)                                   \
	{                                                \
		"PQ" #name, offsetof(struct kh_pq, name) \
	}

static const struct kh_library_symbol functions[] = {
	FUNCTION(connectStartParams),
	FUNCTION(connectPoll),
	FUNCTION(status),
	FUNCTION(socket),
	FUNCTION(errorMessage),
	FUNCTION(finish),
	FUNCTION(setNoticeProcessor),
	FUNCTION(setnonblocking),
	FUNCTION(sendQuery),
	FUNCTION(sendQueryParams),
	FUNCTION(setSingleRowMode),
	FUNCTION(flush),
	FUNCTION(consumeInput),
	FUNCTION(isBusy),
	FUNCTION(getResult),
	FUNCTION(resultStatus),
	FUNCTION(resultErrorField),
	FUNCTION(clear),
	FUNCTION(ntuples),
	FUNCTION(nfields),
	FUNCTION(fname),
	FUNCTION(ftype),
	FUNCTION(getisnull),
	FUNCTION(getvalue),
	FUNCTION(getlength),
};

_Static_assert(sizeof(functions) / sizeof(functions[0]) * sizeof(void *) == sizeof(struct kh_pq), "all of them");

enum kh_err kh_pq_load(struct kh_pq *ret_pq, struct kh_error *err)
{
	static const struct kh_library library = {.file = "libpq.so.5",
						  .code = "libpq",
						  .need = ": PostgreSQL needs the package libpq5",
						  .symbols = functions,
						  .count = sizeof(functions) / sizeof(functions[0])};

	return kh_library_load(&library, ret_pq, err);
}
