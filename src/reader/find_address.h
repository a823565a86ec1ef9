/* E-mail addresses, telephone numbers and identifiers: tokens that are recognized by their form. */
#ifndef KH_READER_FIND_ADDRESS_H
#define KH_READER_FIND_ADDRESS_H

#include "reader/spot.h"

/* As the text writes it; false if it has none. */
bool kh_find_address_mail(struct kh_spot *spot, struct kh_view *ret_text);
bool kh_find_address_phone(struct kh_spot *spot, struct kh_view *ret_text);
bool kh_find_address_identifier(struct kh_spot *spot, struct kh_view *ret_text);

#endif
