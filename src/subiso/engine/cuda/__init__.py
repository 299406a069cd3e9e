"""The CUDA engine: kernels compiled for the present device, run through CuPy. One host file per schedule."""
