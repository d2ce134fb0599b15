"""The example constructions over words: recognisers and induction heads. Source: Cookbook, Section 9."""
