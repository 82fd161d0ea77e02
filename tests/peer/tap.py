"""Reports in TAP, of the scripts beside this one."""
n = 0


def result(good, name, more=""):
    """What MORE says is shown of what failed."""
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}", flush=True)
    for line in str(more).splitlines() if not good else []:
        print("#", line)


def skip(name, why):
    global n
    n += 1
    print(f"ok {n} - {name} # SKIP {why}", flush=True)


def done():
    print(f"1..{n}")
