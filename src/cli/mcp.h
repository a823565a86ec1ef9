/* `keyhole mcp`: MCP on standard input and output.  If a gateway runs, it is a relay to it and holds only a token;
 * else it serves from the user's own home, and says what that does not protect (I9). */
#ifndef KH_CLI_MCP_H
#define KH_CLI_MCP_H

#include "cli/frame.h"

struct kh_mcp_args {
	const char *socket; /* NULL: $KEYHOLE_SOCKET, or the home's */
	bool print, relay_only;
};

int kh_mcp_run(struct kh_frame *f);

#endif
