"""The part of Spack's language that our packages use, so that they can be read without Spack.

spack_stub.py REPOSITORY SOURCES: loads every package of the repository, checks that each has what Spack's audit asks
for, and configures the unpacked SOURCES with the arguments of `countersink`. It does not know whether Spack has the
dependencies; they are printed.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import types

facts = {}


def directive(name):
    def record(*words, **more):
        facts.setdefault(name, []).append((words, more))

    return record


class CMakePackage:
    def define(self, name, value):
        return f"-D{name}:BOOL={'ON' if value else 'OFF'}"


package_module = types.ModuleType("spack.package")
package_module.CMakePackage = CMakePackage
for word in ("version", "depends_on", "license", "conflicts"):
    setattr(package_module, word, directive(word))
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = package_module


def load(path):
    """The class of a package, and what it says of itself."""
    facts.clear()
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    classes = [value for value in names.values() if isinstance(value, type) and issubclass(value, CMakePackage) and value is not CMakePackage]
    assert len(classes) == 1, f"{path}: {len(classes)} packages"
    # Spack finds the class by the name of the folder.
    assert classes[0].__name__.lower() == path.parent.name, path
    assert classes[0].__doc__ and classes[0].homepage, f"{path}: no description or no homepage"
    assert facts.get("license"), f"{path}: no license"
    for words, more in facts["version"]:
        fixed = more.get("sha256", "") if "sha256" in more else more.get("commit", "")
        assert re.fullmatch("[0-9a-f]{64}|[0-9a-f]{40}", fixed), f"{path}: version {words[0]} has no checksum"
    return classes[0], dict(facts)


repository, sources = map(pathlib.Path, sys.argv[1:3])
assert re.search(r"^ +namespace: +\w+$", (repository / "repo.yaml").read_text(), re.M), "repo.yaml has no namespace"
for path in sorted(repository.glob("packages/*/package.py")):
    package, said = load(path)
    print(path.parent.name, said["version"][0][0][0], "needs", *[words[0] for words, _ in said.get("depends_on", [])])
    if path.parent.name == "countersink":
        arguments = package().cmake_args()
with tempfile.TemporaryDirectory() as folder:
    subprocess.run(["cmake", "-S", sources, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *arguments], check=True, stdout=subprocess.DEVNULL)
print("configured with", *arguments)
