#pragma once

// Internal to the format readers and writers: one description of a structure's members, by which it
// is read and written.
//
//     template <class Members>
//     void describe(Members& members, In<Members, OutcomeRun>& run) {
//       members.required("nodes", run.nodes, at_least(1));
//       members.optional("step", run.step);
//     }

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/document/member_values.hpp"
#include "profiles/vocabulary/launched_program.hpp"

namespace huddle {

/// The form of members whose value is not known.
enum class Unknown : std::uint8_t {
  kLeftOut,  ///< they are not there
  kNull,     ///< they are null
};

/// An object of what describe() says.
template <class Value>
nlohmann::ordered_json object_of(const Value& value, Unknown unknown = Unknown::kLeftOut);

/// A structure that is filled by a MemberReader, and only looked at by a writer.
template <class Members, class Value>
using In = std::conditional_t<Members::kReads, Value, const Value>;

/// Lets a rule with before() look at a value that was not read yet, and may be of another kind.
template <class Rule>
void look_before(const Rule& rule, const Field& field) {
  if constexpr (requires { rule.before(field); }) rule.before(field);
}

/// Reads the members of an object. Each `rules(field, value)` looks at what was read, and throws by
/// Field::fail().
class MemberReader {
 public:
  static constexpr bool kReads = true;
  explicit MemberReader(const Field& object) : object_(object) {}

  [[nodiscard]] const Field& object() const { return object_; }

  /// A member that must be there.
  template <class Value, class... Rules>
  void required(std::string_view name, Value&& value, const Rules&... rules) {
    const Field field = object_.at(name);
    (look_before(rules, field), ...);
    read_value(field, value);
    (rules(field, value_in(value)), ...);
  }
  /// A member that may be absent, and then leaves the value alone. It is always written.
  template <class Value, class... Rules>
  void given(std::string_view name, Value&& value, const Rules&... rules) {
    if (object_.has(name)) required(name, value, rules...);
  }
  /// The same, and it is written only if it is_set().
  template <class Value, class... Rules>
  void optional(std::string_view name, Value&& value, const Rules&... rules) {
    given(name, value, rules...);
  }
  /// The same, and it is written unless it has its usual value.
  template <class Usual, class Value, class... Rules>
  void unless(const Usual& /*usual*/, std::string_view name, Value&& value, const Rules&... rules) {
    given(name, value, rules...);
  }
  /// An object whose members `describe(members)` describes.
  template <class Describe>
  void within(std::string_view name, Describe&& describe) {
    MemberReader inner(object_.at(name));
    describe(inner);
  }
  /// An array of objects, of whose elements `describe(members, element)` describes each.
  template <class Value, class Describe>
  void array(std::string_view name, std::vector<Value>& values, Describe&& describe) {
    values.clear();
    object_.at(name).for_each([&](const Field& entry) {
      MemberReader inner(entry);
      describe(inner, values.emplace_back());
    });
  }
  /// True if the member is there; a writer is told by `written`.
  [[nodiscard]] bool present(std::string_view name, bool /*written*/) const {
    return object_.has(name);
  }
  /// Calls `rule(field)` with a member once others are known, too, if it is there.
  template <class Rule>
  void check(std::string_view name, const Rule& rule) const {
    if (object_.has(name)) rule(object_.at(name));
  }

 private:
  Field object_;
};

/// Writes members into an object, in the order of the calls.
class MemberWriter {
 public:
  static constexpr bool kReads = false;
  explicit MemberWriter(nlohmann::ordered_json& object, Unknown unknown = Unknown::kLeftOut)
      : object_(object), unknown_(unknown) {}

  template <class Value, class... Rules>
  void required(std::string_view name, const Value& value, const Rules&... /*rules*/) {
    object_[std::string(name)] = json_value(value);
  }
  template <class Value, class... Rules>
  void given(std::string_view name, const Value& value, const Rules&... rules) {
    required(name, value, rules...);
  }
  template <class Value, class... Rules>
  void optional(std::string_view name, const Value& value, const Rules&... rules) {
    constexpr bool may_be_unknown = requires {
      value.has_value();
    }
    || requires {
      value.value().has_value();
    };
    if (is_set(value) || (may_be_unknown && unknown_ == Unknown::kNull))
      required(name, value, rules...);
  }
  template <class Usual, class Value, class... Rules>
  void unless(const Usual& usual, std::string_view name, const Value& value,
              const Rules&... rules) {
    if (value != usual) required(name, value, rules...);
  }
  template <class Describe>
  void within(std::string_view name, Describe&& describe) {
    nlohmann::ordered_json inner = nlohmann::ordered_json::object();
    MemberWriter members(inner);
    describe(members);
    object_[std::string(name)] = std::move(inner);
  }
  template <class Value, class Describe>
  void array(std::string_view name, const std::vector<Value>& values, Describe&& describe) {
    nlohmann::ordered_json array = nlohmann::ordered_json::array();
    for (const Value& value : values) {
      nlohmann::ordered_json object = nlohmann::ordered_json::object();
      MemberWriter inner(object);
      describe(inner, value);
      array.push_back(std::move(object));
    }
    json(name, std::move(array));
  }
  /// A member that only a writer describes so.
  void json(std::string_view name, nlohmann::ordered_json value) {
    object_[std::string(name)] = std::move(value);
  }
  [[nodiscard]] bool present(std::string_view /*name*/, bool written) const { return written; }
  template <class Rule>
  void check(std::string_view /*name*/, const Rule& /*rule*/) const {}

