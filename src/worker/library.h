/*
 * Libraries that are loaded at run time, only by the worker that needs them.
 *
 * The executor and the first processes of its sandboxes run the same program.  They have none of the forty libraries
 * that libcurl alone brings with it: this keeps code out of them that they do not need, and makes starting a sandbox
 * cheaper.
 */
#ifndef KH_WORKER_LIBRARY_H
#define KH_WORKER_LIBRARY_H

#include "base/error.h"

/* A function or an object of a library, and the offset in a struct at which its address is stored. */
struct kh_library_symbol {
	const char *name;
	size_t at;
};

struct kh_library {
	const char *file; /* "libcurl.so.4" */
	const char *code; /* error code if it is missing */
	const char *need; /* what it is for, or which package has it, after "cannot be loaded"; may be empty */
	const struct kh_library_symbol *symbols;
	size_t count;
};

/*
 * Loads LIBRARY, which stays loaded, and fills in the addresses in RET_SYMBOLS, a struct of pointers.  KH_EREFUSED with
 * the library's code if it is missing or lacks a symbol.
 */
enum kh_err kh_library_load(const struct kh_library *library, void *ret_symbols, struct kh_error *err) KH_CHECKED;

/* The same, with the members of LIBRARY as arguments; SYMBOLS is an array. */
#define KH_LIBRARY_LOAD(file, code, need, symbols, ret_symbols, err)                                                   \
	kh_library_load(&(const struct kh_library){file, code, need, symbols, sizeof(symbols) / sizeof((symbols)[0])}, \
			ret_symbols, err)

#endif
