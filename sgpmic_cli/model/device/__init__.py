"""What both settings need to compute on a GPU. Only `choice.py` may be imported where PyTorch is not installed."""
