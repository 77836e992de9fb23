#include "aggregator/commands/energy/power_trace.hpp"

#include <errno.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "aggregator/render/table.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Over the time since the line before that is known; empty if there is none.
std::string power_since(const power::SensorTotals& before, const power::SensorTotals& now) {
  const Seconds known = now.known - before.known;
  if (!(known > Seconds{0})) return {};
  return fmt::format("{:.4g}", (now.energy - before.energy).value / known.value);
}

// "least,mean,most" in GHz.
std::string clocks_now(const std::vector<ClockGroup>& clocks) {
  double least = 0;
  double most = 0;
  double sum = 0;
  double pus = 0;
  for (const ClockGroup& group : clocks) {
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

// As gnuplot wants it between single quotes.
std::string quoted(const std::filesystem::path& path) {
  std::string text;
  for (const char c : path.string()) {
    text += c;
    if (c == '\'') text += c;
  }
  return text;
}

}  // namespace

PowerTrace::PowerTrace(std::filesystem::path file, const std::vector<power::SensorState>& first)
    : file_(std::move(file)), out_(file_) {
  if (!out_) throw SystemError("write", file_.string(), errno);
  out_ << "time_s";
  for (const power::SensorState& state : first) {
    out_ << "," << csv_cell(state.sensor.name + " W");
    before_.push_back(state.totals);
  }
  out_ << ",least clock GHz,mean clock GHz,most clock GHz\n";
}

void PowerTrace::add(Seconds time, const std::vector<power::SensorState>& states,
                     const std::vector<ClockGroup>& clocks) {
  out_ << fmt::format("{:.3f}", time.value);
  for (std::size_t i = 0; i < states.size(); ++i) {
    out_ << "," << power_since(before_[i], states[i].totals);
    before_[i] = states[i].totals;
  }
  out_ << "," << clocks_now(clocks) << "\n";
}

void PowerTrace::finish() {
  out_.close();
  if (!out_) throw SystemError("write", file_.string(), errno);
}

std::string gnuplot_script(const std::filesystem::path& trace, std::size_t sensors) {
  const std::filesystem::path file = std::filesystem::absolute(trace);
  std::filesystem::path picture = file;
  picture.replace_extension(".png");
  return fmt::format(
      "# gnuplot draws {0} into a picture beside it.\n"
      "set terminal pngcairo size 1200,600 noenhanced\n"
      "set output '{1}'\n"
      "set datafile separator ','\n"
      "set datafile missing ''\n"
      "set key outside below autotitle columnhead\n"
      "set xlabel 'time (s)'\n"
      "set ylabel 'power (W)'\n"
      "set y2label 'clock (GHz)'\n"
      "set y2tics\n"
      "set ytics nomirror\n"
      "set yrange [0:*]\n"
      "set y2range [0:*]\n"
      "file = '{2}'\n"
      "plot for [i=2:{3}] file using 1:i with lines linewidth 2, \\\n"
      "     file using 1:{4} axes x1y2 with lines dashtype 2\n",
      trace.filename().string(), quoted(picture), quoted(file), 1 + sensors, 3 + sensors);
}

}  // namespace huddle
