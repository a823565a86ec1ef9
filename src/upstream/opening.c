/* The opening of a message, read byte by byte: the form is fixed, so there is nothing to search for. */
#include "upstream/opening.h"

static bool skip(struct kh_view *at, struct kh_view text)
{
	if (!kh_view_starts(*at, text))
		return false;
	*at = kh_view_from(*at, text.n);
	return true;
}

/* The string that AT begins with, without its quotes. */
static bool take_string(struct kh_view *at, struct kh_view *ret_text)
{
	size_t i = 1;

	if (at->n == 0 || at->p[0] != '"')
		return false;
	while (i < at->n && at->p[i] != '"' && (unsigned char)at->p[i] >= ' ')
		i += at->p[i] == '\\' ? 2 : 1;
	if (i >= at->n || at->p[i] != '"')
		return false;
	*ret_text = kh_view_of(at->p + 1, i - 1);
	*at = kh_view_from(*at, i + 1);
	return true;
}

/* An id as JSON: a string with its quotes, or an integer. */
static bool take_id(struct kh_view *at, struct kh_view *ret_id)
{
	const char *begin = at->p;
	struct kh_view text;
	size_t n = 0;

	if (take_string(at, &text)) {
		*ret_id = kh_view_of(begin, text.n + 2);
		return ret_id->n <= KH_RPC_ID;
	}
	while (n < at->n && ((at->p[n] >= '0' && at->p[n] <= '9') || (n == 0 && at->p[n] == '-')))
		n++;
	*ret_id = kh_view_of(begin, n);
	*at = kh_view_from(*at, n);
	return n > 0 && n <= 20 && begin[n - 1] != '-';
}

bool kh_opening_read(struct kh_view line, struct kh_opening *ret_opening)
{
	struct kh_opening opening = {.kind = KH_RPC_NOTIFICATION};

	if (line.n == 0 || line.p[line.n - 1] != '}' || !skip(&line, KH_LIT("{\"jsonrpc\":\"2.0\",")))
		return false;
	if (skip(&line, KH_LIT("\"id\":"))) {
		if (!take_id(&line, &opening.id) || !skip(&line, KH_LIT(",")))
			return false;
		opening.kind = KH_RPC_REQUEST;
	}
	if (skip(&line, KH_LIT("\"method\":"))) {
		if (!take_string(&line, &opening.method) ||
		    (line.n > 1 && !kh_view_starts(line, KH_LIT(",\"params\":{"))))
			return false;
		if (line.n > 1)
			opening.params = kh_view_sub(line, sizeof(",\"params\":") - 1, line.n - 1);
	} else if (skip(&line, KH_LIT("\"error\":")) || (opening.id.n > 0 && skip(&line, KH_LIT("\"result\":")))) {
		opening.kind = KH_RPC_RESPONSE;
	} else {
		return false;
	}
	*ret_opening = opening;
	return true;
}
