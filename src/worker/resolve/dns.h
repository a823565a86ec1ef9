/*
 * Queries to a name server and the parsing of its answers: pure, strict, only for the addresses of one name.
 *
 * An answer is hostile input.  A packet that does not answer exactly the question that was asked is foreign; one that
 * does but is malformed has failed.  Names are compared in their wire form; pointers must lead backwards.
 */
#ifndef KH_WORKER_RESOLVE_DNS_H
#define KH_WORKER_RESOLVE_DNS_H

#include "wire/address.h"

#define KH_DNS_QUERY     300   /* bytes of the longest query, with its EDNS record */
#define KH_DNS_PACKET    65535 /* the longest answer */
#define KH_DNS_ADDRESSES 8     /* most that are taken from one answer */

enum kh_dns_type {
	KH_DNS_A = 1,
	KH_DNS_AAAA = 28,
};

struct kh_dns_question {
	uint16_t id;
	enum kh_dns_type type;
	struct kh_view name; /* "www.example.com", without a final dot */
};

enum kh_dns_verdict {
	KH_DNS_FOREIGN,   /* not an answer to this question; ignored */
	KH_DNS_ANSWERED,  /* addresses; or none, because the name has none or does not exist */
	KH_DNS_TRUNCATED, /* ask again over TCP */
	KH_DNS_FAILED,    /* the server reports a failure, or its answer is malformed */
};

/* Writes the packet that asks QUESTION; returns its length, or 0 if the name is not valid. */
size_t kh_dns_write(const struct kh_dns_question *question, unsigned char buffer[KH_DNS_QUERY]);

/*
 * Parses PACKET as the answer to QUESTION.  Follows the aliases within it, at most 8, and takes only the addresses of
 * the last name.  RET_ADDRESSES has KH_DNS_ADDRESSES entries; it and RET_COUNT are written only with KH_DNS_ANSWERED.
 */
enum kh_dns_verdict kh_dns_read(struct kh_view packet, const struct kh_dns_question *question,
				struct kh_address *ret_addresses, size_t *ret_count);

#endif
