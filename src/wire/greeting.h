/* What the first bytes of a connection are, as the worker that reads them tells it: one of these and nothing else. */
#ifndef KH_WIRE_GREETING_H
#define KH_WIRE_GREETING_H

#include "base/view.h"

enum kh_greeting {
	KH_GREETING_MATCHES = 0, /* a ClientHello of TLS for the name */
	KH_GREETING_OTHER,       /* for another name, or for none that can be read */
	KH_GREETING_NOT_TLS,     /* no ClientHello */
	KH_GREETING_ECH,         /* it may hide another name: it has an encrypted ClientHello */
	KH_GREETINGS
};

/* What a connection that begins like this is refused for; never NULL. */
const char *kh_greeting_about(enum kh_greeting verdict);

#endif
