# A recipe for Spack 1.0 or newer, for a site to begin from: Spack 0.23 has parsed it, but for the import of CMakePackage, which
# older versions have elsewhere; nothing was built by it. Put it into a repository of your own (spack repo create), in
# packages/huddle/package.py, and name this source tree by spack develop.
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Huddle(CMakePackage):
    """Measures MPI programs, predicts which packing of their ranks onto fewer nodes saves energy, and applies it."""

    license("Apache-2.0")
    version("0.3.0")

    variant("slurm", default=True, description="Build the plugin for Slurm; it fits one version of Slurm only")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("cli11")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("tomlplusplus")
    # Headers alone, and in no repository of Spack's: give it a recipe beside this one (spack create).
    depends_on("robin-map")
    depends_on("eigen@3.4:")
    depends_on("metis@5")
    depends_on("otf2@3:")
    depends_on("hwloc@2.9:")
    depends_on("openmpi@4.1:5")
    # The site's own, as an external.
    depends_on("slurm@22-05:24-11", when="+slurm")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define_from_variant("HUDDLE_SLURM", "slurm"),
            # A name that only Debian's Open MPI has is looked for.
            self.define("HUDDLE_OPENMPI_CXX", self.spec["openmpi"].prefix.bin.mpicxx),
            # Not among the files of another package: plugstack.conf names it by its path.
            self.define("HUDDLE_SLURM_PLUGIN_DIR", self.prefix.lib.slurm),
        ]
