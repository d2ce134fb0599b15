"""Decision procedures for statements about a user's model, read off the formula that the checkers see."""
