"""What the pages show, computed without Streamlit."""
