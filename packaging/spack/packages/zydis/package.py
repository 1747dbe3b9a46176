# Spack's own collection does not have Zydis.
from spack.package import *


class Zydis(CMakePackage):
    """Decoder of x86 and x86-64 instructions."""

    homepage = "https://zydis.re"
    git = "https://github.com/zyantific/zydis.git"

    license("MIT")

    version("4.1.0", tag="v4.1.0", commit="569320ad3c4856da13b9dbf1f0d9e20bda63870e", submodules=True)

    depends_on("c", type="build")
    depends_on("cxx", type="build")

    def cmake_args(self):
        return [
            self.define("BUILD_SHARED_LIBS", True),
            self.define("ZYDIS_BUILD_EXAMPLES", False),
            self.define("ZYDIS_BUILD_TOOLS", False),
        ]
