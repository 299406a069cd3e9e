"""What each technique of the CUDA engine is worth: every one is switched off in turn, counts checked (run.py)."""
