#include "profiles/recorder/process/run_request.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <map>
#include <string>

#include "profiles/vocabulary/error.hpp"

using namespace huddle;
using namespace huddle::recorder;

namespace {

using Variables = std::map<std::string, std::string>;

Environment environment_of(const Variables& variables) {
  return [&variables](const char* name) -> const char* {
    const auto place = variables.find(name);
    return place == variables.end() ? nullptr : place->second.c_str();
  };
}

struct TemporaryDirectory {
  TemporaryDirectory() {
    std::string text = (std::filesystem::temp_directory_path() / "huddle-test-XXXXXX").string();
    REQUIRE(mkdtemp(text.data()) != nullptr);
    path = text;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

const RunIdentity kRun{.job = {.id = 12, .step = 3}, .process = 99, .started = {}};

}  // namespace

TEST_CASE("an environment that names no place asks for no profile") {
  for (const Variables& variables :
       {Variables{}, Variables{{"HUDDLE_PROFILE", ""}}, Variables{{"HUDDLE_LABEL", "x"}}})
    CHECK(!Destination::from(environment_of(variables), "/bin/program"));
}

TEST_CASE("HUDDLE_PROFILE names the file, its extension the encoding") {
  const Variables json{{"HUDDLE_PROFILE", "/tmp/a.json"}, {"HUDDLE_STORE", "/nowhere"}};
  const auto destination = Destination::from(environment_of(json), "/opt/bin/solver");
  REQUIRE(destination);
  CHECK(destination->path("user", 5000, kRun, {}) == "/tmp/a.json");
  CHECK(destination->encoding(5000) == Encoding::kJson);
  CHECK(destination->label() == "solver");
  const Variables cbor{{"HUDDLE_PROFILE", "/tmp/a.cbor"}, {"HUDDLE_LABEL", "night run"}};
  CHECK(Destination::from(environment_of(cbor), "x")->encoding(1) == Encoding::kCbor);
  CHECK(Destination::from(environment_of(cbor), "x")->label() == "night run");
}

TEST_CASE(
    "a spool that is the user's own takes the profile's place, as long as it fits in memory") {
  const TemporaryDirectory spool;
  const TemporaryDirectory store;
  Variables variables{{"HUDDLE_STORE", store.path}, {"HUDDLE_SPOOL", spool.path}};
  const auto path = [&](std::uint32_t ranks) {
    const auto destination = Destination::from(environment_of(variables), "/bin/x");
    return destination->path("user", ranks, kRun, {}).string();
  };
  CHECK(path(16).starts_with((spool.path / "user/x/16/profile-").string()));
  CHECK(path(5000).starts_with(store.path.string()));
  CHECK(Destination::from(environment_of(variables), "/bin/x")->landmark("user") ==
        store.path / "user/x");
  SUBCASE("not of a run that is traced") {
    variables["HUDDLE_TRACE"] = "1";
  }
  SUBCASE("not one that others may write to") {
    std::filesystem::permissions(spool.path, std::filesystem::perms::all);
  }
  SUBCASE("not one that is missing") {
    variables["HUDDLE_SPOOL"] = spool.path / "gone";
  }
  SUBCASE("not a link") {
    std::filesystem::create_directory_symlink(spool.path, store.path / "link");
    variables["HUDDLE_SPOOL"] = store.path / "link";
  }
  SUBCASE("not where the user names a file") {
    variables["HUDDLE_PROFILE"] = store.path / "p.json";
  }
  CHECK(path(16).starts_with(store.path.string()));
}

TEST_CASE("HUDDLE_SIZE is the problem's size; what is none is reported") {
  Variables variables{{"HUDDLE_PROFILE", "/tmp/a.json"}};
  const auto destination = [&] { return *Destination::from(environment_of(variables), "x"); };
  CHECK_FALSE(destination().problem_size().has_value());
  CHECK(destination().why_no_size() == "");
  variables["HUDDLE_SIZE"] = "64x64";
  CHECK(destination().problem_size() == 4096);
  CHECK(destination().why_no_size() == "");
  variables["HUDDLE_SIZE"] = "large";
  CHECK_FALSE(destination().problem_size().has_value());
  CHECK(destination().why_no_size() ==
        "The problem size is unknown: HUDDLE_SIZE is \"large\", not a number above 0 such as 4096 "
        "or 1e6, or a product such as 64x64x32.");
}

TEST_CASE("a relative HUDDLE_PROFILE stays where the program started") {
  const Variables variables{{"HUDDLE_PROFILE", "a.json"}};
  const auto path = Destination::from(environment_of(variables), "x")->path("u", 1, kRun, {});
  CHECK(path == std::filesystem::current_path() / "a.json");
}

TEST_CASE("HUDDLE_STORE names a store whose root must be there") {
  const TemporaryDirectory directory;
  Variables variables{{"HUDDLE_STORE", directory.path / "store"}, {"HUDDLE_LABEL", "a/b"}};
  const auto without = Destination::from(environment_of(variables), "x");
  CHECK_THROWS_AS(static_cast<void>(without->path("u", 4, kRun, {})), Error);
  std::filesystem::create_directory(directory.path / "store");
  const auto destination = Destination::from(environment_of(variables), "x");
  const auto path = destination->path("u", 4, kRun, {});
  CHECK(std::filesystem::is_directory(path.parent_path()));
  CHECK(path.parent_path().filename() == "4");
  CHECK(path.filename() == "profile-19700101T000000.000Z-12.3-pid99.json");
  CHECK(destination->encoding(100000) == Encoding::kCbor);
  variables["HUDDLE_STEP"] = "huddle/step 1\npacked_run=1\n";
  CHECK(Destination::from(environment_of(variables), "x")->path("u", 4, kRun, {}).filename() ==
        "packed-19700101T000000.000Z-12.3-pid99.json");
}

TEST_CASE("all ranks of a run name the same file") {
  const TemporaryDirectory directory;
  const Variables variables{{"HUDDLE_STORE", directory.path}};
  const auto destination = Destination::from(environment_of(variables), "x");
  CHECK(destination->path("u", 4, kRun, kRun.started) ==
        destination->path("u", 4, kRun, kRun.started));
}

TEST_CASE("a job is read from Slurm's variables, and a broken one is no job") {
  CHECK(Job::from(environment_of({})).id == 0);
  CHECK(Job::from(environment_of({{"SLURM_JOB_ID", "7x"}})).id == 0);
  const Variables step{{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "2"}};
  CHECK(Job::from(environment_of(step)).id == 7);
  CHECK(Job::from(environment_of(step)).step == 2);
}

TEST_CASE("a run is named by job, step and process, as far as there are any") {
  CHECK(kRun.name() == "12.3-pid99");
  CHECK(RunIdentity{.job = {}, .process = 5, .started = {}}.name() == "pid5");
  const Variables batch{{"SLURM_JOB_ID", "7"}};
  CHECK(RunIdentity{Job::from(environment_of(batch)), 5, {}}.name() == "7.batch-pid5");
}

namespace {

Launch launch_of(const Variables& variables) {
  return Launch::from(environment_of(variables));
}

}  // namespace

TEST_CASE("a process that no launcher started has no rank and no run") {
  CHECK(!launch_of({}).rank);
  CHECK(launch_of({}).ranks == 0);
  CHECK(launch_of({}).run.empty());
  CHECK(!launch_of({{"SLURM_PROCID", "x"}}).rank);
}

TEST_CASE("under mpirun inside of Slurm, mpirun's numbers count") {
  const Launch launch = launch_of({{"SLURM_PROCID", "0"},
                                   {"SLURM_STEP_NUM_TASKS", "2"},
                                   {"OMPI_COMM_WORLD_RANK", "5"},
                                   {"OMPI_COMM_WORLD_SIZE", "8"}});
  CHECK(launch.rank == 5U);
  CHECK(launch.ranks == 8);
}

TEST_CASE("under MPICH's mpiexec inside of Slurm, the numbers of its proxies do not count") {
  const Launch launch = launch_of({{"PMIX_RANK", "1"},
                                   {"SLURM_PROCID", "1"},
                                   {"SLURM_STEP_NUM_TASKS", "2"},
                                   {"SLURM_LOCALID", "0"},
                                   {"PMI_RANK", "5"},
                                   {"PMI_SIZE", "8"},
                                   {"MPI_LOCALRANKID", "3"}});
  CHECK(launch.rank == 5U);
  CHECK(launch.ranks == 8);
  CHECK(launch.local_rank == 3U);
}

TEST_CASE("under mpirun, a run has one name on nodes with and without Slurm's variables") {
  const auto run = [](std::map<std::string, std::string> variables) {
    variables.insert({{"PMIX_NAMESPACE", "604241921"},
                      {"OMPI_MCA_orte_hnp_uri", "604241920.0;tcp://10.0.0.1:37023"}});
    return launch_of(variables).run;
  };
  CHECK(!run({}).empty());
  CHECK(run({{"SLURM_JOB_ID", "7"}}) == run({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}}));
  CHECK(run({{"SLURM_JOB_ID", "7"}}) == run({}));
}

TEST_CASE("under PRRTE, ranks beside mpirun and in steps of its daemons are of one run") {
  const auto run = [](std::map<std::string, std::string> variables) {
    variables.insert({"PMIX_NAMESPACE", "prterun-n0-3144@1"});
    return launch_of(variables).run;
  };
  CHECK(run({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "4294967291"}}) ==
        run({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"SLURM_SRUN_COMM_PORT", "45537"}}));
  CHECK(run({}) == "prterun-n0-3144@1");
}

