/*
 * What all fuzz targets share.  A target is one file fuzz_x.c with LLVMFuzzerTestOneInput(); clang's libFuzzer drives
 * it in build-fuzz/ (tools/soak), and replay.c drives it over the files of corpus/ in every other build (make test).
 * A target trusts nothing of its input and says with HOLDS() what must be true whatever the input was.
 */
#ifndef KH_TESTS_FUZZ_H
#define KH_TESTS_FUZZ_H

#include "base/json.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv); /* may be left out */

/* Ends the program, as a crash, where an invariant does not hold. */
#define HOLDS(condition) ((condition) ? (void)0 : kh_fuzz_broken(#condition, __FILE__, __LINE__))
void kh_fuzz_broken(const char *condition, const char *file, int line) __attribute__((noreturn));

/* An arena for one input, from malloc chunk by chunk, so that the sanitizers see its ends. */
void kh_fuzz_begin(struct kh_arena *arena);

/* The input as a view; not NULL, also where it is empty. */
struct kh_view kh_fuzz_view(const uint8_t *data, size_t size);

/* One text of several; unlike a format it takes any bytes. */
struct kh_view kh_fuzz_join(struct kh_arena *arena, const struct kh_view *parts, size_t count);

/*
 * The screen over the built-in rules, compiled by the first call and kept.  That takes long under the sanitizers, so a
 * target that screens calls it in its LLVMFuzzerInitialize(), where libFuzzer does not count the time.
 */
struct kh_screen *kh_fuzz_screen(void);

/* I-25: what is shown to people is valid UTF-8 without control or invisible characters. */
void kh_fuzz_showable(struct kh_view text);
void kh_fuzz_reasons(const struct kh_reasons *list);
void kh_fuzz_error(const struct kh_error *err);

/* Text to deliver: valid UTF-8, nothing invisible, single spaces between words and none at the ends, not empty. */
void kh_fuzz_delivered(struct kh_view text);

/* A folder of this process, in memory if possible: made by the first call, removed at exit.  Empty removes what is in it. */
const char *kh_fuzz_folder(void);
void kh_fuzz_empty(void);

#endif
