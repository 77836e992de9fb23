#include "spank_plugin/plugin/client/option.hpp"

#include <doctest/doctest.h>

#include <string>

#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/spank_plugin/plugin/fake_spank.hpp"

namespace huddle::plugin {
namespace {

/// A program of Slurm's with the option registered, outside of any job.
struct Program {
  explicit Program(spank_context_t context) : slurm({kOptionVariable, "SLURM_JOB_ID"}) {
    slurm->context = context;
    REQUIRE(register_option(slurm.handle()));
  }
  ~Program() { give("off"); }  // the plugin keeps the last value for the whole process

  /// As Slurm does it when it reads the option; returns what the callback returns.
  int give(const char* argument, bool remote = false) const {
    return slurm->option.cb(0, argument, remote ? 1 : 0);
  }

  SlurmForATest slurm;
};

TEST_CASE("the option is registered under its name, with an argument that may be left out") {
  const Program program(S_CTX_ALLOCATOR);
  CHECK(std::string(program.slurm->option.name) == "energy-aggregate");
  CHECK(program.slurm->option.has_arg == 2);
  program.slurm->takes_options = false;
  CHECK_FALSE(register_option(program.slurm.handle()));
}

TEST_CASE("a bare option asks for no mode, in each of the forms that Slurm gives it") {
  const Program program(S_CTX_ALLOCATOR);
  for (const char* bare : {static_cast<const char*>(nullptr), "", "(null)", "set"}) {
    CHECK(program.give(bare) == 0);
    CHECK(option_value().given);
    CHECK_FALSE(option_value().mode);
  }
}

TEST_CASE("of an option that is given twice the last one holds, alone") {
  const Program program(S_CTX_ALLOCATOR);
  CHECK(program.give("profile,slowdown=3%") == 0);
  CHECK(program.give("advise") == 0);
  CHECK(option_value().mode == Mode::kAdvise);
  CHECK_FALSE(option_value().slowdown);
}

TEST_CASE("a mistake ends a submission with a line that names it") {
  for (const spank_context_t context : {S_CTX_ALLOCATOR, S_CTX_LOCAL}) {
    const Program program(context);
    CHECK(program.give("advise") == 0);
    CHECK(program.give("tpyo") != 0);
    REQUIRE(program.slurm->lines.size() == 1);
    CHECK(program.slurm->lines[0].starts_with("huddle: --energy-aggregate"));
    CHECK_FALSE(option_value().given);
  }
}

TEST_CASE("a plan or profile that is not there, or is none, ends a submission") {
  const store::TemporaryDirectory directory;
  const std::string none = (directory.path() / "none.json").string();
  const std::string text = (directory.path() / "notes.txt").string();
  store::put_file(text, "bring milk");
  for (const std::string key : {"plan", "profile"})
    for (const std::string& file : {none, text, directory.path().string()}) {
      CAPTURE(file);
      const Program program(S_CTX_ALLOCATOR);
      CHECK(program.give((key + "=" + file).c_str()) != 0);
      REQUIRE(program.slurm->lines.size() == 1);
      CHECK(program.slurm->lines[0].find("huddle: --energy-aggregate: " + key + "=") == 0);
      CHECK(program.slurm->lines[0].find(file) != std::string::npos);
      CHECK(program.slurm->lines[0].find("; name a " + key + " ") != std::string::npos);
      CHECK_FALSE(option_value().given);
      CHECK(program.give(("off," + key + "=" + file).c_str()) == 0);  // who is in need of it
    }
}

TEST_CASE("a profile that is there is accepted by its beginning, and a plan by all of it") {
  const store::TemporaryDirectory directory;
  const std::string file = (directory.path() / "one.json").string();
  store::put_file(file, R"({"format": "huddle/profile", "version": 1, )");
  const Program program(S_CTX_ALLOCATOR);
  CHECK(program.give(("profile=" + file).c_str()) == 0);
  CHECK(option_value().profile == file);
  store::put_file(file, R"({"format": "huddle/plan", "version": 1, )");
  CHECK(program.give(("plan=" + file).c_str()) != 0);
}

TEST_CASE("inside a job nobody looks at files that the option names") {
  const Program program(S_CTX_LOCAL);
  program.slurm.set_variable("SLURM_JOB_ID", "7");
  CHECK(program.give("plan=/nowhere.json") == 0);
  CHECK(program.slurm->lines.empty());
}

TEST_CASE("inside a job a mistake is reported, and the step runs without the option") {
  const Program program(S_CTX_LOCAL);
  program.slurm.set_variable("SLURM_JOB_ID", "7");
  CHECK(program.give("tpyo") == 0);
  REQUIRE(program.slurm->lines.size() == 1);
  CHECK(program.slurm->lines[0].ends_with("; this step runs as without it"));
  CHECK_FALSE(option_value().given);
}

TEST_CASE("slurmstepd, which is root, does not read what the user wrote") {
  const Program program(S_CTX_REMOTE);
  CHECK(program.give("advise") == 0);
  CHECK(program.give("profile", true) == 0);
  CHECK(program.give("tpyo", true) == 0);
  CHECK(option_value().mode == Mode::kAdvise);
  CHECK(program.slurm->lines.empty());
}

TEST_CASE("the user's variable fills in what the option does not say, but for the mode") {
  const Program program(S_CTX_ALLOCATOR);
  program.slurm.set_variable(kOptionVariable, "profile,slowdown=3%,samples=1");
  CHECK(program.give("slowdown=7%") == 0);
  const submission::AggregateOption both = option_value();
  CHECK_FALSE(both.mode);  // that is auto, whatever the variable says
  CHECK(both.slowdown == doctest::Approx(0.07));
  CHECK(both.samples == 1U);
}

TEST_CASE("a mistake in the variable names the variable") {
  const Program program(S_CTX_ALLOCATOR);
  program.slurm.set_variable(kOptionVariable, "tpyo");
  CHECK_THROWS_WITH_AS(option_value(), doctest::Contains(kOptionVariable), UsageError);
}

}  // namespace
}  // namespace huddle::plugin
