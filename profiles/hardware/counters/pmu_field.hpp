#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/hardware/counters/event_code.hpp"

namespace huddle::counters {

/// Where a field of an event goes, as a file of a PMU's directory `format` says:
/// "config:0-7,32-35" are bits 0 to 7 and then 32 to 35 of EventCode::config.
class PmuField {
 public:
  /// Throws FormatError, whose file is `file`, if `text` is not of this form.
  static PmuField parse(std::string_view text, std::string_view file);

  /// All bits of config, config1 or config2.
  static PmuField whole(std::uint64_t EventCode::*word) { return PmuField(word, {{0, 63}}); }

  [[nodiscard]] unsigned width() const;
  /// True if `value` has no more bits than the field.
  [[nodiscard]] bool takes(std::uint64_t value) const;
  /// The lowest bits of `value` go to the first range.
  void put(std::uint64_t value, EventCode& code) const;

 private:
  /// First and last bit.
  using Range = std::pair<unsigned, unsigned>;
  PmuField(std::uint64_t EventCode::*word, std::vector<Range> ranges)
      : word_(word), ranges_(std::move(ranges)) {}

  std::uint64_t EventCode::*word_;
  std::vector<Range> ranges_;
};

}  // namespace huddle::counters
