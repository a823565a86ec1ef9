/* For the tests of DNS: answers of a name server, good and hostile, put together by hand. */
#ifndef KH_TESTS_ANSWER_H
#define KH_TESTS_ANSWER_H

#include "worker/resolve/dns.h"

struct answer {
	unsigned char bytes[65536];
	size_t n;
};

static inline void put8(struct answer *a, unsigned value)
{
	if (a->n < sizeof(a->bytes))
		a->bytes[a->n++] = (unsigned char)value;
}

static inline void put16(struct answer *a, unsigned value)
{
	put8(a, value >> 8);
	put8(a, value & 0xff);
}

/* "www.example.com", or "@12" for a pointer to byte 12, or "www@12" for both. */
static inline void put_name(struct answer *a, const char *name)
{
	while (*name != '\0' && *name != '@') {
		size_t n = strcspn(name, ".@");
		put8(a, (unsigned)n);
		for (size_t i = 0; i < n; i++)
			put8(a, (unsigned char)name[i]);
		name += n + (name[n] == '.');
	}
	if (*name == '\0') {
		put8(a, 0);
		return;
	}
	unsigned at = 0;
	for (name++; kh_ascii_is_digit(*name); name++)
		at = at * 10 + (unsigned)(*name - '0');
	put16(a, 0xc000 | at);
}

/* A head that answers one question with COUNT records. */
static inline void put_head(struct answer *a, unsigned id, unsigned flags, const char *name, unsigned type,
			    unsigned count)
{
	a->n = 0;
	put16(a, id);
	put16(a, flags);
	put16(a, 1);
	put16(a, count);
	put16(a, 0);
	put16(a, 0);
	put_name(a, name);
	put16(a, type);
	put16(a, 1);
}

static inline void put_record(struct answer *a, const char *owner, unsigned type, const void *data, size_t n)
{
	const unsigned char *bytes = data;

	put_name(a, owner);
	put16(a, type);
	put16(a, 1);
	put16(a, 0);
	put16(a, 60);
	put16(a, (unsigned)n);
	for (size_t i = 0; i < n; i++)
		put8(a, bytes[i]);
}

static inline void put_alias(struct answer *a, const char *owner, const char *target)
{
	struct answer wire = {.n = 0};

	put_name(&wire, target);
	put_record(a, owner, 5, wire.bytes, wire.n);
}

static inline struct kh_view answer_view(const struct answer *a)
{
	return kh_view_of((const char *)a->bytes, a->n);
}

#endif
