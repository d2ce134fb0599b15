"""Search for proofs: untrusted. Everything found here is checked again by the kernel."""
