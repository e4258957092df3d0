"""Background jobs that AWS runs and the emulator does not: one pump each."""
