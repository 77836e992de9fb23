// The whole published method on generated rows of the paper's largest program;
// tests/benchmark/forecast_speed runs scikit-learn beside it on the same rows, which this writes as
// plain columns.

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "aggregator/forecast/toep/detail/variables.hpp"
#include "aggregator/forecast/toep/published_method.hpp"
#include "tests/evaluation/forecast_rows/generated_rows.hpp"

namespace {

using namespace huddle;
using Json = nlohmann::ordered_json;

void write_column(const std::filesystem::path& file, const std::vector<double>& values) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!out.flush()) throw std::runtime_error("can't write " + file.string());
}

// Writes the data that another program needs to do the same: columns that vary, and the target.
// Returns the columns' names.
Json write_rows(const std::filesystem::path& folder, const forecast::MeasurementTable& table) {
  const forecast::ShapedRows rows = forecast::shaped(table, forecast::ColumnRole::energy);
  Json names = Json::array();
  for (const std::string& name : rows.variables) {
    write_column(folder / fmt::format("{}.f64", names.size()), table.find(name)->values);
    names.push_back(name);
  }
  write_column(folder / "target.f64", table.find(forecast::ColumnRole::energy)->values);
  return names;
}

double peak_mib() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Json growing(const forecast::MethodSettings& settings, std::size_t rows, std::size_t variables) {
  const forecast::ForestSettings forest = forecast::method_forest(settings, rows, variables);
  return {{"leaf", forest.least_leaf}, {"features", forest.features_per_split}};
}

Json study_of(const forecast::MeasurementTable& table, const forecast::MethodSettings& settings) {
  const forecast::MethodStudy study =
      forecast::study_published_method(table, forecast::ColumnRole::energy, settings);
  Json out = {{"seconds", study.seconds},
              {"all_variables_r2", study.all_variables_r2},
              {"compared", study.samplings[study.compared].one_in}};
  out["variables"] = Json::array();
  std::size_t kept = 0;
  for (const forecast::VariableImportance& variable : study.importance) {
    out["variables"].push_back({{"variable", variable.variable}, {"kept", variable.kept}});
    if (variable.kept) ++kept;
  }
  out["samplings"] = Json::array();
  for (const forecast::SamplingResult& sampling : study.samplings)
    out["samplings"].push_back({{"one_in", sampling.one_in},
                                {"possible", sampling.possible},
                                {"rows", sampling.training_rows},
                                {"r2", sampling.r2},
                                {"linear_r2", sampling.linear_r2},
                                {"cross_validated_r2", sampling.cross_validated_r2},
                                {"seconds", sampling.seconds},
                                {"linear_seconds", sampling.linear_seconds},
                                {"growing", growing(settings, sampling.training_rows, kept)}});
  out["growing_all"] =
      growing(settings, study.samplings[study.compared].training_rows, study.importance.size());
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The published method on generated rows of the paper's largest program"};
  std::string folder = ".";
  std::uint32_t each_nth_size = 1;
  forecast::MethodSettings settings;
  settings.threads = 2;
  app.add_option("FOLDER", folder, "where the rows and the results go")->required();
  app.add_option("--each-nth-size", each_nth_size, "fewer rows")->check(CLI::Range(1U, 100U));
  app.add_option("--trees", settings.trees, "of each forest")->capture_default_str();
  app.add_option("--threads", settings.threads, "that work")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    std::filesystem::create_directories(folder);
    const forecast::MeasurementTable table =
        evaluation::generated_rows(evaluation::program_laws()[2], {}, 1, each_nth_size).table;
    Json out = {{"rows", table.rows()}, {"trees", settings.trees}, {"threads", settings.threads}};
    out["names"] = write_rows(folder, table);
    out.update(study_of(table, settings));
    out["peak_mib"] = peak_mib();
    std::ofstream(std::filesystem::path(folder) / "huddle.json") << out.dump(1) << "\n";
    fmt::print("{} rows: {:.2f} s, {:.0f} MiB\n", table.rows(), out["seconds"].get<double>(),
               peak_mib());
    return out["samplings"].back()["r2"].get<double>() > 0.9 ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "forecast_speed: {}\n", error.what());
    return 1;
  }
}
