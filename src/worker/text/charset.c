/*
 * Charsets: labels, and how to find them.
 *
 * The input is hostile: the search goes once over the first kilobytes, and finds a label of the list or nothing.
 */
#include "worker/text/charset.h"

#define PRESCAN 4096 /* bytes of a page in which its own declaration counts */

/* Labels, compared without case and without blanks at their ends; first the name for iconv(3). */
static const struct {
	const char *name, *labels;
} charsets[] = {
	{"UTF-8", "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"},
	{"CP1252", "windows-1252 cp1252 x-cp1252 iso-8859-1 iso8859-1 iso_8859-1 iso88591 latin1 l1 ascii us-ascii "
		   "ansi_x3.4-1968 cp819 ibm819 iso-ir-100 csisolatin1"},
	{"CP1250", "windows-1250 cp1250 x-cp1250"},
	{"CP1251", "windows-1251 cp1251 x-cp1251"},
	{"CP1253", "windows-1253 cp1253 x-cp1253"},
	{"CP1254", "windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 iso_8859-9 latin5 l5 iso-ir-148"},
	{"CP1255", "windows-1255 cp1255 x-cp1255"},
	{"CP1256", "windows-1256 cp1256 x-cp1256"},
	{"CP1257", "windows-1257 cp1257 x-cp1257"},
	{"CP1258", "windows-1258 cp1258 x-cp1258"},
	{"CP874", "windows-874 dos-874 tis-620 iso-8859-11 iso8859-11"},
	{"IBM866", "ibm866 866 cp866 csibm866"},
	{"ISO-8859-2", "iso-8859-2 iso8859-2 iso_8859-2 latin2 l2 iso-ir-101"},
	{"ISO-8859-3", "iso-8859-3 iso8859-3 iso_8859-3 latin3 l3"},
	{"ISO-8859-4", "iso-8859-4 iso8859-4 iso_8859-4 latin4 l4"},
	{"ISO-8859-5", "iso-8859-5 iso8859-5 iso_8859-5 cyrillic"},
	{"ISO-8859-6", "iso-8859-6 iso8859-6 iso_8859-6 arabic ecma-114 asmo-708"},
	{"ISO-8859-7", "iso-8859-7 iso8859-7 iso_8859-7 greek greek8 ecma-118 elot_928"},
	{"ISO-8859-8", "iso-8859-8 iso8859-8 iso_8859-8 hebrew visual iso-8859-8-i logical"},
	{"ISO-8859-10", "iso-8859-10 iso8859-10 latin6 l6"},
	{"ISO-8859-13", "iso-8859-13 iso8859-13"},
	{"ISO-8859-14", "iso-8859-14 iso8859-14"},
	{"ISO-8859-15", "iso-8859-15 iso8859-15 iso_8859-15 latin9 l9"},
	{"ISO-8859-16", "iso-8859-16"},
	{"KOI8-R", "koi8-r koi8 koi koi8_r cskoi8r"},
	{"KOI8-U", "koi8-u koi8-ru"},
	{"MACINTOSH", "macintosh mac x-mac-roman csmacintosh"},
	{"GB18030", "gb18030 gbk gb2312 gb_2312 gb_2312-80 chinese csgb2312 iso-ir-58 x-gbk"},
	{"BIG5-HKSCS", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"},
	{"EUC-JP", "euc-jp x-euc-jp cseucpkdfmtjapanese"},
	{"ISO-2022-JP", "iso-2022-jp csiso2022jp"},
	{"CP932", "shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis"},
	{"UHC", "euc-kr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949 cseuckr iso-ir-149"},
	{"UTF-16LE", "utf-16le utf-16 unicode ucs-2 iso-10646-ucs-2 csunicode"},
	{"UTF-16BE", "utf-16be unicodefffe"},
};

#define CHARSETS (sizeof(charsets) / sizeof(charsets[0]))

const char *kh_charset_find(struct kh_view label)
{
	label = kh_view_trim(label);
	for (size_t i = 0; i < CHARSETS && label.n > 0; i++) {
		struct kh_view rest = kh_view_str(charsets[i].labels), one;
		while (kh_view_split(&rest, ' ', &one))
			if (kh_view_eq_nocase(one, label))
				return charsets[i].name;
	}
	return NULL;
}

const char *kh_charset_at(size_t index)
{
	return index + 1 < CHARSETS ? charsets[index + 1].name : NULL;
}

/* The label after the next `charset` and `=` in TEXT at or after *AT, which is moved past it; false at the end. */
static bool next_label(struct kh_view text, size_t *at, struct kh_view *ret_label)
{
	static const struct kh_view word = KH_LIT_INIT("charset");

	for (size_t i = *at; i + word.n < text.n; i++) {
		if (!kh_view_eq_nocase(kh_view_sub(text, i, i + word.n), word))
			continue;
		size_t start = i + word.n;
		while (start < text.n && kh_ascii_is_blank(text.p[start]))
			start++;
		if (start == text.n || text.p[start] != '=')
			continue;
		start++;
		while (start < text.n && (kh_ascii_is_blank(text.p[start]) || memchr("\"'", text.p[start], 2) != NULL))
			start++;
		size_t end = start;
		while (end < text.n && !kh_ascii_is_blank(text.p[end]) && memchr("\"'>;/,", text.p[end], 6) == NULL)
			end++;
		*at = end > i ? end : i + 1;
		*ret_label = kh_view_sub(text, start, end);
		return true;
	}
	return false;
}

/* The first known label in TEXT. */
static const char *said_in(struct kh_view text)
{
	const char *name = NULL;
	struct kh_view label;

	for (size_t at = 0; name == NULL && next_label(text, &at, &label);)
		name = kh_charset_find(label);
	return name;
}

const char *kh_charset_of(struct kh_view type, struct kh_view bytes, bool html, size_t *ret_mark)
{
	static const struct {
		struct kh_view mark;
		const char *name;
	} marks[] = {
		{KH_LIT_INIT("\xef\xbb\xbf"), "UTF-8"},
		{KH_LIT_INIT("\xff\xfe"), "UTF-16LE"},
		{KH_LIT_INIT("\xfe\xff"), "UTF-16BE"},
	};
	const char *name;

	*ret_mark = 0;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (kh_view_starts(bytes, marks[i].mark)) {
			*ret_mark = marks[i].mark.n;
			return marks[i].name;
		}
	}
	if ((name = said_in(type)) != NULL)
		return name;
	name = html ? said_in(kh_view_sub(bytes, 0, PRESCAN)) : NULL;
	/* A page whose declaration can be read as ASCII is not in UTF-16. */
	return name == NULL || kh_view_starts(kh_view_str(name), KH_LIT("UTF-16")) ? "UTF-8" : name;
}
