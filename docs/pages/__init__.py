"""The pages of the site that are made of data: ledger, errata, recipes, commands, questions, API.

`docs/conf.py` loads `extension`, which writes what Sphinx reads before it starts (`written`) and the ledger, which is
plain HTML, when it has ended (`ledger`). Nothing that is made here is committed.
"""
