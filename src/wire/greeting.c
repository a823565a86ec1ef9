/* The sentences of the verdicts. */
#include "wire/greeting.h"

const char *kh_greeting_about(enum kh_greeting verdict)
{
	static const char *const about[KH_GREETINGS] = {
		[KH_GREETING_MATCHES] = "TLS for this name",
		[KH_GREETING_OTHER] = "TLS for another name, or for none that can be read (SNI)",
		[KH_GREETING_NOT_TLS] = "not TLS, on a port of TLS",
		[KH_GREETING_ECH] = "TLS with an encrypted ClientHello, which may hide another name",
	};

	return (unsigned)verdict < KH_GREETINGS ? about[verdict] : "unknown";
}
