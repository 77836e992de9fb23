#include "profiles/formats/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <sstream>

#include "profiles/store/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

struct TomlAssertion {};

[[noreturn]] void toml_assertion_failed() {
  throw TomlAssertion();
}

}  // namespace
}  // namespace huddle

// toml++ asserts where it should report an error ("[[["), and goes on into undefined behaviour
// where assertions are off. Either would end the program that asks Huddle: let it throw, in every
// build.
#undef NDEBUG
#define TOML_ASSERT(condition) \
  (static_cast<bool>(condition) ? static_cast<void>(0) : huddle::toml_assertion_failed())
#include <toml++/toml.h>

namespace huddle {
namespace {

constexpr std::array<std::string_view, 4> kModes = {"off", "profile", "advise", "auto"};
constexpr std::uint64_t kMostPolicyBytes = std::uint64_t{1} << 20U;
constexpr std::ptrdiff_t kMostDots = 64;

std::string place_of(const toml::node& node, std::string_view key) {
  const toml::source_position& begin = node.source().begin;
  return fmt::format("line {}, column {}, key {}", begin.line, begin.column, key);
}

std::string found_in(const toml::node& node) {
  std::ostringstream text;
  if (node.is_table()) return "a table";
  node.visit([&](const auto& value) { text << value; });
  return text.str();
}

/// Where a key's value goes; `store` says whether it could be taken.
struct Key {
  std::function<bool(const toml::node&)> store;
  std::string_view expected;
};

Key text_key(std::string& target, std::string_view expected) {
  return {[&target](const toml::node& node) {
            const auto value = node.value_exact<std::string>();
            if (value) target = *value;
            return value.has_value() && !value->empty();
          },
          expected};
}

bool store_slowdown(const toml::node& node, double& target) {
  std::optional<double> share;
  if (const auto text = node.value_exact<std::string>())
    share = parse_share(*text);
  else if (node.is_number())
    share = node.value<double>();
  if (!share || !std::isfinite(*share) || *share < 0 || *share > 1) return false;
  target = *share;
  return true;
}

bool store_mode(const toml::node& node, Mode& target) {
  const auto text = node.value_exact<std::string>();
  const auto mode = text ? mode_of(*text) : std::nullopt;
  if (mode) target = *mode;
  return mode.has_value();
}

std::map<std::string, Key, std::less<>> keys_of(Policy& policy) {
  return {
      {"mode", {[&](const toml::node& node) { return store_mode(node, policy.mode); }, kModeNames}},
      {"slowdown",
       {[&](const toml::node& node) { return store_slowdown(node, policy.slowdown); },
        "a share such as \"5%\" or 0.05, from 0 to 1"}},
      {"profiles.directory", text_key(policy.profiles_directory, "a directory")},
      {"machine.file", text_key(policy.machine_file, "the path of a machine document")},
      {"programs.huddle", text_key(policy.huddle, "the path of the huddle command")},
      {"programs.recorder", text_key(policy.recorder, "the path of the recorder's library")},
      {"programs.mpirun_helper",
       text_key(policy.mpirun_helper, "the path of the library libhuddle_mpirun.so")},
  };
}

void read_table(const toml::table& table, const std::string& prefix, std::string_view file,
                const std::map<std::string, Key, std::less<>>& keys) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (const auto known = keys.find(key); known != keys.end()) {
      if (!known->second.store(node))
        throw FormatError(file, place_of(node, key), found_in(node), known->second.expected);
      continue;
    }
    const auto inside = keys.lower_bound(key + ".");
    if (inside == keys.end() || !inside->first.starts_with(key + "."))
      throw FormatError(file, place_of(node, key), "an unknown key", "a key of huddle.toml(5)");
    if (!node.is_table()) throw FormatError(file, place_of(node, key), found_in(node), "a table");
    read_table(*node.as_table(), key + ".", file, keys);
  }
}

// toml++ takes tables apart recursively, so a key of a great many parts would exhaust the stack.
void check_dots(std::string_view text, std::string_view file) {
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string_view content = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(content.size() + 1, text.size()));
    const auto dots = std::count(content.begin(), content.end(), '.');
    if (dots > kMostDots && !content.starts_with('#'))
      throw FormatError(file, fmt::format("line {}", line), fmt::format("{} dots", dots),
                        fmt::format("at most {} in a line", kMostDots));
  }
}

}  // namespace

std::optional<Mode> mode_of(std::string_view name) {
  for (std::size_t i = 0; i < kModes.size(); ++i)
    if (name == kModes[i]) return static_cast<Mode>(i);
  return std::nullopt;
}

std::string_view name_of(Mode mode) {
  return kModes[static_cast<std::size_t>(mode)];
}

std::optional<double> parse_share(std::string_view text) {
  double scale = 1;
  if (text.ends_with('%')) {
    scale = 0.01;
    text.remove_suffix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
  }
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  value *= scale;
  if (!std::isfinite(value) || value < 0 || value > 1) return std::nullopt;
  return value;
}

Policy Policy::defaults() {
  Policy policy;
  policy.huddle = HUDDLE_INSTALLED_COMMAND;
  policy.recorder = HUDDLE_INSTALLED_MODULES "/libhuddle_recorder.so";
  policy.mpirun_helper = HUDDLE_INSTALLED_MODULES "/libhuddle_mpirun.so";
  return policy;
}

Policy parse_policy(std::string_view text, std::string_view file) {
  Policy policy = Policy::defaults();
  check_dots(text, file);
  try {
    const toml::table table = toml::parse(text);
    read_table(table, "", file, keys_of(policy));
  } catch (const toml::parse_error& error) {
    throw FormatError(
        file,
        fmt::format("line {}, column {}", error.source().begin.line, error.source().begin.column),
        error.description(), "TOML");
  } catch (const TomlAssertion&) {
    throw FormatError(file, "the file", "a key or the name of a table that can't be read", "TOML");
  }
  return policy;
}

Policy load_policy(const std::filesystem::path& path) {
  return parse_policy(read_file(path, kMostPolicyBytes), path.string());
}

}  // namespace huddle
