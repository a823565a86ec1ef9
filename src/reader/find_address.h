/* E-mail addresses, telephone numbers and identifiers: tokens that are recognized by their form. */
#ifndef KH_READER_FIND_ADDRESS_H
#define KH_READER_FIND_ADDRESS_H

#include "reader/spot.h"

/* As the text writes it. */
kh_spot_finder kh_find_address_mail, kh_find_address_phone, kh_find_address_identifier;

#endif
