/* The tour's questions about a sealed page: answers of each category, a compromised Reader, an exhausted budget. */
#ifndef KH_CLI_TOUR_READER_H
#define KH_CLI_TOUR_READER_H

#include "cli/tour/stage.h"

/* Categories 1 and 2, answered by the built-in Reader. */
void kh_tour_reader_ask(struct kh_stage *s, const char *task);

/* A Reader that does what the page says. */
void kh_tour_reader_turned(struct kh_stage *s, const char *task);

/* Category 3: approved twice, edited. */
void kh_tour_reader_summary(struct kh_stage *s);

/* Asks about PAGE, a file of the tour's folder, in a second task with few bits. */
void kh_tour_reader_budget(struct kh_stage *s, const char *task);

#endif
