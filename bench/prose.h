/* Harmless English-looking text, made of the public word list: sentences, commas, paragraphs, all ASCII. */
#ifndef KH_BENCH_PROSE_H
#define KH_BENCH_PROSE_H

#include "bench.h"

/* N bytes of it, the same in every run. */
struct kh_view kh_prose_make(size_t n);

/* N bytes of plain narrative: whole sentences that a person could have written, in which nothing asks for anything. */
struct kh_view kh_prose_story(size_t n);

/* The contents of a file; {NULL, 0} where there is none. */
struct kh_view kh_prose_file(const char *path);

#endif
