# The input on the output tape.
input: 0 1
work symbols: 0 1
start: go
halt: done
go   0 * -> go   0 R R
go   1 * -> go   1 R R
go   _ * -> back . S L
back * 0 -> back . S L
back * 1 -> back . S L
back * _ -> done . S R
