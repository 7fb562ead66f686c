"""The jobs with PyKeOps, on the CPU, from NumPy arrays."""

import pykeops
from pykeops.numpy import Genred

FORMULAS = {
    "gauss": ("Exp(-SqDist(x, y)) * b", "Sum"),
    "gauss-grad": ("Grad(Exp(-SqDist(x, y)) * b, x, e)", "Sum"),
    "gauss-rhs": ("Exp(-SqDist(x, y)) * b", "Sum"),
    "lse": ("IntCst(-10) * SqDist(x, y)", "LogSumExp"),
    "argkmin": ("SqDist(x, y)", "ArgKMin"),
    "nearest": ("SqDist(x, y)", "ArgMin"),
    "attention": ("(q | k) / IntCst(8)", "SumSoftMaxWeight"),
}
CATEGORIES = {"x": "Vi", "q": "Vi", "e": "Vi", "y": "Vj", "k": "Vj", "b": "Vj", "v": "Vj"}
ORDER = ["x", "q", "y", "k", "b", "v", "e"]


def prepare(job, inputs, threads):
    pykeops.set_verbose(False)
    formula, reduction = FORMULAS[job]
    names = [name for name in ORDER if name in inputs]
    aliases = [f"{name} = {CATEGORIES[name]}({inputs[name].shape[1]})" for name in names]
    options = {"opt_arg": 10} if job == "argkmin" else {"formula2": "v"} if job == "attention" else {}
    routine = Genred(formula, aliases, reduction_op=reduction, axis=1, **options)
    arguments = [inputs[name] for name in names]
    return f"PyKeOps {pykeops.__version__}", [("Genred", lambda: routine(*arguments, backend="CPU"))]
