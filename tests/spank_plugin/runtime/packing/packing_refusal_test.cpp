#include "spank_plugin/runtime/packing/packing_refusal.hpp"

#include <doctest/doctest.h>

#include <map>

namespace huddle::runtime {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

std::string refusal(const Variables& variables, bool libgomp = true) {
  return why_not_packed(
      [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      libgomp);
}

}  // namespace

TEST_CASE("users who say where threads run are obeyed, and told by which variable") {
  const Variables sleeps = {{"GOMP_SPINCOUNT", "300"}};
  CHECK(refusal(sleeps).empty());
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    for (const bool libgomp : {true, false}) {
      Variables bound = sleeps;
      bound[name] = "close";
      CHECK(refusal(bound, libgomp) == std::string(name) + " says where threads run");
      bound[name] = "";
      CHECK(refusal(bound, libgomp).empty());
    }
  CHECK(refusal({{"GOMP_SPINCOUNT", "300"}, {"OMP_PROC_BIND", "false"}}).empty());
  CHECK(refusal({{"GOMP_SPINCOUNT", "300"}, {"KMP_AFFINITY", "disabled"}}).empty());
}

TEST_CASE("threads of libgomp that look for work for long are not packed") {
  for (const char* spins : {"300", "0", "1000"})
    CHECK(refusal({{"GOMP_SPINCOUNT", spins}}).empty());
  for (const char* spins : {"1001", "infinity", "50000", "-1", "99999999999999999999"})
    CHECK_FALSE(refusal({{"GOMP_SPINCOUNT", spins}}).empty());
  CHECK_FALSE(refusal({}).empty());
  CHECK(refusal({{"OMP_WAIT_POLICY", "passive"}}).empty());
  CHECK_FALSE(refusal({{"OMP_WAIT_POLICY", "active"}}).empty());
  CHECK_FALSE(refusal({{"OMP_WAIT_POLICY", "passive"}, {"GOMP_SPINCOUNT", "90000"}}).empty());
}

TEST_CASE("threads of libomp are packed unless the user says that they don't yield") {
  CHECK(refusal({}, false).empty());
  CHECK(refusal({{"GOMP_SPINCOUNT", "infinity"}}, false).empty());
  CHECK(refusal({{"KMP_USE_YIELD", "1"}}, false).empty());
  for (const Variables& spins :
       {Variables{{"OMP_WAIT_POLICY", "ACTIVE"}}, Variables{{"OMP_WAIT_POLICY", "active"}},
        Variables{{"KMP_LIBRARY", "turnaround"}}}) {
    CHECK_FALSE(refusal(spins, false).empty());
    Variables yields = spins;
    yields["KMP_USE_YIELD"] = "1";
    CHECK(refusal(yields, false).empty());
  }
  CHECK(refusal({{"OMP_WAIT_POLICY", "passive"}, {"KMP_LIBRARY", "throughput"}}, false).empty());
  for (const char* yields : {"0", "2"}) {
    CHECK_FALSE(refusal({{"KMP_USE_YIELD", yields}}, false).empty());
    CHECK(refusal({{"KMP_USE_YIELD", yields}, {"GOMP_SPINCOUNT", "300"}}).empty());
  }
}

}  // namespace huddle::runtime
