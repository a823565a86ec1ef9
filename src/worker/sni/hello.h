/*
 * Reads a ClientHello of TLS (RFC 8446, 4.1.2) for the name of the server in it (RFC 6066), and nothing else.
 *
 * Trusts nobody: a sandboxed program sent the bytes.  The whole ClientHello must be in one record, because a server may
 * put pieces together in another way.
 */
#ifndef KH_WORKER_SNI_HELLO_H
#define KH_WORKER_SNI_HELLO_H

#include "wire/greeting.h"

/* What BYTES, the first record of a connection, are for NAME. */
enum kh_greeting kh_hello_judge(struct kh_view bytes, struct kh_view name);

#endif
