#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace huddle {

/// What `--energy-aggregate` asks for.
enum class Mode : std::uint8_t {
  kOff,      ///< the job as submitted
  kProfile,  ///< as submitted, and measured
  kAdvise,   ///< as submitted; the plan is printed
  kAuto,     ///< packed if there is a plan, else measured
};

inline constexpr std::size_t kModeCount = 4;
inline constexpr std::string_view kModeNames = "off, profile, advise or auto";

/// The mode of that name, or nothing.
std::optional<Mode> mode_of(std::string_view name);
std::string_view name_of(Mode mode);

/// What a plan has least of, among those within the bound of slowdown.
enum class Objective : std::uint8_t {
  kEnergy,  ///< predicted energy
  kEdp,     ///< predicted energy x time; needs power figures
  kTime,    ///< predicted time
};

inline constexpr std::string_view kObjectiveNames = "energy, edp or time";

/// The objective of that name, or nothing.
std::optional<Objective> objective_of(std::string_view name);
std::string_view name_of(Objective objective);

/// Who may read a user's part of the store.
enum class Readers : std::uint8_t {
  kOwner,  ///< the user, and root
  kGroup,  ///< the group of the user's folder as well
  kAll,    ///< everybody
};

inline constexpr std::string_view kReadersNames = "owner, group or all";

/// The readers of that name, or nothing.
std::optional<Readers> readers_of(std::string_view name);

}  // namespace huddle
