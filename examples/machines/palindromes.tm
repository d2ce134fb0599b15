# Whether a word is a palindrome: its copy is read backwards beside it. The answer is y or n.
input: a b
work symbols: a b y n
start: go
halt: done
go   a * * -> go   a . R R S
go   b * * -> go   b . R R S
go   _ * * -> home . . L L S
home a * * -> home . . L S S     # the input head back to its first cell
home b * * -> home . . L S S
home _ * * -> test . . R S S
test a a * -> test . . R L S
test b b * -> test . . R L S
test _ * * -> done . y S S S
test * * * -> done . n S S S
