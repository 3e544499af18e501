"""A server with the three tools of the example in concern-based filtering, and one that costs more. It knows no concerns."""

from mcp.server.fastmcp import FastMCP

server = FastMCP("data")


@server.tool(name="encryptData")
def encrypt_data(data: str) -> str:
    """Encrypts data."""
    return data[::-1]


@server.tool(name="encryptDataInHardware")
def encrypt_data_in_hardware(data: str) -> str:
    """Encrypts data in a hardware module."""
    return data[::-1]


@server.tool(name="logData")
def log_data(data: str) -> str:
    """Writes data to a log."""
    return "logged"


@server.tool(name="validateData")
def validate_data(data: str) -> bool:
    """Validates data."""
    return bool(data)


server.run()
