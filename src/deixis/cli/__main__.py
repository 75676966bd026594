"""`python -m deixis.cli` is the command `deixis`."""

import sys

from deixis.cli import main


sys.exit(main())
