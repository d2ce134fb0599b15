"""The constructions of Chiang and Cholak 2022."""
