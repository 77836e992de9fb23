# A Spack recipe. Not built here: it names what the build needs, for a site that uses Spack to begin from.
# Put it into a repository of your own (spack repo create), in packages/huddle/package.py, with this source tree as
# its url or by `spack develop`.
from spack.package import *


class Huddle(CMakePackage):
    """Measures MPI programs, predicts which packing of their ranks onto fewer nodes saves energy, and applies it."""

    license("Apache-2.0")
    version("0.3.0")

    variant("slurm", default=True, description="Build the plugin for Slurm; it fits one version of Slurm only")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("tomlplusplus")
    depends_on("robin-map")
    depends_on("eigen@3.4:")
    depends_on("metis@5")
    depends_on("otf2@3:")
    depends_on("hwloc@2.9:")
    # The recorder wants Open MPI's compiler under the name that Debian gives it, mpicxx.openmpi; here it is mpicxx.
    depends_on("openmpi@4.1:5")
    depends_on("slurm@22.05:24.11", when="+slurm")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define_from_variant("HUDDLE_SLURM", "slurm"),
            self.define("HUDDLE_OPENMPI_CXX", self.spec["openmpi"].prefix.bin.mpicxx),
        ]
