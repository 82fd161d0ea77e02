"""Plans of networks to draw, as their JSON says them, and TAP."""
import json
import os
import subprocess

STOWAGE = os.environ["STOWAGE"]

# names, a path and a size that a page could stumble over
ODD = """network odd {
  input  x : f32[3, 8, 8]
  target t : class[4]
  y = x -> conv(4, 3, pad=1) -> batchnorm -> relu -> maxpool(2) -> flatten -> dense(4)
  loss cross_entropy(y, t)
}
train { batch 8  data synthetic(64) }
"""

INFERENCE = """network inference {
  input x : f32[4]
  y = x -> dense(2)
}
"""


def chain(layers):
    """A network of that many layers, each with some ten buffers."""
    return f"""block unit() {{
  out = in -> conv(8, 3, pad=1) -> batchnorm -> relu
}}
network chain {{
  input  x : f32[8, 16, 16]
  target t : class[10]
  y = x -> {layers} * unit() -> flatten -> dense(10)
  loss cross_entropy(y, t)
}}
train {{ batch 4  optimizer sgd(lr=0.1, momentum=0.9)  data synthetic(64) }}
"""


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def plan(spec, form, *options):
    return subprocess.run([STOWAGE, "plan", "--format", form, *options, spec], check=True,
                          stdout=subprocess.PIPE).stdout


def plan_json(spec, *options):
    return json.loads(plan(spec, "json", *options))


def result(good, name, why=""):
    print(f"{'ok' if good else 'not ok'} 0 - {name}", flush=True)
    if not good and why:
        print("# " + str(why).replace("\n", "\n# "), flush=True)
