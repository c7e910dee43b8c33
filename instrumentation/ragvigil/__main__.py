"""`python -m ragvigil`: the same as the command `ragvigil`."""

import sys

from ragvigil.cli import main

sys.exit(main())
