"""Programs as they are written: their syntax, read and printed. What they mean stands in `spec`, which shares this
alone with the compilers."""