TEST_CASE("steps, restarts and launches of one Slurm job are different runs") {
  const std::map<std::string, std::string> one = {{"SLURM_JOB_ID", "7"},
                                                  {"SLURM_STEP_ID", "1"},
                                                  {"SLURM_PROCID", "3"},
                                                  {"SLURM_STEP_NUM_TASKS", "4"},
                                                  {"SLURM_SRUN_COMM_PORT", "45537"}};
  CHECK(launch_of(one).rank == 3U);
  CHECK(launch_of(one).ranks == 4);
  for (const char* name :
       {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_SRUN_COMM_PORT", "SLURM_RESTART_COUNT"}) {
    auto other = one;
    other[name] = "9";
    CHECK(launch_of(other).run != launch_of(one).run);
  }
  auto neighbour = one;
  neighbour["SLURM_PROCID"] = "2";
  CHECK(launch_of(neighbour).run == launch_of(one).run);
}

namespace {

TraceRequest request_of(const Variables& variables) {
  return TraceRequest::from(environment_of(variables));
}

}  // namespace

TEST_CASE("nothing is traced unless it is asked for") {
  CHECK_FALSE(request_of({}).wanted());
  CHECK_FALSE(request_of({{"HUDDLE_TRACE", ""}}).wanted());
  CHECK_FALSE(request_of({{"HUDDLE_TRACE_LIMIT", "5"}}).wanted());
}

TEST_CASE("a trace's folder is named, or is beside the profile") {
  CHECK(request_of({{"HUDDLE_TRACE", "/a/b"}}).folder == "/a/b");
  CHECK(request_of({{"HUDDLE_TRACE", "b"}}).folder == std::filesystem::current_path() / "b");
  const TraceRequest beside = request_of({{"HUDDLE_TRACE", "1"}});
  CHECK(beside.wanted());
  CHECK(beside.beside_profile);
  CHECK(beside.folder.empty());
}

TEST_CASE("the limit of a trace is in MiB, and what is no size is passed over") {
  CHECK(request_of({{"HUDDLE_TRACE_LIMIT", "100"}}).limit_bytes == 100U << 20U);
  for (const char* wrong : {"0", "-1", "x", "", "1.5"})
    CHECK(request_of({{"HUDDLE_TRACE_LIMIT", wrong}}).limit_bytes == std::uint64_t{4} << 30U);
  CHECK(request_of({{"HUDDLE_TRACE_LIMIT", "9999999999999"}}).limit_bytes == std::uint64_t{1}
                                                                                 << 60U);
}
