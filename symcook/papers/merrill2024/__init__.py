"""What is of Merrill and Sabharwal (2024) alone."""
