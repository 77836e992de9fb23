// The hooks as Slurm calls them: whatever goes wrong, they succeed, and a line says what follows.

#include <doctest/doctest.h>

#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/plugin/spank_api.hpp"
#include "tests/spank_plugin/plugin/fake_spank.hpp"

extern "C" {
extern const char plugin_name[];
extern const char plugin_type[];
extern const unsigned int spank_plugin_version;
}

namespace huddle::plugin {
namespace {

// The text that the user got to read, line by line.
std::string text_of(const SlurmForATest& slurm) {
  std::string text;
  for (const std::string& line : slurm->lines) text += line + "\n";
  return text;
}

// plugstack.conf's line, with an argument that the plugin does not take.
struct WrongArguments {
  char word[16] = "colour=red";
  char* words[1] = {word};
};

constexpr std::string_view kMistake =
    "plugstack.conf gives spank_huddle.so the argument \"colour=red\": it takes policy=FILE only";

std::string line_about_it(std::string_view consequence) {
  return fmt::format("huddle: {}; {}\n", kMistake, consequence);
}

TEST_CASE("the plugin names itself as Slurm wants it") {
  CHECK(std::string(plugin_name) == "huddle");
  CHECK(std::string(plugin_type) == "spank");
  CHECK(spank_plugin_version == 1);
}

TEST_CASE("the option is registered wherever a user can give it") {
  for (const spank_context_t context : {S_CTX_LOCAL, S_CTX_ALLOCATOR, S_CTX_REMOTE}) {
    const SlurmForATest slurm;
    slurm->context = context;
    CHECK(slurm_spank_init(slurm.handle(), 0, nullptr) == 0);
    CHECK((slurm->option.cb != nullptr));
    CHECK(slurm->lines.empty());
  }
  for (const spank_context_t context : {S_CTX_JOB_SCRIPT, S_CTX_ERROR}) {
    const SlurmForATest slurm;
    slurm->context = context;
    CHECK(slurm_spank_init(slurm.handle(), 0, nullptr) == 0);
    CHECK((slurm->option.cb == nullptr));
  }
}

TEST_CASE("a Slurm that refuses the option costs a line") {
  const SlurmForATest slurm;
  slurm->context = S_CTX_ALLOCATOR;
  slurm->takes_options = false;
  CHECK(slurm_spank_init(slurm.handle(), 0, nullptr) == 0);
  CHECK(text_of(slurm) == "huddle: Slurm does not take the option --energy-aggregate\n");
}

TEST_CASE("a mistake of the site harms no job, on no side of it") {
  WrongArguments wrong;
  for (const auto& [context, line] :
       {std::pair(S_CTX_ALLOCATOR, fmt::format("huddle: left as submitted: {}\n", kMistake)),
        std::pair(S_CTX_REMOTE, line_about_it("frequencies on this node stay as they are"))}) {
    const SlurmForATest slurm({"SLURM_JOB_ID"});
    slurm->context = context;
    slurm->environment[kStepVariable] = with_step_word("", kMessagesWord, "1");
    CHECK(slurm_spank_init_post_opt(slurm.handle(), 1, wrong.words) == 0);
    CHECK(text_of(slurm) == line);
  }
  const SlurmForATest slurm;
  CHECK(slurm_spank_job_epilog(slurm.handle(), 1, wrong.words) == 0);
  CHECK(text_of(slurm) == line_about_it("frequencies on this node stay as they are"));
}

TEST_CASE("a mistake that a step finds is said of the step, where its user is to read it") {
  WrongArguments wrong;
  const SlurmForATest slurm({"SLURM_JOB_ID", kStepVariable});
  slurm->context = S_CTX_LOCAL;
  slurm.set_variable("SLURM_JOB_ID", "7");
  const std::string said = fmt::format("huddle: this step runs as Slurm places it: {}", kMistake);
  SUBCASE("on its standard error") {
    slurm.tell(kMessagesWord, "1");
    CHECK(slurm_spank_init_post_opt(slurm.handle(), 1, wrong.words) == 0);
    CHECK(text_of(slurm) == said + "\n");
  }
  SUBCASE("in its record") {
    // A line that was said before is not said again.
    std::string other = said;
    other.replace(other.find("red\""), 3, "tan");
    std::string(wrong.word).replace(7, 3, "tan").copy(wrong.word, sizeof wrong.word - 1);
    CHECK(slurm_spank_init_post_opt(slurm.handle(), 1, wrong.words) == 0);
    CHECK(slurm->lines.empty());
    CHECK(slurm->logged.empty());
    REQUIRE_FALSE(unsaid_lines().empty());
    CHECK("huddle: " + unsaid_lines().back() == other);
  }
}

TEST_CASE("what a mistake means for a node is in its log alone, unless steps may print messages") {
  WrongArguments wrong;
  const SlurmForATest slurm;
  CHECK(slurm_spank_init_post_opt(slurm.handle(), 1, wrong.words) == 0);
  CHECK(slurm->lines.empty());
  CHECK(slurm->logged.front() + "\n" == line_about_it("frequencies on this node stay as they are"));
}

TEST_CASE("parts of a heterogeneous job that are left for one reason get one line") {
  WrongArguments wrong{"size=large"};
  const SlurmForATest slurm({"SLURM_JOB_ID"});
  slurm->context = S_CTX_LOCAL;  // an srun that makes its own job
  CHECK(slurm_spank_init_post_opt(slurm.handle(), 1, wrong.words) == 0);
  CHECK(slurm_spank_init_post_opt(slurm.handle(), 1, wrong.words) == 0);
  REQUIRE(slurm->lines.size() == 1);
  CHECK(slurm->lines[0].starts_with("huddle: left as submitted: plugstack.conf"));
}

TEST_CASE("a task starts whatever Slurm does not say about it") {
  const SlurmForATest slurm;
  CHECK(slurm_spank_task_init(slurm.handle(), 0, nullptr) == 0);
  CHECK(text_of(slurm) ==
        "huddle: Slurm does not give the step's number: made to fail; the task runs all the "
        "same\n");
}

TEST_CASE("a doctor who gets no answer does not keep the task from its preparation") {
  const SlurmForATest slurm;
  WrongArguments wrong;
  slurm->environment[kSelfReportVariable] = kWhichPlugin;
  slurm->numbers[S_JOB_STEPID] = 0;
  CHECK(slurm_spank_task_init(slurm.handle(), 1, wrong.words) == 0);
  CHECK(text_of(slurm) == line_about_it("huddle doctor learns nothing") +
                              line_about_it("the task runs all the same"));
}

TEST_CASE("a step whose record can't begin runs all the same") {
  const SlurmForATest slurm({kStepVariable});
  slurm->context = S_CTX_LOCAL;
  CHECK(slurm_spank_local_user_init(slurm.handle(), 0, nullptr) == 0);
  CHECK(slurm->lines.empty());
  slurm.tell(kOutcomeWord, "tampered with");
  CHECK(slurm_spank_local_user_init(slurm.handle(), 0, nullptr) == 0);
  REQUIRE(slurm->lines.size() == 1);
  CHECK(slurm->lines[0].ends_with("; the step runs all the same"));
}

TEST_CASE("the end of an srun touches no frequencies") {
  const SlurmForATest slurm;
  slurm->context = S_CTX_LOCAL;
  CHECK(slurm_spank_exit(slurm.handle(), 0, nullptr) == 0);
  slurm->context = S_CTX_REMOTE;  // of a step that has not set any
  CHECK(slurm_spank_exit(slurm.handle(), 0, nullptr) == 0);
  CHECK(slurm->lines.empty());
  CHECK(slurm->logged.empty());
}

TEST_CASE("slurmd starts, and logs what is wrong in plugstack.conf") {
  const SlurmForATest slurm;
  WrongArguments wrong;
  slurm->context = S_CTX_SLURMD;
  CHECK(slurm_spank_init(slurm.handle(), 1, wrong.words) == 0);
  CHECK(text_of(slurm) ==
        line_about_it("jobs run as submitted, and frequencies on this node stay as they are"));
}

}  // namespace
}  // namespace huddle::plugin
