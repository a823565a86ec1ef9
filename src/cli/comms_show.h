/* keyhole comm declare, list and show: declare an external operation, and show declarations.  Nothing is carried
 * out. */
#ifndef KH_CLI_COMMS_SHOW_H
#define KH_CLI_COMMS_SHOW_H

#include "cli/frame.h"

kh_frame_fn kh_comms_show_declare, kh_comms_show_list, kh_comms_show_one;

/* Writes what comm.show says of a declaration, for humans: untrusted text and that of agents is behind a bar, with
 * control characters escaped. */
void kh_comms_show_write(struct kh_buf *buf, yyjson_val *shown, size_t columns);

#endif
