"""The example constructions over strings: recognisers and induction heads. Source: Cookbook, Section 9."""
