"""Speed, measured as ratios within one run and as rates per second of processor time.

python -m benchmarks                      everything but the paper-size set, in about a minute
python -m benchmarks --paper              the paper-size set too
python -m benchmarks --write docs/results/speed.md
"""
