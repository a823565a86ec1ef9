/* The currencies that an `amount` is written in (SPEC B11). */
#ifndef KH_CORE_BCP_CURRENCY_H
#define KH_CORE_BCP_CURRENCY_H

#include "base/view.h"

/*
 * The currency that KEY (lower-case NFKC text; blanks around it do not matter) names: by ISO 4217 code in any case, by
 * symbol, or by its English name, singular or plural.  *RET_CODE is the code in capitals and is static; *RET_DIGITS the
 * digits of its minor unit: 0, 2 or 3.
 *
 * Plain signs have their most common meaning: "$" and "dollars" USD, "£" GBP, "¥" JPY, "rupees" INR, "C$" CAD.  Not
 * found: names whose meaning depends on the country ("kr", "francs", "pesos", "dinars"), and parts of a unit ("cents").
 */
bool kh_currency_find(struct kh_view key, struct kh_view *ret_code, unsigned *ret_digits);

/* True if a bare "$" can mean the currency CODE, because one of its symbols has that sign: "$5 CAD", not "$5 EUR". */
bool kh_currency_has_dollar_sign(struct kh_view code);

/*
 * The length in bytes of the longest symbol or code that TEXT begins (ends) with, 0 for none.  No letter may follow
 * (come before) it: "usd 5", "usd5" and "ca$5" begin with one, "usdt 5" and "kronen" with none.  kh_currency_find()
 * finds this piece of TEXT.
 */
size_t kh_currency_symbol_prefix(struct kh_view text);
size_t kh_currency_symbol_suffix(struct kh_view text);

/* How many there are in the list. */
size_t kh_currency_count(void);

#endif
