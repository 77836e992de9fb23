// Which programs use their nodes how well, for people and for programs.

#include <fmt/format.h>

#include <algorithm>

#include "aggregator/commands/report/report_summary.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/formats/document/document.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string percent(double share) {
  return fmt::format("{:.1f}", 100 * share);
}

std::string ranks_cell(const operations::ProgramEfficiency& program) {
  return program.least_ranks == program.most_ranks
             ? std::to_string(program.most_ranks)
             : fmt::format("{}-{}", program.least_ranks, program.most_ranks);
}

}  // namespace

std::string programs_text(const std::vector<operations::ProgramEfficiency>& programs) {
  constexpr std::size_t kMostRows = 10;
  if (programs.empty()) return {};
  const bool openmp =
      std::ranges::any_of(programs, [](const auto& program) { return program.openmp.has_value(); });
  std::vector<render::Table::Column> columns = {{"program", render::Table::Align::kLeft},
                                                {"runs"},
                                                {"ranks"},
                                                {"node-h"},
                                                {"lost node-h"},
                                                {"efficiency %"},
                                                {"load balance %"},
                                                {"communication %"}};
  if (openmp) columns.push_back({"OpenMP %"});
  render::Table table(std::move(columns));
  for (std::size_t i = 0; i < std::min(programs.size(), kMostRows); ++i) {
    const operations::ProgramEfficiency& program = programs[i];
    std::vector<std::string> cells = {shortened(program.program, 30),
                                      std::to_string(program.runs),
                                      ranks_cell(program),
                                      fmt::format("{:.4g}", program.node_hours),
                                      fmt::format("{:.4g}", program.lost_node_hours),
                                      percent(program.parallel()),
                                      percent(program.load_balance),
                                      percent(program.communication)};
    if (openmp) cells.push_back(program.openmp ? percent(*program.openmp) : "");
    table.add(std::move(cells));
  }
  std::string text = table.text();
  if (programs.size() > kMostRows)
    text += fmt::format("... and {} more, see --json\n",
                        pluralize(programs.size() - kMostRows, "program"));
  return text +
         "Lost: node-hours of runs that left a profile, in which they were in MPI, or their "
         "threads idle.\n";
}

nlohmann::ordered_json programs_json(const std::vector<operations::ProgramEfficiency>& programs) {
  Json list = Json::array();
  for (const operations::ProgramEfficiency& program : programs) {
    Json json = {{"program", utf8(program.program)},
                 {"users", program.users},
                 {"runs", program.runs},
                 {"least_ranks", program.least_ranks},
                 {"most_ranks", program.most_ranks},
                 {"node_h", program.node_hours},
                 {"lost_node_h", program.lost_node_hours},
                 {"parallel_efficiency", program.parallel()},
                 {"load_balance", program.load_balance},
                 {"communication_efficiency", program.communication}};
    if (program.openmp) json["openmp_efficiency"] = *program.openmp;
    list.push_back(std::move(json));
  }
  return list;
}

nlohmann::ordered_json used_time_json(const operations::UsedTime& used) {
  const efficiency::Efficiency& run = used.efficiency;
  Json json = {{"program", utf8(used.program)},
               {"parallel_efficiency", run.parallel()},
               {"load_balance", run.mpi.load_balance},
               {"communication_efficiency", run.mpi.communication}};
  if (run.openmp) json["openmp_efficiency"] = run.openmp->parallel();
  return json;
}

}  // namespace huddle::cli
