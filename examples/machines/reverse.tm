# The input backwards: each head moves at each step, as the printed model has it.
input: 0 1
work symbols: 0 1
start: go
halt: done
head: 1
go 0 * -> go 0 R L
go 1 * -> go 1 R L
go _ * -> done . R R
