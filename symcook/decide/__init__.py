"""Models as automata: decided against a reference for words of every length."""
