/* A ClientHello, field by field.  Every length is checked against what is left, and nothing may be left over. */
#include "worker/sni/hello.h"

#define RECORD_HANDSHAKE 22
#define CLIENT_HELLO     1
#define SERVER_NAME      0
#define HOST_NAME        0
#define RANDOM           32
#define SESSION_MAX      32

/* Extensions that carry another ClientHello, or its name, encrypted: the one that became the standard, its drafts, and
 * the older one that encrypted the name alone. */
static const unsigned encrypted[] = {0xfe0d, 0xfe0c, 0xfe0b, 0xfe0a, 0xfe09, 0xfe08, 0xff02, 0xff03, 0xffce};

/* What the extensions say. */
struct seen {
	bool has_name, is_encrypted, is_wrong;
	struct kh_view name;
};

/* Takes a number of SIZE bytes off REST; false if it is too short. */
static bool take_number(struct kh_view *rest, size_t size, size_t *ret_number)
{
	size_t number = 0;

	if (rest->n < size)
		return false;
	for (size_t i = 0; i < size; i++)
		number = number << 8 | (unsigned char)rest->p[i];
	*rest = kh_view_from(*rest, size);
	*ret_number = number;
	return true;
}

static bool take_bytes(struct kh_view *rest, size_t n, struct kh_view *ret_bytes)
{
	if (rest->n < n)
		return false;
	*ret_bytes = kh_view_sub(*rest, 0, n);
	*rest = kh_view_from(*rest, n);
	return true;
}

/* A vector: a length of SIZE bytes, and as many bytes. */
static bool take_vector(struct kh_view *rest, size_t size, struct kh_view *ret_bytes)
{
	size_t n;

	return take_number(rest, size, &n) && take_bytes(rest, n, ret_bytes);
}

/* The extension server_name: a list with one name of the one type that there is. */
static bool read_name(struct kh_view value, struct kh_view *ret_name)
{
	struct kh_view list;
	size_t type;

	return take_vector(&value, 2, &list) && value.n == 0 && take_number(&list, 1, &type) && type == HOST_NAME &&
	       take_vector(&list, 2, ret_name) && ret_name->n > 0 && list.n == 0;
}

static void see_extension(size_t type, struct kh_view value, struct seen *seen)
{
	for (size_t i = 0; i < sizeof(encrypted) / sizeof(encrypted[0]); i++)
		seen->is_encrypted |= type == encrypted[i];
	if (type != SERVER_NAME)
		return;
	/* A second one would leave open which of them the server takes. */
	seen->is_wrong |= seen->has_name || !read_name(value, &seen->name);
	seen->has_name = true;
}

/* The body of a ClientHello, to its end. */
static bool read_body(struct kh_view body, struct seen *seen)
{
	struct kh_view session, ciphers, compressions, extensions, skipped, value;
	size_t version, type;

	if (!take_number(&body, 2, &version) || version >> 8 != 3 || !take_bytes(&body, RANDOM, &skipped) ||
	    !take_vector(&body, 1, &session) || session.n > SESSION_MAX || !take_vector(&body, 2, &ciphers) ||
	    ciphers.n < 2 || ciphers.n % 2 != 0 || !take_vector(&body, 1, &compressions) || compressions.n == 0)
		return false;
	if (body.n == 0)
		return true; /* without extensions, and so without a name */
	if (!take_vector(&body, 2, &extensions) || body.n > 0)
		return false;
	while (extensions.n > 0) {
		if (!take_number(&extensions, 2, &type) || !take_vector(&extensions, 2, &value))
			return false;
		see_extension(type, value, seen);
	}
	return !seen->is_wrong;
}

enum kh_greeting kh_hello_judge(struct kh_view bytes, struct kh_view name)
{
	struct seen seen = {.has_name = false};
	struct kh_view record, body;
	size_t type, version;

	if (!take_number(&bytes, 1, &type) || type != RECORD_HANDSHAKE || !take_number(&bytes, 2, &version) ||
	    version >> 8 != 3)
		return KH_GREETING_NOT_TLS;
	/* From here on it begins as TLS does.  What is not one whole ClientHello may be for any name, and a server may
	 * take it all the same: in two records, with two names. */
	if (!take_vector(&bytes, 2, &record) || bytes.n > 0 || !take_number(&record, 1, &type) ||
	    type != CLIENT_HELLO || !take_vector(&record, 3, &body) || record.n > 0 || !read_body(body, &seen))
		return KH_GREETING_OTHER;
	if (seen.is_encrypted)
		return KH_GREETING_ECH;
	return seen.has_name && kh_view_eq_nocase(seen.name, name) ? KH_GREETING_MATCHES : KH_GREETING_OTHER;
}
