"""A model as one HTML file: what it is made of, and its forward pass to step through, computed in the page itself.

`describe` makes the document that the page's evaluator reads, `runs` what is computed beforehand, `diagram` the picture
of who reads whom, `html` what a page is made of, `modelpage` the whole. evaluator.js, stepper.js,
page.js and page.css go into the file as they are.
"""
