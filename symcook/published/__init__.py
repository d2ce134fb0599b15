"""Models of other libraries as they are stored: which formats of weights there are, and how each is read.

`formats` and `configs` are tables: the names of weights and of settings in each format, and what they are here.
`converted` applies a table to the weights, `stored` and `tokens` read files, `pretrained` has the functions that users
call. The model itself is made by `symcook.compose.states`.
"""
