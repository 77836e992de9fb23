#pragma once

// All that is stored of one label with one number of ranks, and what follows from it.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/operations/accounting/job_report.hpp"
#include "aggregator/planning/promise.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/store/store.hpp"
#include "profiles/store/team_sizes.hpp"

namespace huddle::cli {

/// The stored profiles.
struct MeasuredRuns {
  std::size_t profiles = 0;
  /// Facts of the newest one. The day is "2026-11-20", empty if unknown; the job is 0 outside of
  /// Slurm.
  std::string day;
  std::uint64_t job = 0;
  std::size_t nodes = 0;
  /// Why the newest one says nothing of that; else empty.
  std::string unreadable;
  /// True if its ranks had teams of several threads.
  bool has_teams = false;
};

/// The answer that the next submission will get.
struct NextSubmission {
  /// Absent: it can't be known from here; `why_unknown` says why.
  std::optional<Decision> decision;
  std::string why_unknown;
  /// True if the decision is that of the stored plan; else one that is made anew.
  bool by_stored_plan = false;
  /// Assumptions of the answer that the store does not say: one phrase each.
  std::vector<std::string> assumptions;
};

/// All that is known of a key.
struct Explanation {
  store::StoreKey key;
  MeasuredRuns measured;
  /// Where the answer is stored to what the newest submission asked, empty if it is not, or nobody
  /// says what it asked; and its plan, absent if that answer is that there is none.
  std::filesystem::path plan_file;
  std::optional<Plan> plan;
  /// Why there is a plan that can't be used; else empty.
  std::string plan_unreadable;
  operations::JobSums recorded;
  planning::PromiseVerdict compared;
  /// The steps of the job that was asked about, else the last step that began; oldest first.
  std::vector<Outcome> steps;
  NextSubmission next;
  /// The cores and sizes of its teams, as far as they are known, a sentence; empty: nobody has
  /// looked.
  std::string teams;
  /// Consents for the programs that this is about: what their user allows for the sizes of their
  /// teams.
  std::vector<store::SizesConsent> sizes = {};
};

/// The site, from which explanations are made.
struct ExplainedSite {
  store::Store store;
  /// For submitters of whom nothing is known.
  Policy policy;
  /// True if the files belong to somebody whom this process, as root, must not trust: then the
  /// records alone are read.
  bool records_only = false;
  /// Why Huddle does nothing at present (site_switch.hpp); empty where it is on.
  std::string switched_off = {};
};

/// Explains a key. `runs` are the records of its steps, oldest first; `steps` those that were asked
/// about, none for the last one. Throws Error if the store can't be read.
Explanation explain(const ExplainedSite& site, const store::StoreKey& key,
                    const std::vector<operations::ReportedRun>& runs, std::vector<Outcome> steps);

/// About ten lines for people.
std::string explanation_text(const Explanation& explanation);
/// The same as JSON; `notes` are about all of them, and so is which policy's stop files count.
std::string explanations_json(const std::vector<Explanation>& explanations,
                              const std::vector<std::string>& notes,
                              const std::filesystem::path& policy_file);

}  // namespace huddle::cli
