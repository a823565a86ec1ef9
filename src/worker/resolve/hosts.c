/* The hosts file.  It is the machine's own, but malformed lines do no harm. */
#include "worker/resolve/hosts.h"

/* Takes the next word off *REST; false if there is none. */
static bool next_word(struct kh_view *rest, struct kh_view *ret_word)
{
	struct kh_view line = kh_view_trim(*rest);
	size_t n = 0;

	while (n < line.n && !kh_ascii_is_blank(line.p[n]))
		n++;
	*ret_word = kh_view_sub(line, 0, n);
	*rest = kh_view_from(line, n);
	return n > 0;
}

size_t kh_hosts_find(struct kh_view text, struct kh_view name, size_t most, struct kh_address *ret_addresses)
{
	struct kh_view line, address, word;
	size_t found = 0;

	while (found < most && kh_view_split(&text, '\n', &line)) {
		line = kh_view_sub(line, 0, kh_view_find(line, KH_LIT("#"), 0));
		if (!next_word(&line, &address))
			continue;
		bool named = false;
		while (!named && next_word(&line, &word))
			named = kh_view_eq_nocase(word, name);
		if (named && kh_address_read(address, &ret_addresses[found]))
			found++;
	}
	return found;
}
