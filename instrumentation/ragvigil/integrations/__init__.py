"""Clients and frameworks whose searches are recorded, one file each; each needs the extra of its name."""
