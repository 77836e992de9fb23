#include "spank_plugin/launch/mpirun_command_line.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

namespace huddle::launch {
namespace {

bool may_follow(const std::string& line, unsigned long ranks = 16) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return mpirun_may_follow({words.begin(), words.end()}, ranks);
}

TEST_CASE("an mpirun that says nothing of places follows the plan") {
  CHECK(may_follow("mpirun ./app"));
  CHECK(may_follow("mpirun ./app --size 5"));
  CHECK(may_follow("mpirun -x PATH --mca btl tcp,self ./app"));
  CHECK(may_follow("mpirun"));
}

TEST_CASE("the number of ranks may be said if it is the plan's") {
  for (const char* option : {"-n", "-np", "--np", "-c", "--n"}) {
    CAPTURE(option);
    CHECK(may_follow(std::string("mpirun ") + option + " 16 ./app"));
    CHECK_FALSE(may_follow(std::string("mpirun ") + option + " 8 ./app"));
    CHECK_FALSE(may_follow(std::string("mpirun ") + option + " 16x ./app"));
    CHECK_FALSE(may_follow(std::string("mpirun ") + option));
  }
  CHECK(may_follow("mpirun --mca btl tcp -x A -n 16 ./app"));
  CHECK_FALSE(may_follow("mpirun --mca btl tcp -x A -n 4 ./app"));
  CHECK(may_follow("mpirun ./app -n 4"));  // the program's own option
  CHECK(may_follow("mpirun -n 16 ./app -N 100 -f input"));
}

TEST_CASE("who places ranks himself is obeyed") {
  for (const char* option :
       {"-H a,b", "--host a", "--hostfile f", "-machinefile f", "--map-by node", "--map-by=node",
        "-bind-to none", "--rank-by core", "-N 2", "-npernode 2", "--rankfile f", "-rf f",
        "--cpu-set 0-3", "--mca rmaps_base_mapping_policy node",
        "--mca hwloc_base_binding_policy core", "--app f", "--oversubscribe"}) {
    CAPTURE(option);
    CHECK_FALSE(may_follow(std::string("mpirun ") + option + " ./app"));
    CHECK_FALSE(may_follow(std::string("mpirun -n 16 ") + option + " ./app"));
  }
}

TEST_CASE("several programs follow the plan together, if each says its number of ranks") {
  CHECK(may_follow("mpirun -n 8 ./a : -n 8 ./b"));
  CHECK(may_follow("mpirun -x A -n 1 ./a -n 3 : --np 15 ./b"));
  CHECK_FALSE(may_follow("mpirun -n 8 ./a : -n 4 ./b"));
  CHECK_FALSE(may_follow("mpirun -n 16 ./a : ./b"));
  CHECK_FALSE(may_follow("mpirun ./a : -n 16 ./b"));
  CHECK_FALSE(may_follow("mpirun -n 4294967295 ./a : -n 17 ./b"));
  CHECK_FALSE(may_follow("mpirun -n 8 ./a : -n 8 --host b ./b"));
}

TEST_CASE("whether an mpirun starts the job's ranks is seen by their number, wherever they go") {
  const auto starts = [](const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return mpirun_starts({words.begin(), words.end()}, 16);
  };
  CHECK(starts("mpirun ./app"));
  CHECK(starts("mpirun --map-by node -n 16 ./app -n 4"));
  CHECK(starts("mpiexec.hydra -np 16 ./app"));
  CHECK_FALSE(starts("mpirun -n 4 ./app"));
  CHECK_FALSE(starts("mpirun -n 16 ./a : -n 16 ./b"));
}

TEST_CASE("the number of ranks of an mpirun is what it is asked for") {
  CHECK(mpirun_count({"mpirun", "-x", "A", "-np", "4", "./app", "-n", "9"}) == 4);
  CHECK(mpirun_count({"mpirun", "./app"}) == 0);
  CHECK(mpirun_count({"mpirun", "-n"}) == 0);
  CHECK(mpirun_count({"mpirun", "-n", "many", "./app"}) == 0);
  CHECK(mpirun_count({"mpirun", "-n", "4", "./a", ":", "-n", "4", "./b"}) == 8);
  CHECK(mpirun_count({"mpirun", "-n", "4", "./a", ":", "./b"}) == 0);
}

TEST_CASE("the program of an mpirun stands behind its options") {
  const auto program = [](const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    std::string text;
    for (const auto& command : mpirun_programs({words.begin(), words.end()})) {
      if (!text.empty()) text += ": ";
      for (const std::string& word : command) text += word + ' ';
    }
    return text;
  };
  CHECK(program("mpirun ./app -n 4") == "./app -n 4 ");
  CHECK(program("mpirun -np 4 --mca btl self -x A=1 -q ./app") == "./app ");
  CHECK(program("mpirun --oversubscribe --map-by node --bind-to=core ./app x") == "./app x ");
  CHECK(program("mpiexec -genv A 1 -ppn 2 ./app") == "./app ");
  CHECK(program("mpirun -n 4 ./a x : -n 4 -x A ./b") == "./a x : ./b ");
}

TEST_CASE("where an option is not known, or a program is missing, none is known") {
  CHECK(mpirun_programs({"mpirun", "--novelty", "./a", "./b"}).empty());
  CHECK(mpirun_programs({"mpirun", "-n", "4", "./a", ":", "--novelty", "4", "./b"}).empty());
  CHECK(mpirun_programs({"mpirun", "-n", "4", "./a", ":"}).empty());
  CHECK(mpirun_programs({"mpirun", "-n", "4"}).empty());
  CHECK(mpirun_programs({"mpirun"}).empty());
}

}  // namespace
}  // namespace huddle::launch
