# A binary number plus 1, the most significant bit first: 1011 to 1100, the empty word to 1.
input: 0 1
work symbols: 0 1
start: right
halt: done
right 0 * -> right . R S     # to the end of the input
right 1 * -> right . R S
right _ * -> carry . L S
carry 1 * -> carry 0 L L     # leftwards, writing below
carry 0 * -> copy  1 L L
carry _ * -> back  1 S S
copy  0 * -> copy  0 L L
copy  1 * -> copy  1 L L
copy  _ * -> fix   . S R
back  * * -> done  . S S
fix   * * -> done  . S S
