"""What is of one paper alone, a folder each: its figures (`drawing` finds them), and what these compute."""
