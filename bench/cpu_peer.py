"""A process of PyTorch that trains a network on the CPU whenever it is asked to (pytorch_cpu.py)."""
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class PyTorch:
    """Asleep while others run, so that its start counts in no turn."""

    def __init__(self, python, network, layout):
        self.layout = layout
        self.process = subprocess.Popen([python, f"{HERE}/pytorch_cpu.py", network, "--layout", layout], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, threads, updates, epochs):
        """Its samples_per_s, of the fastest epoch, and peak_kib."""
        self.process.stdin.write(f"{threads} {updates} {epochs}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("bench: PyTorch failed")
        time.sleep(0.5)     # its threads may spin for a while before they sleep
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()
