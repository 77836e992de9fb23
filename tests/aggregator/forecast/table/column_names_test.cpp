#include "aggregator/forecast/table/detail/column_names.hpp"

#include <doctest/doctest.h>

using namespace huddle;

namespace {

void check_name(std::string_view header, std::string_view name, std::string_view unit) {
  const forecast::HeaderName read = forecast::read_header_name(header);
  CHECK_MESSAGE(read.name == name, header);
  CHECK_MESSAGE(read.unit == unit, header);
}

forecast::ColumnRole role_of(std::string_view header) {
  for (const forecast::ColumnRole role : forecast::kRoles)
    if (forecast::rank_for(role, forecast::read_header_name(header).name)) return role;
  return forecast::ColumnRole::variable;
}

}  // namespace

TEST_CASE("a unit stands in brackets, or behind a name that has a role") {
  check_name("Time[s]", "Time", "s");
  check_name("Time (ms)", "Time", "ms");
  check_name(" Energy [Wh] ", "Energy", "Wh");
  check_name("Time [s] (inclusive)", "Time (inclusive)", "s");
  check_name("Time (inclusive)", "Time (inclusive)", "");
  check_name("time_ms", "time", "ms");
  check_name("energy.Wh", "energy", "Wh");
  check_name("Inclusive usec", "Inclusive", "usec");
  check_name("time_min", "time_min", "");
  check_name("Time [min]", "Time", "min");
  check_name("L3 misses [M]", "L3 misses", "M");
  check_name("L3_misses_s", "L3_misses_s", "");
  check_name("threads", "threads", "");
  check_name("[s]", "[s]", "");
  check_name("", "", "");
}

TEST_CASE("names that tools and scripts give have their role") {
  for (const char* name : {"size", "ProbSize", "problem_size", "Problem Size", "n", "N"})
    CHECK_MESSAGE(role_of(name) == forecast::ColumnRole::size, name);
  for (const char* name : {"Procs", "processes", "ranks", "nprocs", "MPI ranks", "np", "num_procs"})
    CHECK_MESSAGE(role_of(name) == forecast::ColumnRole::processes, name);
  for (const char* name : {"Threads", "nthreads", "OMP_NUM_THREADS", "num threads", "cores"})
    CHECK_MESSAGE(role_of(name) == forecast::ColumnRole::threads, name);
  for (const char* name : {"Freq", "frequency", "cpu_freq", "Freq [MHz]", "frequency_ghz"})
    CHECK_MESSAGE(role_of(name) == forecast::ColumnRole::frequency, name);
  for (const char* name : {"Inclusive Time", "Inclusive TIME", "time", "time_s", "Time[s]",
                           "inclusive (ns)", "Time (ms)", "elapsed", "seconds", "runtime"})
    CHECK_MESSAGE(role_of(name) == forecast::ColumnRole::time, name);
  for (const char* name : {"Energy[J]", "energy_j", "Energy[Wh]", "joules", "ConsumedEnergyRaw"})
    CHECK_MESSAGE(role_of(name) == forecast::ColumnRole::energy, name);
  for (const char* name : {"NumCalls", "PAPI_L3_TCM", "instructions", "times", "s", "nx"})
    CHECK_MESSAGE(role_of(name) == forecast::ColumnRole::variable, name);
}

TEST_CASE(
    "numbers of runs and places, and what tells the energy, are no variables by their names") {
  for (const char* name :
       {"rank", "thread", "Thread ID", "node", "run", "", "pkg_energy", "edp", "AvgPower[W]"})
    CHECK_MESSAGE(!forecast::why_no_variable(forecast::read_header_name(name)).empty(), name);
  for (const char* name : {"PowerCap [W]", "calls", "PAPI_TOT_INS", "Exclusive Time"})
    CHECK_MESSAGE(forecast::why_no_variable(forecast::read_header_name(name)).empty(), name);
}

TEST_CASE("names say that times are exclusive or inclusive, or nothing") {
  for (const char* name : {"Exclusive Time", "time (exc)", "Excl", "self time"})
    CHECK_MESSAGE(forecast::says_exclusive(name), name);
  for (const char* name : {"Inclusive Time", "time (inc)", "Incl"})
    CHECK_MESSAGE(forecast::says_inclusive(name), name);
  CHECK_FALSE(forecast::says_exclusive("time"));
  CHECK_FALSE(forecast::says_inclusive("time"));
}
