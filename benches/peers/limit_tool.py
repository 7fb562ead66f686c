"""The limit program: hand-written AVX-512 and AVX2 loops for the Gaussian sum, D = 3, f32."""

import ctypes
import os

import numpy

KERNELS = {
    "avx512": ["gauss3_scalef_512", "gauss3_expscalef_512", "gauss3_tab_512", "gauss3_exptab_512"],
    "avx2": ["gauss3_tab_256", "gauss3_deg5_256"],
}


def prepare(job, inputs, threads):
    os.environ["OMP_NUM_THREADS"] = str(threads)
    library = ctypes.CDLL(os.environ["KEOPS_LIMIT_LIBRARY"])
    x, y, b = inputs["x"], inputs["y"], inputs["b"]
    out = numpy.zeros((len(x), 1), numpy.float32)
    pointers = [ctypes.c_void_p(table.ctypes.data) for table in (x, y, b, out)]
    sizes = [ctypes.c_long(len(x)), ctypes.c_long(len(y))]

    def call(kernel):
        def run():
            kernel(*pointers, *sizes)
            return out

        return run

    return "limit program", [(name, call(getattr(library, name))) for name in KERNELS[os.environ["KEOPS_LIMIT_LEVEL"]]]
