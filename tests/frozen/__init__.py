"""What must stay as it is while the code is rebuilt: small datasets of every world, what verbs say of them, scores.

`frozen.json` holds it, `test_frozen.py` compares, and `python -m tests.frozen` writes it anew and prints what differs.
Everything is made and asked through the command line, so that modules may move.
"""
