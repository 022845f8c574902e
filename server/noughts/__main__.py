"""Run ``python -m noughts`` as the command ``noughts``."""

import sys

from noughts.command_line import main

if __name__ == "__main__":
    sys.exit(main())
