# Settings, which another script reads.
SIZE=${SIZE:-2K}
THREADS=2
