"""The whole system on one machine: the AWS emulator, the pumps around it, and the programs that join them."""
