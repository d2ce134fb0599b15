"""symcook: transformers built by hand, written once, derived, proved, bounded and exported exactly."""

__version__ = "0.1.0"
