"""Scripts of this folder, again as an ordinary user where they ran as root, for those of them that do nothing else."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ORDINARY = 65533


def run(folder, script, words, env):
    """(passed, failed) of SCRIPT as an ordinary user; what it says is passed on."""
    begun = time.monotonic()
    done = subprocess.run([os.path.join(folder, script), os.path.join(folder, "keyhole"), *words], cwd=folder, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          user=ORDINARY, group=ORDINARY, extra_groups=[], env={**os.environ, **env})
    lines = done.stdout.splitlines() or [""]
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed(, \d+ skipped)?", lines[-1])
    lines[-1] = "%s as user %d: %s, %.1f s" % (script, ORDINARY, lines[-1], time.monotonic() - begun)
    print("\n".join(lines), flush=True)
    if counts is None or int(counts.group(1)) == 0:
        return 0, 1
    return int(counts.group(1)), int(counts.group(2))


def again(scripts, programs, at_once=1, first=()):
    """Runs SCRIPTS [(name, more arguments, more variables)], which need PROGRAMS of the build folder, AT_ONCE; before them
    and one by one those of FIRST, which look at times.  The exit status."""
    if os.getuid() != 0:
        print("1 passed, 0 failed")  # they ran as an ordinary user already
        return 0
    here, build = os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.abspath(sys.argv[1]))
    with tempfile.TemporaryDirectory(prefix="keyhole-user-") as folder:
        os.chmod(folder, 0o755)
        for name in [one[0] for one in (*first, *scripts)] + [name for name in os.listdir(here) if name.endswith(".py")]:
            shutil.copy(os.path.join(here, name), folder)
        shutil.copy(sys.argv[1], os.path.join(folder, "keyhole"))
        for name in programs:
            os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
            shutil.copy(os.path.join(build, name), os.path.join(folder, name))
        results = [run(folder, *one) for one in first]
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            results += pool.map(lambda one: run(folder, *one), scripts)
    passed, failed = (sum(column) for column in zip(*results))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0
