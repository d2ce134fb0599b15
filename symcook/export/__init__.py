"""Float weights in formats that people load, each with a certificate of what is exact and to which length."""
