#include "spank_plugin/submission/asked/batch_script.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "spank_plugin/submission/asked/placing_options.hpp"

namespace huddle::submission {
namespace {

// Empty if nothing is refused.
std::string why_kept(std::string_view script) {
  const Verdict kept = script_keeps_nodes(script, {8, 16});
  std::string text = kept ? text_of(*kept) : std::string();
  return text.substr(0, text.find("; nodes=fewer if that is safe"));
}

TEST_CASE("a script that parts its job says so in a line of its own, in front of its commands") {
  CHECK(asks_for_several_parts("#!/bin/bash\n#SBATCH -N2\n#SBATCH hetjob\n#SBATCH -N1\nsrun a\n"));
  CHECK(asks_for_several_parts("#!/bin/bash\n\n# a comment\n#SBATCH \t packjob # the old word\n"));
  CHECK_FALSE(asks_for_several_parts("#!/bin/bash\n#SBATCH -N2\nsrun a\n#SBATCH hetjob\n"));
  CHECK_FALSE(asks_for_several_parts("#!/bin/bash\n#SBATCH --job-name=hetjob\nsrun a\n"));
  CHECK_FALSE(asks_for_several_parts("#!/bin/sh\n#SBATCHhetjob\n# SBATCH hetjob\n#SBATCH hetjobs"));
  CHECK_FALSE(asks_for_several_parts(""));
}

TEST_CASE("a long text is not read to its end") {
  std::string script = "#!/bin/bash\n";
  while (script.size() < (2U << 20U)) script += "# " + std::string(1000, 'x') + "\n";
  CHECK_FALSE(asks_for_several_parts(script + "#SBATCH hetjob\n"));
  CHECK(why_kept(script + "srun -N8 ./app\n") == "");
}

TEST_CASE("a colon parts a command line") {
  CHECK(parts_its_command_line({"srun", "-n1", "a", ":", "-n1", "b"}));
  CHECK_FALSE(parts_its_command_line({"sbatch", "--export=A:B", "job.sh"}));
}

TEST_CASE("a script that only starts its ranks may run on fewer nodes") {
  for (const char* script :
       {"#!/bin/bash\n#SBATCH -N 8\n#SBATCH --ntasks-per-node=2\nmodule load openmpi\nsrun ./app\n",
        "srun -n $SLURM_NTASKS ./app -N 100 --nodes 3\n",
        "srun --mpi=pmix -l --exclusive ./app -N 4\n",
        "srun --cpu-bind=cores --distribution=block:block --threads-per-core=1 ./app\n",
        "srun -m block -N8 --ntasks-per-node=2 ./app\n",
        "srun -N $SLURM_NNODES -n ${SLURM_NTASKS} ./app\n",
        "srun --nodes=${SLURM_JOB_NUM_NODES} --ntasks-per-node 2 ./app\n",
        "export SLURM_CPU_BIND=cores\nexport SLURM_DISTRIBUTION=\"block:block\"\nsrun ./app\n",
        "unset SLURM_CPU_BIND SLURM_DISTRIBUTION\nsrun ./app\n",
        "mpirun --bind-to core -np $SLURM_NTASKS ./app\n",
        "mpirun -bind-to-core --bind-to=core ./app\n",
        "srun -o out.%j -e err -t 5 ./app -w 3\n",
        "mpirun -np 16 ./app -N 4 -f input\n",
        "mpirun -x A=1 -x B --mca btl tcp,self ./app -H 1\n",
        "mpiexec.hydra -n 16 -l ./app -ppn 4\n",
        "# srun -N8 ./app, SLURM_NNODES\nsrun ./app\n",
        "echo \"on $SLURM_JOB_NODELIST ($SLURM_NNODES nodes)\"; srun ./app\n",
        "printf '%s\\n' \"$SLURM_NODELIST\" >&2\nsrun ./app\n",
        "cd \"$SLURM_SUBMIT_DIR\" || exit\nexport OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK\nsrun ./a\n",
        "for i in 1 2; do srun ./step $i & done; wait\n",
        "MY_SLURM_NNODES=3; ./a $MY_SLURM_NNODES\n",
        "srun -N1 -n1 hostname; srun --ntasks=1 --nodes 1 ./prepare & wait\n",
        "subprocess.run([\"srun\", \"--mpi=pmix\", \"./app\", \"-N\", \"3\"])\n",
        "",
        "\\",
        "'",
        "$(",
        "`"}) {
    CAPTURE(script);
    CHECK(why_kept(script) == "");
  }
}

TEST_CASE("a script that uses what Slurm says of its nodes keeps them") {
  CHECK(why_kept("srun -n $((SLURM_NNODES*2)) ./app\n") ==
        "your script uses its nodes (SLURM_NNODES)");
  CHECK(why_kept("./split -N $SLURM_NNODES; srun ./app\n") ==
        "your script uses its nodes (SLURM_NNODES)");
  for (const char* script :
       {"srun ./app --parts $SLURM_NNODES\n", "srun ./app -N $SLURM_NNODES\n",
        "srun -n 16 ./app --nodes=$SLURM_NNODES\n", "./split -N $SLURM_NNODES srun ./app\n"}) {
    CAPTURE(script);
    CHECK(why_kept(script) == "your script uses its nodes (SLURM_NNODES)");
  }
  CHECK(why_kept("export SLURM_CPU_BIND=rank\n") == "your script uses its nodes (SLURM_CPU_BIND)");
  CHECK(why_kept("echo $SLURM_CPU_BIND > bound\n") ==
        "your script uses its nodes (SLURM_CPU_BIND)");
  CHECK(why_kept("./split --parts ${SLURM_JOB_NUM_NODES}\n") ==
        "your script uses its nodes (SLURM_JOB_NUM_NODES)");
  CHECK(why_kept("echo $SLURM_JOB_NODELIST | tr , '\\n' > hosts\n") ==
        "your script uses its nodes (SLURM_JOB_NODELIST)");
  CHECK(why_kept("echo $SLURM_JOB_NODELIST > hosts\n") ==
        "your script uses its nodes (SLURM_JOB_NODELIST)");
  CHECK(why_kept("N=`echo $SLURM_NNODES`\n") == "your script uses its nodes (SLURM_NNODES)");
  CHECK(why_kept("N=\"$(echo $SLURM_NNODES)\"\n") == "your script uses its nodes (SLURM_NNODES)");
  CHECK(why_kept("#!/usr/bin/python3\nn = os.environ['SLURM_NNODES']\n") ==
        "your script uses its nodes (SLURM_NNODES)");
  CHECK(why_kept("if [ $SLURM_LOCALID = 0 ]; then cp a b; fi\n") ==
        "your script uses its nodes (SLURM_LOCALID)");
  CHECK(why_kept("scontrol show hostnames > hosts\n") ==
        "your script lists its nodes (scontrol show hostnames)");
}

TEST_CASE("a script whose launchers place ranks keeps its nodes") {
  const auto placing = [](const std::string& what) {
    return "your script places ranks itself (" + what + ")";
  };
  CHECK(why_kept("srun -N4 ./app\n") == placing("srun -N4"));
  CHECK(why_kept("srun -N8 -n8 ./prepare\n") == placing("srun -N8"));
  CHECK(why_kept("srun -N8 --cpu-bind=rank ./app\n") == placing("srun --cpu-bind"));
  CHECK(why_kept("srun -N8 -m cyclic ./app\n") == placing("srun -m"));
  CHECK(why_kept("mpirun --bind-to socket ./app\n") == placing("mpirun --bind-to"));
  CHECK(why_kept("time srun --mpi=pmix \\\n  --ntasks-per-node=1 ./setup\n") ==
        placing("srun --ntasks-per-node"));
  CHECK(why_kept("/usr/bin/srun -n 4 -w $HOST ./app\n") == placing("srun -w"));
  CHECK(why_kept("export RUN=\"srun -N 2\"\n$RUN ./app\n") == placing("srun -N"));
  CHECK(why_kept("RUN='mpirun --map-by ppr:2:node'\n$RUN ./app\n") == placing("mpirun --map-by"));
  CHECK(why_kept("srun $OPTIONS -N 2 ./app\n") == placing("srun -N"));
  CHECK(why_kept("mpirun -npernode 2 ./app\n") == placing("mpirun -npernode"));
  CHECK(why_kept("mpirun -np 4 -hostfile hosts ./app\n") == placing("mpirun -hostfile"));
  CHECK(why_kept("mpiexec.hydra -ppn 2 ./app\n") == placing("mpiexec.hydra -ppn"));
  CHECK(why_kept("mpirun -x A=1 --mca btl tcp,self -H a,b ./app\n") == placing("mpirun -H"));
  CHECK(why_kept("srun -N1 -n4 ./app\n") == placing("srun -N1"));
  CHECK(why_kept("srun -n1 -N1 -w n0 ./app\n") == placing("srun -w"));
  CHECK(why_kept("if true; then x=1 && (srun -N1 a); fi\n") == placing("srun -N1"));
  CHECK(why_kept("run([\"srun\", \"-N\", \"4\", \"./app\"])\n") == placing("srun -N"));
}

TEST_CASE(
    "every option of srun that places ranks keeps a script's nodes, but sharing cores does not") {
  for (const PlacingOption& option : kPlacingOptions) {
    CAPTURE(option.name);
    const bool kept = !why_kept(fmt::format("srun --{}=3 ./app\n", option.name)).empty();
    CHECK(kept == option.needs_nodes);
    if (option.letter == 0) continue;
    const std::string by_letter = fmt::format("srun -{} 3 ./app\n", option.letter);
    CHECK(why_kept(by_letter).empty() != option.needs_nodes);
  }
  CHECK(why_kept("srun --overcommit -O ./app\n").empty());
}

TEST_CASE(
    "a script is known by its commands and arguments, not by its comments or options of Slurm") {
  const std::string script = "#!/bin/bash\n#SBATCH --time=10\nsrun ./app\n";
  const std::string digest = script_digest(script, {});
  CHECK(digest.size() == 16);
  CHECK(script_digest("#!/bin/bash\n#SBATCH --time=20\n\n  # a remark\n  srun ./app  \n", {}) ==
        digest);
  CHECK(script_digest("srun ./app2\n", {}) != digest);
  CHECK(script_digest(script, {"4096"}) != digest);
  CHECK(script_digest(script, {"40", "96"}) != script_digest(script, {"4096"}));
}

TEST_CASE("the first program that a script lets a launcher start") {
  const auto launched = [](std::string_view script) {
    std::string text;
    for (const std::string& word : launched_in_script(script)) text += word + ' ';
    return text;
  };
  CHECK(launched("srun ./ring") == "./ring ");
  CHECK(launched("module load mpi\nsrun -n 4 --mpi=pmix --label ./ring -n 3") == "./ring -n 3 ");
  CHECK(launched("mpirun -np 4 python3 solve.py") == "python3 solve.py ");
  CHECK(launched("time /usr/bin/srun ./ring") == "./ring ");
  CHECK(launched("echo nothing").empty());
  CHECK(launched("srun").empty());
}

TEST_CASE("a script that starts a step of several parts keeps its nodes, which each part wants") {
  CHECK(why_kept("srun -n1 ./a : -n1 ./b\n") == "your script places ranks itself (srun :)");
  CHECK(why_kept("srun -n2 ./a\necho a : b\n").empty());
}

}  // namespace
}  // namespace huddle::submission
