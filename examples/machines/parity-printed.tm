# In the printed model: no head stays where it is, and the input head starts to the left of the input, on a blank.
# Whether the number of 1s is odd, as 1 or 0.
input: 0 1
work symbols: 0 1
start: enter
halt: done
head: 0
enter * * * -> even . . R R R
even 0 * * -> even . . R R L
even 1 * * -> odd  . . R L R
odd  0 * * -> odd  . . R R L
odd  1 * * -> even . . R L R
even _ * * -> zero . 0 L R R
odd  _ * * -> one  . 1 L R R
zero * * * -> done . . R L L
one  * * * -> done . . R L L
