"""The HTTP API: routes, roles and the types of what it answers."""
