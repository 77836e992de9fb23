#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace huddle {

/// What `huddle plan` answers when the plugin asks what to do with a job.
struct Decision {
  static constexpr std::string_view kFormat = "decision";
  static constexpr unsigned kVersion = 1;

  enum class Action : std::uint8_t {
    kApply,    ///< run as `plan_file` says
    kMeasure,  ///< run under the recorder: as submitted, or as `plan_file` says if there is one
    kLeave,    ///< run as submitted
  };
  Action action = Action::kLeave;
  /// One sentence for the user, without "huddle:" and without a full stop.
  std::string reason;

  /// The rest is set for kApply, and for kMeasure where the run is laid out to be a sample.
  std::string plan_file;
  std::uint32_t nodes = 0;
  std::uint32_t ranks_per_node = 0;

  [[nodiscard]] bool lays_out() const { return !plan_file.empty(); }
};

/// Throws FormatError; `source` is what errors call the text.
Decision parse_decision(std::string_view text, std::string_view source);
std::string to_json(const Decision& decision);

}  // namespace huddle
