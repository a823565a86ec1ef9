/* What the linker puts in place of work on content and on text (beforehand.c), for tests that count such work. */
#ifndef KH_TESTS_BEFOREHAND_H
#define KH_TESTS_BEFOREHAND_H

#include <stddef.h>

/* Called with the function's name before each work that is not on the store's thread; NULL: nobody counts. */
extern void (*kh_beforehand_hook)(const char *name);

/* Bytes of sealed content that were loaded, by any thread. */
extern _Atomic(size_t) kh_beforehand_loaded;

#endif
