#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/submission/submission.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/spank_plugin/submission/fake_slurm.hpp"

namespace huddle::submission {

inline constexpr const char* kSitePolicy =
    "mode = \"{}\"\n{}\n[profiles]\ndirectory = \"{}\"\n[programs]\nhuddle = \"{}\"\n"
    "modules = \"{}\"\n";

/// A site whose `huddle` keeps what it is asked, and answers what a file says.
struct SubmissionSite {
  SubmissionSite() {
    std::filesystem::create_directory(directory.path() / "store");
    store::put_file(path("libhuddle_recorder.so"), "");
    store::put_file(path("plan.json"), "{}");
    slurm.options = {{"nodes", "8"}, {"ntasks", "16"}};
    answer_with("");
    put_policy("off");
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory.path() / name).string();
  }
  void put_policy(const std::string& mode, const std::string& more = "") const {
    store::put_file(path("huddle.toml"), fmt::format(kSitePolicy, mode, more, path("store"),
                                                     path("huddle"), directory.path().string()));
    ::chmod(path("huddle.toml").c_str(), 0644);  // root believes no other
  }
  // Sets what `huddle` prints, and how it ends.
  void answer_with(const std::string& text, int status = 0) const {
    store::put_file(path("answer"), text);
    store::put_file(
        path("huddle"),
        fmt::format("#!/bin/sh\necho \"$*\" >{0}/arguments\ncat >{0}/request\n"
                    "cat {0}/answer\n[ {1} = 0 ] || echo 'huddle: it broke' >&2\nexit {1}\n",
                    directory.path().string(), status));
    ::chmod(path("huddle").c_str(), 0755);
  }
  void answer_with(Decision::Action action, std::uint32_t nodes = 2,
                   const std::string& teams = "") const {
    Decision decision{action, "what was decided", path("plan.json"), nodes, 8, "2:2:2"};
    decision.teams = teams;
    if (action != Decision::Action::kApply) decision.plan_file.clear();
    answer_with(to_json(decision));
  }
  void submit(std::string_view option, Submitter by = Submitter::kAllocator) {
    std::string argument = "policy=" + path("huddle.toml");
    char* arguments[] = {argument.data()};
    decide_submission(
        slurm, Settings(1, arguments),
        option == "none" ? AggregateOption{} : parse_aggregate_option(option, "option"), by);
  }
  [[nodiscard]] PlanRequest request() const {
    return parse_plan_request(store::get_file(path("request")), "request");
  }
  [[nodiscard]] bool asked() const { return std::filesystem::exists(path("request")); }
  [[nodiscard]] Treatment promised() const {
    return parse_outcome(told(slurm, kOutcomeWord).value(), "outcome").treatment;
  }

  store::TemporaryDirectory directory;
  FakeSlurm slurm;
};

// The failure leaves options and variables as they were; records of it may be promised.
inline void check_untouched(const SubmissionSite& site) {
  CHECK(site.slurm.options == FakeSlurm::Texts{{"nodes", "8"}, {"ntasks", "16"}});
  for (const auto& variable : site.slurm.variables) {
    const std::string& name = variable.first;
    CAPTURE(name);
    CHECK(name == kStepVariable);
  }
  std::string rest = site.slurm.variable(kStepVariable).value_or("");
  for (const StepWord word : {kOutcomeWord, kOutcomeStoreWord, kMessagesWord})
    rest = with_step_word(rest, word, std::nullopt);
  CHECK(rest.empty());
}

}  // namespace huddle::submission
