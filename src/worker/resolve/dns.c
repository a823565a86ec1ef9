/*
 * Writes queries to a name server and parses its answers (RFC 1035, RFC 3596, RFC 6891).
 *
 * Trusts nobody.  Guarantees: no read past the packet, no endless loop (a pointer must lead to before the labels that
 * it ends, and a name has a bounded number of labels), and no address of another name than the one asked for.
 */
#include "worker/resolve/dns.h"

#define HEADER      12
#define NAME_MAX    255 /* bytes of a name in wire form */
#define LABEL_MAX   63
#define JUMPS_MAX   64
#define ALIASES_MAX 8
#define CLASS_IN    1
#define TYPE_CNAME  5
#define TYPE_OPT    41
#define UDP_SIZE    1232 /* bytes that fit every path unfragmented */

#define FLAG_ANSWER    0x8000
#define FLAG_OPCODE    0x7800
#define FLAG_TRUNCATED 0x0200
#define FLAG_RECURSE   0x0100
#define RCODE          0x000f
#define RCODE_NO_NAME  3

/* A name in wire form, in lower case. */
struct name {
	unsigned char bytes[NAME_MAX];
	size_t n;
};

struct record {
	struct name owner;
	unsigned type, class;
	size_t data, length; /* offset and length of its data */
	size_t next;
};

static unsigned char small(unsigned char c)
{
	return (unsigned char)kh_ascii_lower((char)c);
}

static unsigned get16(struct kh_view packet, size_t at)
{
	return (unsigned)(unsigned char)packet.p[at] << 8 | (unsigned char)packet.p[at + 1];
}

static size_t put16(unsigned char *p, size_t at, unsigned value)
{
	p[at] = (unsigned char)(value >> 8);
	p[at + 1] = (unsigned char)value;
	return at + 2;
}