 private:
  nlohmann::ordered_json& object_;
  Unknown unknown_;
};

template <class Value>
requires std::is_class_v<Value> &&
    (!Wrapped<Value>)void read_value(const Field& field, Value& value) {
  MemberReader members(field);
  describe(members, value);
}

template <class Value>
requires std::is_class_v<Value> &&(!Wrapped<Value>)nlohmann::ordered_json
    json_value(const Value& value) {
  return object_of(value);
}

/// The inside of an optional structure whose members stand among those of another one: a reader
/// makes it.
template <class Value>
Value& part(MemberReader& /*members*/, std::optional<Value>& value) {
  return value.emplace();
}
template <class Value>
const Value& part(MemberWriter& /*members*/, const std::optional<Value>& value) {
  return *value;
}

template <class Members>
void describe(Members& members, In<Members, LaunchedProgram>& program) {
  members.required("path", program.path);
  members.required("build_id", program.build_id);
}
inline bool is_set(const LaunchedProgram& program) {
  return !program.path.empty();
}

// Rules.

template <std::unsigned_integral Number>
constexpr auto at_least(Number least) {
  return [least](const Field& field, const auto& value) {
    if (value < least) field.fail(fmt::format("{} or more", least));
  };
}
/// A whole number that is no larger.
class AtMost {
 public:
  constexpr explicit AtMost(std::uint64_t most) : most_(most) {}
  void before(const Field& field) const { static_cast<void>(field.unsigned_integer(most_)); }
  template <class Value>
  void operator()(const Field& /*field*/, const Value& /*value*/) const {}

 private:
  std::uint64_t most_;
};
constexpr AtMost at_most(std::uint64_t most) {
  return AtMost(most);
}
struct AboveZero {
  void before(const Field& field) const {
    if (field.number() <= 0) field.fail("a number above 0");
  }
  template <class Value>
  void operator()(const Field& field, const Value& value) const {
    if (value <= Value{}) field.fail("a number above 0");
  }
};
inline constexpr AboveZero kAboveZero;
inline constexpr auto kNotNegative = [](const Field& field, double value) {
  if (value < 0) field.fail("a number, 0 or more");
};
inline constexpr auto kShare = [](const Field& field, double value) {
  if (value < 0 || value > 1) field.fail("a number from 0 to 1");
};

/// An enumeration, or an optional one, by its names.
template <class Value, class Parse, class NameOf>
class Named {
 public:
  Named(Value& value, Parse parse, NameOf name_of, std::string_view expected)
      : value_(value), parse_(parse), name_of_(name_of), expected_(expected) {}

  void read(const Field& field) const {
    const auto found = parse_(field.text());
    if (!found) field.fail(expected_);
    if constexpr (!std::is_const_v<Value>) value_ = *found;
  }
  [[nodiscard]] nlohmann::ordered_json json() const {
    if constexpr (requires { value_.has_value(); })
      if (!value_) return {};
    return name_of_(value_in(value_));
  }
  [[nodiscard]] bool is_set() const { return huddle::is_set(value_); }
  [[nodiscard]] const Value& value() const { return value_; }

 private:
  Value& value_;
  Parse parse_;
  NameOf name_of_;
  std::string_view expected_;
};

/// `parse(text)` returns the value of that name, or nothing, and name_of() its name; `expected`:
/// the names, for errors.
template <class Enum, class Value>
auto named(Value& value, std::optional<Enum> (*parse)(std::string_view),
           std::string_view expected) {
  return Named(
      value, parse, [](Enum known) { return name_of(known); }, expected);
}
/// Values have the names at their places in `names`.
template <class Value, std::size_t kCount>
auto named(Value& value, const std::array<std::string_view, kCount>& names,
           std::string_view expected) {
  using Enum = std::remove_cvref_t<decltype(value_in(value))>;
  const auto parse = [&names](std::string_view text) -> std::optional<Enum> {
    for (std::size_t i = 0; i < kCount; ++i)
      if (text == names[i]) return static_cast<Enum>(i);
    return std::nullopt;
  };
  return Named(
      value, parse, [&names](Enum known) { return names[static_cast<std::size_t>(known)]; },
      expected);
}

template <class Value>
nlohmann::ordered_json object_of(const Value& value, Unknown unknown) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  MemberWriter members(object, unknown);
  describe(members, value);
  return object;
}

/// The document that `Value::kFormat` and describe() say.
template <class Value>
nlohmann::ordered_json document_of(const Value& value) {
  nlohmann::ordered_json document = new_document(Value::kFormat, Value::kVersion);
  MemberWriter members(document);
  describe(members, value);
  return document;
}

template <class Value>
Value parse_document(std::string_view bytes, std::string_view file,
                     const DocumentLimits& limits = {}) {
  Value value;
  read_value(Document::parse(bytes, file, Value::kFormat, Value::kVersion, limits).root(), value);
  return value;
}

template <class Value>
Value load_document(const std::filesystem::path& path, const DocumentLimits& limits = {}) {
  Value value;
  read_value(Document::load(path, Value::kFormat, Value::kVersion, limits).root(), value);
  return value;
}

}  // namespace huddle
