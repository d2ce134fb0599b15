"""The command line: a table of commands, each in a module that is imported when the command is invoked."""