static bool equal(const struct name *a, const struct name *b)
{
	return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

static bool add_label(struct name *name, const char *p, size_t n)
{
	if (n > LABEL_MAX || name->n + 1 + n > NAME_MAX)
		return false;
	name->bytes[name->n++] = (unsigned char)n;
	for (size_t i = 0; i < n; i++)
		name->bytes[name->n++] = small((unsigned char)p[i]);
	return true;
}

/* Converts "www.example.com" to wire form. */
static bool name_of(struct kh_view text, struct name *ret_name)
{
	struct name name = {.n = 0};
	struct kh_view label;

	while (kh_view_split(&text, '.', &label))
		if (label.n == 0 || !add_label(&name, label.p, label.n))
			return false;
	if (!add_label(&name, NULL, 0))
		return false;
	*ret_name = name;
	return true;
}

/* Reads the name at AT; *RET_NEXT is the offset behind it. */
static bool read_name(struct kh_view packet, size_t at, struct name *ret_name, size_t *ret_next)
{
	size_t floor = at, next = 0, jumps = 0;

	ret_name->n = 0;
	for (;;) {
		if (at >= packet.n)
			return false;
		size_t length = (unsigned char)packet.p[at];
		if (length >= 0xc0) {
			if (packet.n - at < 2 || ++jumps > JUMPS_MAX)
				return false;
			if (next == 0)
				next = at + 2;
			at = get16(packet, at) & 0x3fff;
			if (at >= floor) /* a pointer may only lead to before the labels that led here: no loop */
				return false;
			floor = at;
			continue;
		}
		if (packet.n - at - 1 < length || !add_label(ret_name, packet.p + at + 1, length))
			return false;
		at += 1 + length;
		if (length == 0)
			break;
	}
	*ret_next = next != 0 ? next : at;
	return true;
}

static bool read_record(struct kh_view packet, size_t at, struct record *ret_record)
{
	if (!read_name(packet, at, &ret_record->owner, &at) || packet.n - at < 10)
		return false;
	ret_record->type = get16(packet, at);
	ret_record->class = get16(packet, at + 2);
	ret_record->length = get16(packet, at + 8); /* behind the time to live, which is not used */
	ret_record->data = at + 10;
	if (packet.n - ret_record->data < ret_record->length)
		return false;
	ret_record->next = ret_record->data + ret_record->length;
	return true;
}

/* True if the packet has one question and it is the one that was asked.  *RET_NEXT is behind it. */
static bool same_question(struct kh_view packet, const struct kh_dns_question *question, struct name *ret_name,
			  size_t *ret_next)
{
	struct name asked, name;
	size_t at;

	if (packet.n < HEADER || get16(packet, 0) != question->id || get16(packet, 4) != 1)
		return false;
	if ((get16(packet, 2) & (FLAG_ANSWER | FLAG_OPCODE)) != FLAG_ANSWER)
		return false;
	if (!name_of(question->name, &asked) || !read_name(packet, HEADER, &name, &at) || packet.n - at < 4)
		return false;
	if (!equal(&asked, &name) || get16(packet, at) != (unsigned)question->type || get16(packet, at + 2) != CLASS_IN)
		return false;
	*ret_name = name;
	*ret_next = at + 4;
	return true;
}

/* Replaces NAME by the name that it is an alias of, if one of the COUNT records at START says so.  False if the records
 * are malformed. */
static bool follow(struct kh_view packet, size_t start, unsigned count, struct name *name, bool *ret_moved)
{
	struct name target = {.n = 0};
	struct record record;
	size_t end;
	bool found = false;

	for (size_t at = start; count-- > 0; at = record.next) {
		if (!read_record(packet, at, &record))
			return false;
		if (found || record.type != TYPE_CNAME || record.class != CLASS_IN || !equal(&record.owner, name))
			continue;
		if (!read_name(packet, record.data, &target, &end) || end != record.next)
			return false;
		found = true;
	}
	if (found)
		*name = target;
	*ret_moved = found;
	return true;
}

/* The addresses of NAME among the records, which are well-formed, because follow() has read them all. */
static bool collect(struct kh_view packet, size_t start, unsigned count, const struct name *name, enum kh_dns_type type,
		    struct kh_address *ret_addresses, size_t *ret_count)
{
	size_t length = type == KH_DNS_AAAA ? 16 : 4, found = 0;
	struct record record;

	for (size_t at = start; count-- > 0; at = record.next) {
		if (!read_record(packet, at, &record))
			return false;
		if (record.type != (unsigned)type || record.class != CLASS_IN || !equal(&record.owner, name))
			continue;
		if (record.length != length)
			return false;
		if (found == KH_DNS_ADDRESSES)
			continue;
		ret_addresses[found] = (struct kh_address){.is_v6 = type == KH_DNS_AAAA};
		memcpy(ret_addresses[found].bytes, packet.p + record.data, length);
		found++;
	}
	*ret_count = found;
	return true;
}

size_t kh_dns_write(const struct kh_dns_question *question, unsigned char buffer[KH_DNS_QUERY])
{
	struct name name;
	size_t at = 0;

	if (!name_of(question->name, &name))
		return 0;
	at = put16(buffer, at, question->id);
	at = put16(buffer, at, FLAG_RECURSE);
	at = put16(buffer, at, 1); /* one question, no answer, no authority, one additional record: EDNS */
	at = put16(buffer, at, 0);
	at = put16(buffer, at, 0);
	at = put16(buffer, at, 1);
	memcpy(buffer + at, name.bytes, name.n);
	at = put16(buffer, at + name.n, question->type);
	at = put16(buffer, at, CLASS_IN);
	buffer[at++] = 0; /* the root */
	at = put16(buffer, at, TYPE_OPT);
	at = put16(buffer, at, UDP_SIZE);
	memset(buffer + at, 0, 6); /* no extended code, version 0, no flags, no options */
	return at + 6;
}

enum kh_dns_verdict kh_dns_read(struct kh_view packet, const struct kh_dns_question *question,
				struct kh_address *ret_addresses, size_t *ret_count)
{
	struct kh_address addresses[KH_DNS_ADDRESSES];
	struct name name;
	size_t start, count = 0;
	bool moved = true;

	if (!same_question(packet, question, &name, &start))
		return KH_DNS_FOREIGN;
	unsigned flags = get16(packet, 2), answers = get16(packet, 6);
	if (flags & FLAG_TRUNCATED)
		return KH_DNS_TRUNCATED;
	if ((flags & RCODE) == RCODE_NO_NAME) {
		*ret_count = 0;
		return KH_DNS_ANSWERED;
	}
	if ((flags & RCODE) != 0)
		return KH_DNS_FAILED;
	for (int aliases = 0; moved; aliases++)
		if (aliases > ALIASES_MAX || !follow(packet, start, answers, &name, &moved))
			return KH_DNS_FAILED;
	if (!collect(packet, start, answers, &name, question->type, addresses, &count))
		return KH_DNS_FAILED;
	if (count > 0)
		memcpy(ret_addresses, addresses, count * sizeof(addresses[0]));
	*ret_count = count;
	return KH_DNS_ANSWERED;
}
