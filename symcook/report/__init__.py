"""How models and answers are drawn: text, LaTeX and HTML."""
