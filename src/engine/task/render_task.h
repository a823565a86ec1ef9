/* What is told of a task that was opened, closed or executed, as JSON: the same in every interface. */
#ifndef KH_ENGINE_TASK_RENDER_TASK_H
#define KH_ENGINE_TASK_RENDER_TASK_H

#include "base/json.h"
#include "engine/task/task.h"
#include "engine/task/transition.h"

/*
 * {"task", "phase", "bits", "words", "readers"}; {"task", "state"}; {"task", "phase", "approval"?}.  The caller may add more
 * members.  Texts are borrowed; `words` comes from ARENA.
 */
yyjson_mut_val *kh_render_task_opened(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_task_open *opened);
yyjson_mut_val *kh_render_task_closed(yyjson_mut_doc *doc, const struct kh_task_close *closed);
yyjson_mut_val *kh_render_task_executed(yyjson_mut_doc *doc, const struct kh_execute *executed);

#endif
