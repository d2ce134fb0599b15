"""Code for a single paper, in a folder of its own: the paper's figures (found by `drawing`) and their computations."""
