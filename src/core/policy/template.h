/*
 * Commands as templates (E9): `{1}`, `{2}`, ... in an argument stand for the first, second, ... of a call's own
 * arguments.  Each is put in as one argument or a part of one: nothing is split, and no shell is involved.  Braces
 * around anything but a number are left as they are.  Pure.
 */
#ifndef KH_CORE_POLICY_TEMPLATE_H
#define KH_CORE_POLICY_TEMPLATE_H

#include "base/json.h"
#include "core/policy/policy.h"

/* How many arguments a call of COMMAND takes: the highest number that its template names. */
size_t kh_template_arity(const struct kh_policy_command *command);

/*
 * The program's argv, with the items of ARGS (an array of strings, or NULL for none) in their places.  KH_EREFUSED,
 * code `bad_arguments`: too few, too many, one that is not a text, or one that begins with a dash in the place of an
 * option (the template's argument begins with `{n}`, and no `--` is before it).  The result borrows from both.
 */
enum kh_err kh_template_fill(struct kh_arena *arena, const struct kh_policy_command *command, yyjson_val *args,
			     struct kh_view **ret_argv, size_t *ret_argc, struct kh_error *err) KH_CHECKED;

#endif
