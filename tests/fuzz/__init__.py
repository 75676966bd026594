"""A fuzzer of our own: it mutates what deixis reads, by structure, and reports every fault that is no error of ours.

`python -m tests.fuzz` runs it; `make test-all` runs it for longer, and `make test` a few seconds of it.
"""
