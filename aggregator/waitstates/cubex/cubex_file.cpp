#include "aggregator/waitstates/cubex/cubex_file.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "aggregator/waitstates/cubex/detail/cube_anchor.hpp"
#include "aggregator/waitstates/cubex/detail/cube_metrics.hpp"
#include "aggregator/waitstates/cubex/detail/cube_trees.hpp"
#include "aggregator/waitstates/cubex/detail/tar_archive.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Little-endian, which the 1 behind an index's marker tells.
template <class Number>
void append_number(std::string& bytes, Number number) {
  auto left = static_cast<std::make_unsigned_t<Number>>(number);
  for (std::size_t i = 0; i < sizeof number; ++i, left = left >> 7U >> 1U)
    bytes += static_cast<char>(static_cast<unsigned char>(left & 0xffU));
}

// Which call paths have values.
std::string index_of(const CubeCells& cells) {
  constexpr std::uint16_t kVersion = 0;
  constexpr char kSparse = 1;
  std::string bytes = "CUBEX.INDEX";
  append_number(bytes, std::uint32_t{1});
  append_number(bytes, kVersion);
  bytes += kSparse;
  append_number(bytes, static_cast<std::uint32_t>(cells.size()));
  for (const auto& [path, values] : cells) append_number(bytes, path);
  return bytes;
}

// A value for each location of each of these call paths.
void add_data(TarArchive& archive, const std::string& name, const CubeMetric& metric,
              const CubeCells& cells, std::size_t locations) {
  constexpr std::string_view kMarker = "CUBEX.DATA";
  archive.begin(name, kMarker.size() + std::uint64_t{8} * cells.size() * locations);
  archive.append(kMarker);
  for (const auto& [path, values] : cells) {
    std::string bytes;
    bytes.reserve(8 * locations);
    for (const double value : values)
      append_number(bytes, metric.whole ? static_cast<std::uint64_t>(value)
                                        : std::bit_cast<std::uint64_t>(value));
    archive.append(bytes);
  }
  archive.end();
}

}  // namespace

void save_cubex(const WaitReport& report, const RunStudy& study,
                const std::filesystem::path& path) {
  if (report.locations.empty())
    throw Error("the report of " + shortened(report.trace) +
                " has no rank, and a file for Cube needs one");
  const CubeCallTree calls = cube_call_tree(report);
  const CubeSystemTree system = cube_system_tree(report);
  const std::vector<CubeMetric> metrics = cube_metrics(report, study);
  AtomicFile file(path);
  TarArchive archive(file);
  const std::string anchor = cube_anchor(report, calls, system, metrics);
  archive.begin("anchor.xml", anchor.size());
  archive.append(anchor);
  archive.end();
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const CubeCells cells = cube_cells(report, calls, system, metrics[i]);
    const std::string index = index_of(cells);
    const std::string name = std::to_string(i);
    archive.begin(name + ".index", index.size());
    archive.append(index);
    archive.end();
    add_data(archive, name + ".data", metrics[i], cells, report.locations.size());
  }
  archive.finish();
  file.commit();
}

}  // namespace huddle
