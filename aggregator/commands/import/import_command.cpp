// huddle import: makes a profile of what another tool knows of a program's communication.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "commgraph/graph/metis_graph_file.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/import/blank_profile.hpp"
#include "profiles/import/matrix_csv.hpp"
#include "profiles/import/openmpi_monitoring.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

struct Options {
  std::string kind;
  std::vector<std::string> files;
  std::string output;
  std::string label;
};

// A graph has no direction. Half of an edge's weight goes each way, so that both together, which
// is what a mapping counts, are the weight.
Profile profile_of(const commgraph::CommGraph& graph) {
  Profile profile = imports::blank_profile(graph.vertices(), "a METIS graph");
  profile.notes.emplace_back(
      "The graph's edge weights count as bytes, half of them in either direction.");
  profile.notes.emplace_back(imports::kOneMessageNote);
  for (commgraph::Vertex v = 0; v < graph.vertices(); ++v) {
    const auto neighbours = graph.view().neighbours_of(v);
    const auto weights = graph.view().weights_of(v);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const std::uint64_t odd = v < neighbours[i] ? weights[i] % 2 : 0;
      const Bytes sent{weights[i] / 2 + odd};
      if (sent.value > 0)
        profile.rank_records[v].sent.push_back(
            imports::messages_of_mean_size(Rank{neighbours[i]}, 1, sent));
    }
  }
  return profile;
}

Profile imported(const Options& options) {
  if (options.kind == "openmpi")
    return imports::import_monitoring({options.files.begin(), options.files.end()});
  if (options.kind == "metis")
    return profile_of(commgraph::load_metis_graph(options.files.front()));
  return imports::import_matrix_csv(options.files.front(),
                                    options.files.size() > 1 ? options.files[1] : std::string());
}

void check(const Options& options) {
  const std::size_t most = options.kind == "csv" ? 2 : 1;
  if (options.kind != "openmpi" && options.files.size() > most)
    throw UsageError(fmt::format("import {} takes {} file(s) at most, {} were named", options.kind,
                                 most, options.files.size()));
  if (!options.output.ends_with(".json") && !options.output.ends_with(".cbor"))
    throw UsageError(fmt::format("--output {}: expected a name that ends in .json or .cbor",
                                 shortened(options.output)));
}

// "halo" of "runs/halo.bytes.csv".
std::string label_from(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  return name.substr(0, name.find('.', 1));
}

void run(const Options& options) {
  check(options);
  Profile profile = imported(options);
  profile.label = options.label.empty() ? label_from(options.files.front()) : options.label;
  save_profile(profile, options.output);
}

}  // namespace

void add_import_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "import",
      "Make a profile of what another tool knows of a program's communication: csv (matrices of "
      "bytes and of numbers of messages), openmpi (what Open MPI's monitoring writes) or metis (a "
      "graph).\nSuch a profile has no times: it can be shown and mapped, and no slowdown can be "
      "predicted from it");
  command->add_option("KIND", options->kind, "csv, openmpi or metis")
      ->required()
      ->check(cli::IsMember({"csv", "openmpi", "metis"}));
  command
      ->add_option("FILE", options->files,
                   "csv: BYTES.csv [COUNTS.csv]; openmpi: the files PREFIX.RANK.prof of all "
                   "ranks; metis: a graph")
      ->required();
  command->add_option("-o,--output", options->output, "where the profile goes (.json or .cbor)")
      ->value("FILE")
      ->required();
  command->add_option("--label", options->label,
                      "what runs of this program are kept by (default: the file's name up to its "
                      "first dot)");
  command->add_example("huddle import csv bytes.csv counts.csv -o profile.json");
  command->add_example("huddle import openmpi runs/halo.*.prof -o halo.cbor --label halo");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
