"""`python -m rankprism` is `rankprism`."""

from rankprism.cli import main

if __name__ == "__main__":
    main()
