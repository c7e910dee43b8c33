"""Blind review: answers drawn by chance, given to people who see nothing that could bias them, and their labels."""
