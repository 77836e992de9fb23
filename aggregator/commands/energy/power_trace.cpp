#include "aggregator/commands/energy/power_trace.hpp"

#include <errno.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "aggregator/render/table.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

// Over the time since the line before that is known; empty if there is none.
std::string power_since(const power::SensorTotals& before, const power::SensorTotals& now) {
  const Seconds known = now.known - before.known;
  if (!(known > Seconds{0})) return {};
  return fmt::format("{:.4g}", (now.energy - before.energy).value / known.value);
}

// "least,mean,most" in GHz.
std::string clocks_now(const std::vector<hardware::ClockGroup>& clocks) {
  double least = 0;
  double most = 0;
  double sum = 0;
  double pus = 0;
  for (const hardware::ClockGroup& group : clocks) {
    if (!group.present) continue;
    const auto count = static_cast<double>(group.pus.members().size());
    const double gigahertz = group.present->value * 1e-9;
    least = pus > 0 ? std::min(least, gigahertz) : gigahertz;
    most = std::max(most, gigahertz);
    sum += count * gigahertz;
    pus += count;
  }
  if (!(pus > 0)) return ",,";
  return fmt::format("{:.4g},{:.4g},{:.4g}", least, sum / pus, most);
}

}  // namespace

PowerTrace::PowerTrace(std::filesystem::path file, const std::vector<power::SensorState>& first)
    : file_(std::move(file)), out_(file_) {
  if (!out_) throw SystemError("write", file_.string(), errno);
  out_ << "time_s";
  for (const power::SensorState& state : first) {
    out_ << "," << render::csv_cell(state.sensor.name + " W");
    before_.push_back(state.totals);
  }
  out_ << ",least clock GHz,mean clock GHz,most clock GHz\n";
}

void PowerTrace::add(Seconds time, const std::vector<power::SensorState>& states,
                     const std::vector<hardware::ClockGroup>& clocks) {
  out_ << fmt::format("{:.3f}", time.value);
  for (std::size_t i = 0; i < states.size(); ++i) {
    out_ << "," << power_since(before_[i], states[i].totals);
    before_[i] = states[i].totals;
  }
  out_ << "," << clocks_now(clocks) << "\n" << std::flush;  // somebody may watch
}

void PowerTrace::finish() {
  out_.close();
  if (!out_) throw SystemError("write", file_.string(), errno);
}

}  // namespace huddle::cli
