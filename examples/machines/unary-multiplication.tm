# 1^m 0 1^n to 1^(m n): work tape 1 holds 1^m, and goes over to the output once for each 1 of 1^n.
input: 1 0
work symbols: 1
start: load
halt: done
load 1 * * -> load 1 . R R S
load 0 * * -> turn . . R L S
load _ * * -> home . . S S L
turn 1 * * -> left . . S S S
turn * * * -> home . . S S L
left * 1 * -> left . . S L S
left * _ * -> add  . . S R S
add  * 1 * -> add  . 1 S R R
add  * _ * -> next . . R L S
next 1 * * -> left . . S S S
next * * * -> home . . S S L
home * * 1 -> home . . S S L
home * * _ -> done . . S S R
