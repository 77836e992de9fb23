#pragma once

// The summary of huddle report for people who decide: three lines for a terminal, and a page.
// Internal to the command: brings nlohmann/json.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/operations/accounting/period_summary.hpp"
#include "profiles/formats/policy/policy.hpp"

namespace huddle::cli {

/// The facts of a site that a report takes beside its records.
struct ReportContext {
  /// The fate of nodes that no job uses, in words, and whether nobody but us says so.
  std::string unused_nodes;
  bool is_assumed = true;
  SiteRates rates;
};

/// Money and CO2 by the site's own rates; absent where it gave none, or nothing was measured.
struct SavedByRates {
  /// The price of the node-hours that were freed.
  std::optional<double> node_hours_money;
  /// The price of the energy that the machine took less; absent where other jobs get free nodes.
  std::optional<double> energy_money;
  /// The CO2 of the energy that the jobs took less, and the machine.
  std::optional<double> co2_kg;
  std::optional<double> machine_co2_kg;
};

SavedByRates saved_by(const SiteRates& rates, const operations::RunFigures& figures);

/// Three lines, and one about the control group if there is one.
std::string headline_text(const operations::PeriodSummary& summary, const ReportContext& context);

/// For people: a table of the ten programs that lose most, and what that means; empty without any.
std::string programs_text(const std::vector<operations::ProgramEfficiency>& programs);

/// The member "programs" of the summary, and "efficiency" of a run, described in
/// docs/formats/report.md.
nlohmann::ordered_json programs_json(const std::vector<operations::ProgramEfficiency>& programs);
nlohmann::ordered_json used_time_json(const operations::UsedTime& used);

/// The member "summary" of --json, described in docs/formats/report.md.
nlohmann::ordered_json summary_json(const operations::JobReport& report,
                                    const operations::PeriodSummary& summary,
                                    const ReportContext& context);

/// A page of HTML that needs nothing but itself. Names are shown as text, whatever they are.
std::string report_page(const operations::JobReport& report,
                        const operations::PeriodSummary& summary, const ReportContext& context,
                        const std::vector<std::string>& notes);

}  // namespace huddle::cli
