/* keyhole comm declare, list and show: what is to be had from outside, said and looked at.  Nothing is carried out. */
#ifndef KH_CLI_COMMS_SHOW_H
#define KH_CLI_COMMS_SHOW_H

#include "base/buf.h"
#include "base/json.h"

int kh_comms_show_declare_main(int argc, char **argv);
int kh_comms_show_list_main(int argc, char **argv);
int kh_comms_show_main(int argc, char **argv);

/* What comm.show says of a declaration, for human eyes: words of the world and of agents are behind a bar, with what a
 * terminal would obey written out. */
void kh_comms_show_write(struct kh_buf *buf, yyjson_val *shown, size_t columns);

#endif
