"""Counterfactual retrievals: the same search again, in the background, without what was only a guess."""
