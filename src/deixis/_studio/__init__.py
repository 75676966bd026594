"""The studio: see, question and judge a benchmark in the browser.

Pages are rendered here, in Python, from the public API of the other packages: what a word picks out, which misreading
leads where and what a plan does are never worked out a second time in the browser. The scripts only light up, swap and
send what the server has prepared.
"""
