/*
 * Reads a web URL strictly (RFC 3986): https, and http only if the caller allows it.  Two programs cannot read an
 * accepted URL differently: no user information, no backslash, no blanks or control characters, ASCII only, a host that
 * is a DNS name or an address in its usual form ("127.1" and "0x7f000001" are neither).
 */
#ifndef KH_CORE_COMM_URL_H
#define KH_CORE_COMM_URL_H

#include "base/error.h"

#define KH_URL_MAX  2048
#define KH_URL_HOST 272 /* bytes: a host, brackets, a port */

struct kh_url {
	struct kh_view host; /* without brackets */
	struct kh_view rest; /* path, query and fragment; may be empty */
	int port;            /* 443 (plain: 80) if none is given */
	bool is_address;     /* the host is an IPv4 or IPv6 address */
	bool plain;          /* http, without TLS */
};

/* Borrows from TEXT.  KH_EINPUT with code `bad_url`, or KH_ELIMIT with `too_long`. */
enum kh_err kh_url_read(struct kh_view text, struct kh_url *ret_url, struct kh_error *err) KH_CHECKED;

/* The same, but accepts an http URL too if ALLOW_PLAIN. */
enum kh_err kh_url_read_web(struct kh_view text, bool allow_plain, struct kh_url *ret_url,
			    struct kh_error *err) KH_CHECKED;

/*
 * Writes the one spelling of URL, a struct that was read: scheme and host in lower case, no dot at the host's end, a
 * port only if it is not the scheme's default, a path of at least "/", the query, no fragment.  KH_URL_MAX + 1 bytes
 * are enough for the text and its NUL.  KH_ELIMIT if it does not fit in SIZE or has more than KH_URL_MAX bytes.
 */
enum kh_err kh_url_write(const struct kh_url *url, char *buffer, size_t size, struct kh_view *ret_text) KH_CHECKED;

/*
 * Writes the one spelling of URL's host: in lower case, no dot at its end, an address of IPv6 in brackets, and the port
 * if it is not the scheme's default.  KH_URL_HOST bytes are enough for the text and its NUL.
 */
enum kh_err kh_url_write_host(const struct kh_url *url, char buffer[KH_URL_HOST], struct kh_view *ret_text) KH_CHECKED;

#endif
