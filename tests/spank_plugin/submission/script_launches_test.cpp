#include "spank_plugin/submission/asked/script_launches.hpp"

#include <doctest/doctest.h>

namespace huddle::submission {
namespace {

TEST_CASE("steps of one size give it to a job that has none") {
  const LaunchSize of_two_cores = {8, 2};
  CHECK(size_of_launches("srun -n 8 -c 2 --cpu-bind=cores ./app\n") == of_two_cores);
  CHECK(size_of_launches("srun --ntasks=8 --cpus-per-task 2 ./app -n 4\n") == of_two_cores);
  CHECK(size_of_launches("srun -n1 ./mesh\nsrun -N4 -n8 -c2 ./app\nsrun -n8 -c2 ./app\n") ==
        of_two_cores);
  CHECK(size_of_launches("RUN=\"srun -n 8 -c 2\"\n$RUN ./app\n") == of_two_cores);
  CHECK(size_of_launches("# mpirun ./app\nsrun -n8 ./app\n") == LaunchSize{8, 1});
}

TEST_CASE("no size is taken from steps that differ, or have none, or where the script reads it") {
  for (const char* script :
       {"", "echo hello\n", "srun ./app\n", "mpirun -np 8 ./app\n",
        "srun -n 8 ./app; srun -n 4 ./app\n", "srun -n 8 ./app; srun -n 8 -c 2 ./app\n",
        "srun -n 8 ./app; srun hostname\n", "srun -n $RANKS ./app\n",
        "srun -n 8 -c $THREADS ./app\n", "srun -n 1 ./app\n",
        "srun -n 8 ./app; echo $SLURM_NTASKS\n", "mpirun -np ${SLURM_NPROCS} ./app\n"}) {
    CAPTURE(script);
    CHECK(size_of_launches(script) == std::nullopt);
  }
}

}  // namespace
}  // namespace huddle::submission
