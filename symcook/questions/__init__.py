"""Questions about how far a model carries: margins, tolerances, temperatures and precision, each with the word that decides."""
