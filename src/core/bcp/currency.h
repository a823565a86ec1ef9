/* The currencies that an `amount` is written in (SPEC B11). */
#ifndef KH_CORE_BCP_CURRENCY_H
#define KH_CORE_BCP_CURRENCY_H

#include "base/view.h"

/*
 * The currency that KEY (lower-case NFKC text; blanks around it do not matter) names: by ISO 4217 code in any case, by
 * symbol, or by its English name, singular or plural.  *RET_CODE is the code in capitals and lives for ever;
 * *RET_DIGITS the digits of its minor unit: 0, 2 or 3.
 *
 * Plain signs mean what they mostly mean: "$" and "dollars" USD, "£" GBP, "¥" JPY, "rupees" INR, "C$" CAD.  Not found:
 * what depends on the place ("kr", "francs", "pesos", "dinars"), and parts of a unit ("cents").
 */
bool kh_currency_find(struct kh_view key, struct kh_view *ret_code, unsigned *ret_digits);

/*
 * The length in bytes of the longest symbol or code that TEXT begins (ends) with, 0 for none.  No letter may follow
 * (come before) it: "usd 5", "usd5" and "ca$5" begin with one, "usdt 5" and "kronen" with none.  The piece it measures
 * is one that kh_currency_find finds.
 */
size_t kh_currency_symbol_prefix(struct kh_view text);
size_t kh_currency_symbol_suffix(struct kh_view text);

#endif
