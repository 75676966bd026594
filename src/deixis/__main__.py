"""`python -m deixis` is the command `deixis`."""

import sys

from deixis._cli import main


sys.exit(main())
