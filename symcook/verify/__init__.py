"""Checks of whole models against references: exhaustive and exact up to a length, or on a stated grid."""
