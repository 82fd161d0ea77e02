"""Reports in TAP."""
import traceback


def ok(holds, name, why=""):
    print(("ok" if holds else "not ok") + " 0 - " + name, flush=True)
    if not holds:
        for line in str(why).splitlines()[:40]:
            print("# " + line[:2000], flush=True)


def equal(got, wanted, name):
    ok(got == wanted, name, f"got:    {got!r}\nwanted: {wanted!r}")


def case(test):
    """Runs a test; what it raises is a failure of it, and the others go on. Its first line of documentation is
    its name, if it has one."""
    try:
        test()
    except Exception:
        ok(False, test.__name__, traceback.format_exc())
