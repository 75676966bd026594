"""The command line: one verb per file, each a thin layer over a public function.

Results go to standard output, progress and complaints to standard error. Exit codes: 0 fine, 1 problems were found,
2 wrong usage or something the user can mend, 130 stopped with Ctrl-C.
"""

from deixis._cli.app import main as main
