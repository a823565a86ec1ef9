/* Header lines.  Trusts nobody; guarantees that a result lies within the bytes that were given. */
#include "wire/header.h"

bool kh_header_is(struct kh_view line, struct kh_view name, struct kh_view *ret_value)
{
	if (line.n <= name.n || line.p[name.n] != ':' || !kh_view_eq_nocase(kh_view_sub(line, 0, name.n), name))
		return false;
	*ret_value = kh_view_trim(kh_view_from(line, name.n + 1));
	return true;
}

bool kh_header_find(struct kh_view lines, struct kh_view name, struct kh_view *ret_value)
{
	struct kh_view line;

	while (kh_view_split(&lines, '\n', &line))
		if (kh_header_is(line, name, ret_value))
			return true;
	return false;
}
