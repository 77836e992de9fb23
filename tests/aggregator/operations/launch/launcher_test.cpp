#include "aggregator/operations/launch/launcher.hpp"

#include <doctest/doctest.h>

#include "profiles/files/atomic_file.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::operations {
namespace {

// Two nodes of two ranks, each rank on a core of two PUs.
Plan small_plan() {
  Plan plan;
  plan.ranks = 4;
  plan.chosen.nodes = 2;
  for (std::uint32_t node = 0; node < 2; ++node)
    for (const char* pus : {"0,4", "5"})
      plan.placement.push_back({NodeIndex{node}, PuSet::parse(pus)});
  return plan;
}

struct Placed {
  RunRequest request;
  std::string file;
};

Placed place(const std::string& command) {
  const store::TemporaryDirectory folder;
  const Launcher launcher(command, {"a", "b"});
  Placed placed;
  placed.request.variables = {{"NAME", "value"}};
  launcher.place(placed.request, small_plan(), {"program", "-x"}, folder.path());
  const bool ranks = launcher.kind() == LauncherKind::kOpenMpi;
  const auto path = folder.path() / (ranks ? "rankfile" : "hostfile");
  placed.file = files::read_file(path, 1000);
  for (std::string& word : placed.request.command)
    if (word == path.string()) word = "FILE";
  return placed;
}

using Words = std::vector<std::string>;

TEST_CASE("srun gets a host file and a mask for each rank of a node") {
  const Placed placed = place("/usr/bin/srun --mpi=pmix");
  CHECK(placed.request.command == Words{"/usr/bin/srun", "--mpi=pmix", "--ntasks=4",
                                        "--distribution=arbitrary", "--cpu-bind=mask_cpu:0x11,0x20",
                                        "program", "-x"});
  CHECK(placed.file == "a\na\nb\nb\n");
  CHECK(placed.request.variables.back().first == "SLURM_HOSTFILE");
}

TEST_CASE("MPICH's mpirun gets a host file and a PU for each rank of a node") {
  const Placed placed = place("mpirun.mpich");
  CHECK(placed.request.command ==
        Words{"mpirun.mpich", "-n", "4", "-f", "FILE", "-bind-to", "user:0,5", "program", "-x"});
  CHECK(placed.file == "a:2\nb:2\n");
}

TEST_CASE("Open MPI's mpirun gets a rankfile, and variables by name") {
  const Placed placed = place("/no/mpirun --tag");
  CHECK(placed.request.command == Words{"/no/mpirun", "--tag", "--mca", "rmaps_rank_file_physical",
                                        "1", "--rankfile", "FILE", "-np", "4", "-x", "NAME",
                                        "program", "-x"});
  CHECK(placed.file.find("rank 3=b slot=") != std::string::npos);
}

TEST_CASE("without hosts a launcher is for this machine, without words it is refused") {
  CHECK(Launcher("srun", {}).hosts() == Words{"localhost"});
  CHECK_THROWS_AS(Launcher("  ", {}), UsageError);
}

}  // namespace
}  // namespace huddle::operations
