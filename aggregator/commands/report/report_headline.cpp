#include <fmt/format.h>

#include "aggregator/commands/report/report_summary.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

constexpr double kJoulesOfKilowattHour = 3.6e6;

std::string day(UtcTime time) {
  constexpr std::size_t kDay = 10;
  return huddle::text_of(time).substr(0, kDay);
}

std::string runs_line(const operations::PeriodSummary& summary) {
  const operations::RunFigures& all = summary.all;
  return fmt::format("{} from {} to {}: {} measured, {} packed, {} left as submitted.\n",
                     pluralize(all.runs, "run"), day(*summary.first), day(*summary.last),
                     all.measured, all.packed, all.left);
}

std::string freed_line(const operations::RunFigures& all, const ReportContext& context) {
  return fmt::format(
      "Freed {:.4g} of {:.4g} node-hours as submitted ({:.1f} %); what becomes of free nodes: "
      "{}{}. Promises: {} kept, {} broken.\n",
      all.freed_node_hours, all.submitted_node_hours, 100 * all.freed_share(), context.unused_nodes,
      context.is_assumed ? " (assumed)" : "", all.kept, all.broken);
}

std::string energy_line(const operations::RunFigures& all) {
  if (all.compared_energy == 0) return "Energy: not measured both before and after of any run.\n";
  const double before = all.energy_before.value / kJoulesOfKilowattHour;
  const double after = all.energy_after.value / kJoulesOfKilowattHour;
  std::string text = fmt::format("Energy of {}: {:.4g} kWh in place of {:.4g}",
                                 pluralize(all.compared_energy, "run"), after, before);
  if (before > 0) text += fmt::format(" ({:+.1f} %)", 100 * (after / before - 1));
  if (all.machine_saved)
    return text + fmt::format("; the machine took {:.4g} kWh less, since free nodes draw power.\n",
                              all.machine_saved->value / kJoulesOfKilowattHour);
  return text + "; the machine takes no less where other jobs use the free nodes.\n";
}

std::string control_line(const operations::ControlledSaving& control) {
  std::string text =
      fmt::format("Control group: {} of {} that would be packed ran as submitted", control.control,
                  pluralize(control.control + control.packed, "job"));
  if (control.control_failed + control.packed_failed > 0)
    text += fmt::format(", beside {} of them and {} packed ones that failed",
                        control.control_failed, control.packed_failed);
  if (!control.saved_node_hours)
    return text + fmt::format("; a comparison takes {} of each kind.\n", operations::kLeastOfGroup);
  return text +
         fmt::format(
             ". Packing all of them saves {:.3g} of {:.3g} node-hours ({:.3g} to {:.3g} with "
             "90 %, however often one looks).\n",
             *control.saved_node_hours, control.submitted_node_hours, control.low_node_hours,
             control.high_node_hours);
}

}  // namespace

SavedByRates saved_by(const SiteRates& rates, const operations::RunFigures& figures) {
  constexpr double kGrams = 1000;
  SavedByRates saved;
  if (rates.node_hour_price && figures.compared > 0)
    saved.node_hours_money = *rates.node_hour_price * figures.freed_node_hours;
  if (figures.compared_energy == 0) return saved;
  const auto kilowatt_hours = [](Joules energy) { return energy.value / kJoulesOfKilowattHour; };
  const double of_jobs = kilowatt_hours(figures.energy_before - figures.energy_after);
  if (rates.co2_g_per_kwh) saved.co2_kg = *rates.co2_g_per_kwh * of_jobs / kGrams;
  if (!figures.machine_saved) return saved;
  const double of_machine = kilowatt_hours(*figures.machine_saved);
  if (rates.kwh_price) saved.energy_money = *rates.kwh_price * of_machine;
  if (rates.co2_g_per_kwh) saved.machine_co2_kg = *rates.co2_g_per_kwh * of_machine / kGrams;
  return saved;
}

std::string headline_text(const operations::PeriodSummary& summary, const ReportContext& context) {
  if (!summary.first) return {};
  return runs_line(summary) + freed_line(summary.all, context) + energy_line(summary.all) +
         (summary.control ? control_line(*summary.control) : "");
}

}  // namespace huddle::cli
