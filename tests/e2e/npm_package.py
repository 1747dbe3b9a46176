"""A package of the npm registry, for tests that need a program or script of others."""

import os
import shutil
import subprocess


def unpacked(name, folder, seconds=60):
    """Fetches `name` ("speedscope@1", "@scope/name@1") and returns the folder of its content below `folder`; None: npm is not installed, or
    the registry cannot be reached. Nothing is installed, and no script of the package is run."""
    if not shutil.which("npm"):
        return None
    inside = os.path.join(folder, "npm-" + name.lstrip("@").split("@")[0].replace("/", "-"))
    os.makedirs(inside, exist_ok=True)
    try:
        done = subprocess.run(["npm", "pack", "--silent", name], cwd=inside, check=False, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    files = [file for file in os.listdir(inside) if file.endswith(".tgz")]
    if done.returncode or not files:
        return None
    subprocess.run(["tar", "-xzf", files[0]], cwd=inside, check=True)
    return os.path.join(inside, "package")
