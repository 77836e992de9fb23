#include "profiles/formats/policy/policy_words.hpp"

#include <array>

namespace huddle {
namespace {

constexpr std::array<std::string_view, kModeCount> kModes = {"off", "profile", "advise", "auto"};
constexpr std::array<std::string_view, 3> kObjectives = {"energy", "edp", "time"};
constexpr std::array<std::string_view, 3> kReaders = {"owner", "group", "all"};

template <class Word, std::size_t kSize>
std::optional<Word> word_of(const std::array<std::string_view, kSize>& names,
                            std::string_view name) {
  for (std::size_t i = 0; i < kSize; ++i)
    if (name == names[i]) return static_cast<Word>(i);
  return std::nullopt;
}

}  // namespace

std::optional<Mode> mode_of(std::string_view name) {
  return word_of<Mode>(kModes, name);
}

std::string_view name_of(Mode mode) {
  return kModes[static_cast<std::size_t>(mode)];
}

std::optional<Objective> objective_of(std::string_view name) {
  return word_of<Objective>(kObjectives, name);
}

std::string_view name_of(Objective objective) {
  return kObjectives[static_cast<std::size_t>(objective)];
}

std::optional<Readers> readers_of(std::string_view name) {
  return word_of<Readers>(kReaders, name);
}

}  // namespace huddle
