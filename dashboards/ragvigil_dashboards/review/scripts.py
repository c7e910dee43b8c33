"""The scripts of the review page that lie beside this file."""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st


@cache
def component(name: str) -> Any:
    """What draws the script `<name>.js` into the page; made once."""
    script = Path(__file__).with_name(f"{name}.js").read_text(encoding="utf-8")
    return st.components.v2.component(f"ragvigil_{name}", js=script, isolate_styles=False)
