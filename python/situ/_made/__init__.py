"""What the namespaces take from the public headers. Made by scripts/generate.py from include/situ: change that."""
