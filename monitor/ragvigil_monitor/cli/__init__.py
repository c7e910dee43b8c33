"""The monitor's commands, listed in the entry-point group `ragvigil.commands`."""
