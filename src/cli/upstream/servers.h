/* `keyhole upstream`: servers of the configuration.  All but the list change keyhole.yaml, and nothing else of a home. */
#ifndef KH_CLI_UPSTREAM_SERVERS_H
#define KH_CLI_UPSTREAM_SERVERS_H

#include "cli/frame.h"

struct kh_servers_args {
	bool write;                  /* import: into keyhole.yaml; else the section is printed */
	bool replace;                /* entries and secrets that are there already */
	bool keep_arguments;         /* that look like secrets */
	struct kh_option_list names; /* import: these alone, as the file has them */
	bool rules;                  /* add: try the server, and propose rules for its tools */
};

int kh_servers_import(struct kh_frame *f);
int kh_servers_add(struct kh_frame *f);
int kh_servers_list(struct kh_frame *f);
int kh_servers_remove(struct kh_frame *f);

#endif
