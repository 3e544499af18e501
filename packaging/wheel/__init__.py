"""mcp-disclosure: one MCP server in front of any others, disclosing their tools progressively."""
