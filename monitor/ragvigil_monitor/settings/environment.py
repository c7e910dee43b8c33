"""What to say of a variable in the environment that should be JSON and is not."""

import os

from pydantic_settings import SettingsError

EXAMPLES = 'a list such as [1, 24] or a map such as {"answer": 1500}'


def not_json(refused: SettingsError) -> str:
    """Name the variable; its value may be a secret and is left out."""
    text = getattr(refused.__cause__, "doc", None)
    named = " or ".join(sorted(name for name, value in os.environ.items() if _is_ours(name) and value == text))
    return f"{named or 'A setting in the environment'} is not JSON ({refused.__cause__}); right would be {EXAMPLES}."


def _is_ours(name: str) -> bool:
    return name.upper().startswith("RAGVIGIL_")
