"""Run the command line as ``python -m sprawlsim``."""

from __future__ import annotations

from sprawlsim.cli import main

if __name__ == "__main__":
    main()
