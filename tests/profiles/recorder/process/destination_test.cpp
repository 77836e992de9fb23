#include "profiles/recorder/process/destination.hpp"

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

TEST_CASE("HUDDLE_SIZE is the problem's size; what is none is told") {
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

TEST_CASE("HUDDLE_STORE names a store whose root is made only on demand") {
  const TemporaryDirectory directory;
  Variables variables{{"HUDDLE_STORE", directory.path / "store"}, {"HUDDLE_LABEL", "a/b"}};
  const auto without = Destination::from(environment_of(variables), "x");
  CHECK_THROWS_AS(static_cast<void>(without->path("u", 4, kRun, {})), Error);
  variables["HUDDLE_STORE_CREATE"] = "1";
  const auto destination = Destination::from(environment_of(variables), "x");
  const auto path = destination->path("u", 4, kRun, {});
  CHECK(std::filesystem::is_directory(path.parent_path()));
  CHECK(path.parent_path().filename() == "4");
  CHECK(path.filename() == "profile-19700101T000000.000Z-12.3-pid99.json");
  CHECK(destination->encoding(100000) == Encoding::kCbor);
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
