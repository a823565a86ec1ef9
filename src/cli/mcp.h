/* `keyhole mcp`: MCP on standard input and output.  If a gateway runs, it is a relay to it and holds only a token;
 * else it serves from the user's own home, and says what that does not protect (I9). */
#ifndef KH_CLI_MCP_H
#define KH_CLI_MCP_H

int kh_mcp_main(int argc, char **argv);

#endif
