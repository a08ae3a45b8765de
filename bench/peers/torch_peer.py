"""A net in PyTorch, by its twin of bench/twins: eager, channels_last or compiled. Or products of large matrices."""

import pathlib
import sys

import nets
import protocol
import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import twins  # noqa: E402


def training(form, name):
    torch.manual_seed(0)
    net = nets.NETS[name]
    layout = torch.channels_last if form == "channels_last" else torch.contiguous_format
    images, labels = nets.examples(net)
    images = [torch.from_numpy(x).to(memory_format=layout) for x in images]
    labels = [torch.from_numpy(y) for y in labels]
    model = twins.NETS[name].twin().to(memory_format=layout)
    optimizer = torch.optim.SGD(model.parameters(), net.lr, net.momentum, weight_decay=net.weight_decay)
    forward = torch.compile(model) if form == "compile" else model

    def run(steps):
        for i in range(steps):
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(forward(images[i % len(images)]), labels[i % len(labels)])
            loss.backward()
            optimizer.step()
        return loss.item()

    return run


def products(size):
    """A step is one product of square matrices: the sgemm peak."""
    a, b, c = (torch.rand(size, size) for _ in range(3))

    def run(steps):
        for _ in range(steps):
            torch.mm(a, b, out=c)
        return c[0, 0].item()

    return run


def main():
    args = protocol.arguments(["eager", "channels_last", "compile", "sgemm"])
    torch.set_num_threads(args.threads)
    run = products(int(args.net)) if args.form == "sgemm" else training(args.form, args.net)
    protocol.serve(run, args.steps)


if __name__ == "__main__":
    main()
