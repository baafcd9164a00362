"""The mechanics, in NumPy, over any scalar: floats, complex numbers, symbols, strings."""
