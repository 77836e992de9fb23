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

TEST_CASE("the largest step of a script is known where its text shows all of them") {
  CHECK(most_ranks_of_steps("cd run\nfor i in 1 2; do\n  srun -n 2 ./app $i &\ndone\nwait\n") ==
        2U);
  CHECK(most_ranks_of_steps("if srun -n1 ./check; then srun --exact -n 4 ./app; fi\n") == 4U);
  CHECK(most_ranks_of_steps("mpirun -np 2 ./a : -np 3 ./b\nsrun -n4 ./app\n") == 5U);
}

TEST_CASE("a script starts ranks by mpirun alone if it names no srun") {
  CHECK(starts_by_mpirun_alone("module load mpi\n/opt/bin/mpirun ./app\n"));
  CHECK_FALSE(starts_by_mpirun_alone("srun hostname\nmpirun ./app\n"));
  CHECK_FALSE(starts_by_mpirun_alone("./driver.py\n"));
}

TEST_CASE("it is not known where a command may start more, or gives no number") {
  for (const char* script : {"srun ./app\n", "srun -n $RANKS ./app\n", "mpirun ./app\n",
                             "./driver.py\nsrun -n2 ./app\n", "N=$SLURM_NTASKS\nsrun -n2 ./app\n",
                             "eval $RUN ./app\nsrun -n 2 ./app\n", "echo only\n", ""}) {
    CAPTURE(script);
    CHECK_FALSE(most_ranks_of_steps(script).has_value());
  }
}

}  // namespace
}  // namespace huddle::submission
