/* What every exchange by libcurl has in common: options that leave libcurl nothing to decide, and the header lines. */
#ifndef KH_WORKER_HTTP_EASY_H
#define KH_WORKER_HTTP_EASY_H

#include "base/arena.h"
#include "wire/message.h"
#include "worker/http/curl.h"

/* Sets an option; marks FAILED if libcurl does not take it. */
#define KH_EASY_SET(curl, easy, failed, option, value) \
	((failed) |= (curl)->easy_setopt((easy), (option), (value)) != CURLE_OK)

/*
 * HTTP/1.1 and TLS 1.2 at least, a certificate that is checked, no redirect, no proxy, no file, no cookie.  False if the
 * library refuses one of them.
 */
bool kh_easy_harden(const struct kh_curl *curl, CURL *easy) KH_CHECKED;

/* Adds a copy of TEXT to *LIST; false if memory ran out. */
bool kh_easy_line(const struct kh_curl *curl, struct kh_arena *arena, struct kh_view text,
		  struct curl_slist **list) KH_CHECKED;

/* The header lines of a response, as they come: those of interim responses and trailers count too. */
struct kh_easy_head {
	size_t bytes; /* of all blocks together */
	size_t n;
	bool is_over; /* the final response has begun */
	char lines[KH_MESSAGE_LINES];
};

enum kh_easy_line {
	KH_EASY_MORE = 0, /* the block goes on */
	KH_EASY_BLOCK,    /* it is whole: of the final response or of an interim one; kh_easy_forget() follows */
	KH_EASY_TOO_MUCH, /* more bytes than the cap */
};

/* Takes one line. */
enum kh_easy_line kh_easy_take(struct kh_easy_head *head, struct kh_view line);

/* What is wrong with the block, as a sentence of ours, or NULL. */
const char *kh_easy_wrong(const struct kh_easy_head *head);

/* Begins the next block; FINAL: no other follows. */
void kh_easy_forget(struct kh_easy_head *head, bool final);

#endif
