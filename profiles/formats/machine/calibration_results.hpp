#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/machine/machine.hpp"

namespace huddle {

/// Results of huddle_calibration, which writes one JSON object a line
/// (docs/formats/calibration.md).
struct CalibrationResults {
  /// Packages, dies and cores of a node: "2:2:2".
  std::string layout;
  std::uint32_t nodes = 0;
  std::uint32_t ranks = 0;
  /// In the order of Machine's tables; all measured.
  std::vector<MessageTimes> messages;
  std::vector<CollectiveTimes> collectives;
  std::vector<MemoryStream> memory_streams;
  /// Measurements that the last run that ended meant to have, and those it left out for want of
  /// time.
  std::uint64_t planned = 0;
  std::uint64_t left_out = 0;

  /// Returns the number of results of all kinds.
  [[nodiscard]] std::size_t size() const;
  /// Adds the results of another run on the same kind of node; where both have one, its counts.
  void merge(const CalibrationResults& other);
};

/// Throws SystemError, or FormatError naming the line. A last line without its end, of a run that
/// was stopped, is passed over.
CalibrationResults load_calibration(const std::filesystem::path& path);
CalibrationResults parse_calibration(std::string_view text, std::string_view file);

}  // namespace huddle
