"""The inner loops, compiled by numba: arrays in, arrays out; no objects, no random numbers.

Every kernel is also plain Python (`kernel.py_func`, or NUMBA_DISABLE_JIT=1), and gives the same answer.
"""
