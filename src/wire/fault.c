/* The list of faults and its texts. */
#include "wire/fault.h"

static const struct {
	const char *name, *about;
} faults[KH_FAULTS] = {
	[KH_FAULT_NONE] = {"none", "it ran to its end"},
	[KH_FAULT_REQUEST] = {"bad_request", "the request is not well-formed"},
	[KH_FAULT_BUSY] = {"busy", "too many requests at once"},
	[KH_FAULT_INCOMPLETE] = {"sandbox_incomplete", "this machine lacks a part of the sandbox"},
	[KH_FAULT_SANDBOX] = {"sandbox_failed", "the sandbox could not be set up"},
	[KH_FAULT_PROGRAM] = {"no_program", "the program could not be started in the sandbox"},
	[KH_FAULT_URL] = {"url_refused", "not a URL that is taken"},
	[KH_FAULT_SCHEME] = {"scheme_refused", "plain http was not granted"},
	[KH_FAULT_ADDRESS] = {"address_refused",
			      "the address is of a range that is refused, of this machine, or on-link to it"},
	[KH_FAULT_NAME] = {"name_not_resolved", "the name has no address, or no name server answered"},
	[KH_FAULT_CONNECT] = {"not_connected", "no connection to any of the addresses"},
	[KH_FAULT_TLS] = {"tls_failed", "the certificate or the handshake is not good"},
	[KH_FAULT_HTTP] = {"http_failed", "the server does not speak HTTP, or stopped in the middle"},
	[KH_FAULT_HEADERS] = {"headers_too_large", "more header bytes than the cap"},
	[KH_FAULT_OUTPUT] = {"output_too_large", "more output than the cap"},
	[KH_FAULT_REDIRECTS] = {"too_many_redirects", "more redirects than are followed"},
	[KH_FAULT_TIME] = {"timed_out", "the wall clock ran out"},
	[KH_FAULT_WORKER] = {"worker_broken", "the worker died or broke the protocol"},
	[KH_FAULT_CANCELLED] = {"cancelled", "the parent closed the request"},
	[KH_FAULT_LOST] = {"executor_lost", "the executor is gone"},
	[KH_FAULT_ABSENT] = {"executor_absent", "there is no executor; nothing was begun"},
	[KH_FAULT_DISK] = {"disk_full", "it used more room on the disk than it may, or than there is"},
	[KH_FAULT_MESSAGE] = {"not_a_message", "the server put out what is no message, or a message that is too large"},
	[KH_FAULT_IDLE] = {"idle", "nothing went to the server or came from it for as long as that may be"},
	[KH_FAULT_SECRET] = {"secret_refused", "the file of a secret cannot be used"},
};

const char *kh_fault_name(enum kh_fault fault)
{
	return (unsigned)fault < KH_FAULTS ? faults[fault].name : "unknown";
}

const char *kh_fault_about(enum kh_fault fault)
{
	return (unsigned)fault < KH_FAULTS ? faults[fault].about : "unknown";
}
