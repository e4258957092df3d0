"""What a worker does: take a worker request, claim the pair, serve its jobs one by one, leave nothing waiting behind.

No threads and no clock of its own. A *host* brings time, threads and rights: the shipped worker has one that uses real
threads, the model test has one that uses its scheduler, and both drive this same code.
"""
