/* `keyhole task open|show|list|close|add|execute`. */
#ifndef KH_CLI_TASKS_H
#define KH_CLI_TASKS_H

#include "base/buf.h"
#include "base/json.h"

int kh_tasks_open_main(int argc, char **argv);
int kh_tasks_show_main(int argc, char **argv);
int kh_tasks_list_main(int argc, char **argv);
int kh_tasks_close_main(int argc, char **argv);
int kh_tasks_add_main(int argc, char **argv);
int kh_tasks_execute_main(int argc, char **argv);

/* Returns "3811.0 of 4096.0 bits, about 69 short answers left" for the `budget` and `words` of task.show. */
struct kh_view kh_tasks_budget(struct kh_arena *arena, yyjson_val *task);

#endif
