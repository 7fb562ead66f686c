"""The jobs that torch.compile fuses well: the Gaussian sum and what is like it, with the distance written out."""

import torch

LARGEST_UNROLLED = 16


def squared_distance(x, yt):
    return sum((x[:, d, None] - yt[d, None, :]) ** 2 for d in range(x.shape[1]))


def gauss(x, yt, b):
    return (torch.exp(-squared_distance(x, yt)) * b).sum(1, keepdim=True)


def gauss_grad(x, yt, b, e):
    weights = torch.exp(-squared_distance(x, yt)) * b
    return torch.stack([-2 * e[:, 0] * (weights * (x[:, d, None] - yt[d, None, :])).sum(1) for d in range(x.shape[1])], 1)


def lse(x, yt):
    return torch.logsumexp(-10 * squared_distance(x, yt), 1, keepdim=True)


def nearest(x, yt):
    return squared_distance(x, yt).argmin(1, keepdim=True)


def prepare(job, inputs, threads):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    inputs = {name: torch.from_numpy(table) for name, table in inputs.items()}
    function = {"gauss": gauss, "gauss-grad": gauss_grad, "lse": lse, "nearest": nearest}.get(job)
    if function is None or inputs["x"].shape[1] > LARGEST_UNROLLED:
        return f"PyTorch {torch.__version__}", []
    compiled = torch.compile(function, dynamic=False)

    def call():
        columns = [inputs["b"][:, 0]] if "b" in inputs else []
        seeds = [inputs["e"]] if "e" in inputs else []
        return compiled(inputs["x"], inputs["y"].T.contiguous(), *columns, *seeds)

    return f"PyTorch {torch.__version__}", [("torch.compile, one fused loop", call)]
