#pragma once

// Internal to the reader of Open MPI's monitoring.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// How many messages to one rank there were by size, as Open MPI's monitoring prints it.
class MonitoringHistogram {
 public:
  /// Numbers with commas between, at most 66. Nothing if `text` is something else.
  static std::optional<MonitoringHistogram> parse(std::string_view text);

  [[nodiscard]] std::uint64_t messages() const;

  /// The messages by size class, with bytes that sum to `bytes`: in every class the messages' mean
  /// size lies at the same share of the way from the smallest to the largest of the class. Empty if
  /// messages of these classes can't have so many bytes.
  [[nodiscard]] std::vector<SentMessages> messages_of(Rank receiver, Bytes bytes) const;

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace huddle
