"""What AWS does by itself and the emulator does not: one pump per movement."""
