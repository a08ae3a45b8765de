"""mnist_cnn in PyTorch: eager, channels_last or compiled."""

import argparse
import pathlib

import protocol
import torch
import torch.nn.functional as F
from torch import nn


class MnistCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, padding=1)
        self.conv2 = nn.Conv2d(32, 32, 3, padding=1)
        self.dense1 = nn.Linear(6272, 512)
        self.dense2 = nn.Linear(512, 512)
        self.dense3 = nn.Linear(512, 10)

    def forward(self, x):
        h = F.relu(self.conv2(F.relu(self.conv1(x))))
        h = F.max_pool2d(h, 2).flatten(1)
        h = F.relu(self.dense1(h))
        return self.dense3(F.relu(self.dense2(h)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("form", choices=["eager", "channels_last", "compile"])
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)

    layout = torch.channels_last if args.form == "channels_last" else torch.contiguous_format
    images, labels = protocol.batches(args.data)
    images = [torch.from_numpy(x).to(memory_format=layout) for x in images]
    labels = [torch.from_numpy(y) for y in labels]
    model = MnistCnn().to(memory_format=layout)
    optimizer = torch.optim.SGD(model.parameters(), lr=protocol.LEARNING_RATE)
    forward = torch.compile(model) if args.form == "compile" else model

    def run(steps):
        for i in range(steps):
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(forward(images[i % len(images)]), labels[i % len(labels)])
            loss.backward()
            optimizer.step()
        return loss.item()

    protocol.serve(run, args.steps)


if __name__ == "__main__":
    main()
