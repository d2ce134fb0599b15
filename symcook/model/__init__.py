"""Models as values: expressions, named coordinates, blocks, model files. Nothing here runs or proves."""
