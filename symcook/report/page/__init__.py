"""A model as one HTML file: its parts, and its forward pass step by step, which the page itself computes.

`describe` makes the document that the page's evaluator reads, `runs` what is computed beforehand, `diagram` the picture
of the data flow, `machine` the runs of a compiled machine, `html` the elements of a page, and `modelpage` the whole
page. The file contains evaluator.js, page.js and page.css unchanged, and for a machine with a table also stepper.js.
"""
