"""The commands, a module for each room. `rankprism.cli.app` says which command is where."""
