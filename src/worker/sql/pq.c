/* Finds libpq's functions by name.  The library stays loaded: it is the worker's until its end. */
#include "worker/sql/pq.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libpq.so.5"

#define FUNCTION(name)                                   \
	{                                                \
		"PQ" #name, offsetof(struct kh_pq, name) \
	}

static const struct {
	const char *name;
	size_t at;
} functions[] = {
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
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (library == NULL)
		return kh_error_set(err, KH_EREFUSED, "libpq",
				    LIBRARY " cannot be loaded: PostgreSQL needs the package libpq5");
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(library, functions[i].name);
		if (function == NULL)
			return kh_error_set(err, KH_EREFUSED, "libpq", LIBRARY " has no %s", functions[i].name);
		memcpy((char *)ret_pq + functions[i].at, &function, sizeof(function));
	}
	return KH_OK;
}
