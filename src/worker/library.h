/*
 * Libraries that are loaded when they are needed: by the worker that needs them, and by nobody else.
 *
 * The executor and the first processes of its sandboxes run the same program.  That they have none of the forty
 * libraries that libcurl alone brings with it keeps code out of them that has no business there, and makes starting a
 * sandbox cheaper.
 */
#ifndef KH_WORKER_LIBRARY_H
#define KH_WORKER_LIBRARY_H

#include "base/error.h"

/* A function or an object of a library, and where in a struct its address goes. */
struct kh_library_symbol {
	const char *name;
	size_t at;
};

struct kh_library {
	const char *file; /* "libcurl.so.4" */
	const char *code; /* of the error if it is not there */
	const char *need; /* what it is for, or which package has it, after "cannot be loaded"; may be empty */
	const struct kh_library_symbol *symbols;
	size_t count;
};

/*
 * Loads LIBRARY, which stays loaded, and fills in the addresses in RET_SYMBOLS, a struct of pointers.  KH_EREFUSED with
 * the library's code if it is not there or lacks a symbol.
 */
enum kh_err kh_library_load(const struct kh_library *library, void *ret_symbols, struct kh_error *err) KH_CHECKED;

#endif
