/* Templates of commands.  The operator wrote the template, an agent chose the arguments. */
#include "core/policy/template.h"

#include "base/buf.h"

#define HIGHEST 999

/* The number of the next `{n}` in TEXT at or after *AT, which is moved to its brace, with its length in *RET_N; 0 if
 * there is none. */
static size_t next_place(struct kh_view text, size_t *at, size_t *ret_n)
{
	for (size_t i = *at; i < text.n; i++) {
		size_t number = 0, end = i + 1;
		if (text.p[i] != '{')
			continue;
		while (end < text.n && kh_ascii_is_digit(text.p[end]) && number <= HIGHEST)
			number = number * 10 + (size_t)(text.p[end++] - '0');
		if (number == 0 || number > HIGHEST || end == text.n || text.p[end] != '}' || text.p[i + 1] == '0')
			continue;
		*at = i;
		*ret_n = end + 1 - i;
		return number;
	}
	return 0;
}

size_t kh_template_arity(const struct kh_policy_command *command)
{
	size_t arity = 0;

	for (size_t i = 1; i < command->argv.n; i++) {
		size_t at = 0, n = 0, number;
		while ((number = next_place(command->argv.at[i], &at, &n)) > 0) {
			arity = number > arity ? number : arity;
			at += n;
		}
	}
	return arity;
}

/* Fills in one argument of the template. */
static enum kh_err fill_one(struct kh_arena *arena, struct kh_view text, yyjson_val *args, struct kh_view *ret_argument)
{
	size_t at = 0, from = 0, n = 0, number = next_place(text, &at, &n);
	struct kh_buf out;

	if (number == 0) {
		*ret_argument = text;
		return KH_OK;
	}
	kh_buf_init(&out, arena, SIZE_MAX / 2);
	for (; number > 0; number = next_place(text, &at, &n)) {
		kh_buf_add(&out, kh_view_sub(text, from, at));
		kh_buf_add(&out, kh_json_str(yyjson_arr_get(args, number - 1)));
		from = at += n;
	}
	kh_buf_add(&out, kh_view_from(text, from));
	enum kh_err e = kh_buf_end(&out, ret_argument);
	return e == KH_ELIMIT ? KH_ENOMEM : e;
}

/* True if TEXT begins with a `{n}` and FILLED with a dash, so that it could be taken for an option. */
static bool is_option(struct kh_view text, struct kh_view filled)
{
	size_t at = 0, n = 0;

	return next_place(text, &at, &n) > 0 && at == 0 && filled.n > 0 && filled.p[0] == '-';
}

static enum kh_err check_args(const struct kh_policy_command *command, yyjson_val *args, struct kh_error *err)
{
	size_t arity = kh_template_arity(command), given = args != NULL ? yyjson_arr_size(args) : 0;

	if (args != NULL && !yyjson_is_arr(args))
		return kh_error_set(err, KH_EREFUSED, "bad_arguments", "args is no list");
	if (given != arity)
		return kh_error_set(err, KH_EREFUSED, "bad_arguments", "the command takes %zu arguments, and %zu came",
				    arity, given);
	for (size_t i = 0; i < given; i++) {
		struct kh_view text = kh_json_str(yyjson_arr_get(args, i));
		if (text.p == NULL || memchr(text.p, '\0', text.n) != NULL)
			return kh_error_set(err, KH_EREFUSED, "bad_arguments",
					    "argument %zu is no text, or holds a NUL character", i + 1);
	}
	return KH_OK;
}

enum kh_err kh_template_fill(struct kh_arena *arena, const struct kh_policy_command *command, yyjson_val *args,
			     struct kh_view **ret_argv, size_t *ret_argc, struct kh_error *err)
{
	struct kh_view *argv = KH_NEW_N(arena, struct kh_view, command->argv.n + 1);
	enum kh_err e = check_args(command, args, err);
	bool options = true; /* no `--` so far */

	if (argv == NULL)
		return kh_error_set(err, KH_ENOMEM, NULL, "no memory is left");
	for (size_t i = 0; e == KH_OK && i < command->argv.n; i++) {
		struct kh_view text = command->argv.at[i];
		if (i == 0)
			argv[i] = text; /* only the operator names the program */
		else
			e = fill_one(arena, text, args, &argv[i]);
		if (e == KH_OK && i > 0 && options && is_option(text, argv[i]))
			e = kh_error_set(
				err, KH_EREFUSED, "bad_arguments",
				"an argument begins with a dash where the command could take it for an option");
		options = options && !kh_view_eq(text, KH_LIT("--"));
	}
	if (e != KH_OK)
		return e;
	*ret_argv = argv;
	*ret_argc = command->argv.n;
	return KH_OK;
}
