#pragma once

// Internal to the reader and writer of profiles: members.hpp for what is written without a tree of
// the document in memory, and tables, each an object of columns of equal length.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "profiles/formats/document/members.hpp"
#include "profiles/formats/profile/detail/document_writer.hpp"

namespace huddle {

/// Orders `rows` by `key_of`; returns one whose key another has, too, or nullptr.
template <class Row, class KeyOf>
const Row* sort_by(std::vector<Row>& rows, KeyOf key_of) {
  const auto before = [&](const Row& a, const Row& b) { return key_of(a) < key_of(b); };
  const auto same = [&](const Row& a, const Row& b) { return key_of(a) == key_of(b); };
  if (!std::is_sorted(rows.begin(), rows.end(), before))
    std::sort(rows.begin(), rows.end(), before);
  const auto twice = std::adjacent_find(rows.begin(), rows.end(), same);
  return twice == rows.end() ? nullptr : &*twice;
}

/// True if an entry of the table, which is in the order of its ids, has this one.
template <class Entry>
bool has_id(const std::vector<Entry>& table, std::uint64_t id) {
  const auto entry = std::ranges::lower_bound(table, id, {}, &Entry::id);
  return entry != table.end() && entry->id == id;
}

/// The rule that an id is one of `table`, or 0 where that is allowed; none without a table.
/// `names`: what it is called.
template <class Entry>
auto id_in(const std::vector<Entry>* table, std::string_view names, bool may_be_0 = false) {
  return [=](const Field& field, std::uint64_t id) {
    if (table == nullptr || (may_be_0 && id == 0) || has_id(*table, id)) return;
    field.fail(fmt::format("{}the id of one of the {}", may_be_0 ? "0, or " : "", names));
  };
}

/// The rule that an array has an element for each rank.
inline auto one_for_each(std::uint32_t ranks) {
  return [ranks](const Field& field, const auto& values) {
    if (values.size() != ranks) field.fail(fmt::format("an array of {}, one for each rank", ranks));
  };
}

/// Reads the columns of a table, each into a member of its rows.
template <class Row>
class ColumnReader {
 public:
  static constexpr bool kReads = true;
  /// As long as its column `first`, which must be there. Throws FormatError.
  ColumnReader(const Field& table, std::string_view first)
      : table_(table), first_(first), rows_(table.at(first).array_size()) {}

  /// A column that must be there. Each of `rules(field, value, row)`, or rules(field, value), looks
  /// at a value when it was read, and throws by Field::fail().
  template <class Access, class... Rules>
  void column(std::string_view name, const Access& access, const Rules&... rules) {
    visit(name, [&](const Field& field, Row& row) {
      auto& value = std::invoke(access, row);
      if constexpr (requires { value.has_value(); })
        if (field.is_null()) return;
      (look_before(rules, field), ...);
      read_value(field, value);
      (look(rules, field, value_in(value), row), ...);
    });
  }
  /// A column that a row has no member for: `set(row, number, field)` takes its numbers.
  template <class Get, class Set>
  void derived(std::string_view name, const Get& /*get*/, const Set& set) {
    visit(name, [&](const Field& field, Row& row) { set(row, field.unsigned_integer(), field); });
  }
  /// Looks at a column again, once others are known.
  template <class Rule>
  void check(std::string_view name, const Rule& rule) {
    visit(name, [&](const Field& field, const Row& row) { rule(field, row); });
  }
  /// True if there is such a column; a writer has it where any row `has` something for it.
  template <class Has>
  [[nodiscard]] bool any(std::string_view name, const Has& /*has*/) const {
    return table_.has(name);
  }
  /// Counts of the rows, of which `passes_of(row)`, the column `passes`, were: a column
  /// for each of `events` events.
  template <class PassesOf>
  void counts(std::size_t events, std::string_view passes, PassesOf passes_of) {
    const Field counts = table_.at("counts");
    if (counts.array_size() != events)
      counts.fail(fmt::format("an array of {}, as long as \"events\"", events));
    for (Row& row : rows_)
      if (passes_of(row) > 0) row.counts.reserve(events);
    counts.for_each([&](const Field& column) {
      visit(column, [&](const Field& field, Row& row) {
        const double count = count_or_nan(field);
        if (passes_of(row) > 0)
          row.counts.push_back(count);
        else if (!std::isnan(count))
          field.fail(fmt::format("null, since {} is 0", passes));
      });
    });
  }
  /// Puts the rows in the order of `key_of`. Throws FormatError if two have the same key: what
  /// `name_of(row)` says of it is there twice, and `expected` what there should be.
  template <class KeyOf, class NameOf>
  void sorted(KeyOf key_of, NameOf name_of, std::string_view expected) {
    if (const Row* const twice = sort_by(rows_, key_of))
      table_.fail(fmt::format("{} twice", name_of(*twice)), expected);
  }

  [[nodiscard]] std::vector<Row>& rows() { return rows_; }
  /// A number, 0 or more; NaN for null.
  static double count_or_nan(const Field& field) {
    return field.is_null() ? std::numeric_limits<double>::quiet_NaN() : field.non_negative();
  }

 private:
  template <class Rule, class Value>
  static void look(const Rule& rule, const Field& field, const Value& value, const Row& row) {
    if constexpr (std::is_invocable_v<const Rule&, const Field&, const Value&, const Row&>)
      rule(field, value, row);
    else
      rule(field, value);
  }
  template <class Visit>
  void visit(const Field& column, const Visit& visit) {
    if (column.array_size() != rows_.size())
      column.fail(fmt::format("an array of {}, as long as \"{}\"", rows_.size(), first_));
    auto row = rows_.begin();
    column.for_each([&](const Field& value) { visit(value, *row++); });
  }
  template <class Visit>
  void visit(std::string_view name, const Visit& each) {
    visit(table_.at(name), each);
  }

  Field table_;
  std::string_view first_;
  std::vector<Row> rows_;
};

template <class Value>
void write_value(DocumentWriter& out, const Value& value) {
  if constexpr (Wrapped<Value>)
    out.text(value.json().template get_ref<const std::string&>());
  else if constexpr (requires { value.has_value(); })
    value ? write_value(out, *value) : out.null();
  else if constexpr (requires { value.value; })
    out.value(value.value);
  else
    out.value(value);
}
template <class Value>
void write_value(DocumentWriter& out, const std::vector<Value>& values) {
  out.array(values, [&](const Value& value) { write_value(out, value); });
}

/// Writes the columns of a table, in the order of the calls.
template <class Row>
class ColumnWriter {
 public:
  static constexpr bool kReads = false;
  ColumnWriter(DocumentWriter& out, const std::vector<Row>& rows) : out_(out), rows_(rows) {}

  template <class Access, class... Rules>
  void column(std::string_view name, const Access& access, const Rules&... /*rules*/) {
    out_.key(name);
    out_.array(rows_, [&](const Row& row) { write_value(out_, std::invoke(access, row)); });
  }
  template <class Get, class Set>
  void derived(std::string_view name, const Get& get, const Set& /*set*/) {
    out_.column(name, rows_, get);
  }
  template <class Rule>
  void check(std::string_view /*name*/, const Rule& /*rule*/) const {}
  template <class Has>
  [[nodiscard]] bool any(std::string_view /*name*/, const Has& has) const {
    return std::ranges::any_of(rows_, has);
  }
  template <class PassesOf>
  void counts(std::size_t events, std::string_view /*passes*/, PassesOf passes_of) {
    out_.key("counts");
    out_.open_array(events);
    for (std::size_t event = 0; event < events; ++event)
      out_.array(rows_, [&](const Row& row) {
        if (passes_of(row) > 0 && event < row.counts.size())
          out_.real(row.counts[event]);
        else
          out_.null();
      });
    out_.close_array();
  }
  template <class KeyOf, class NameOf>
  void sorted(KeyOf /*key_of*/, NameOf /*name_of*/, std::string_view /*expected*/) const {}

 private:
  DocumentWriter& out_;
  const std::vector<Row>& rows_;
};

/// A MemberWriter that writes at once.
class StreamedMembers {
 public:
  static constexpr bool kReads = false;
  explicit StreamedMembers(DocumentWriter& out) : out_(out) {}

  [[nodiscard]] DocumentWriter& out() { return out_; }

  template <class Value, class... Rules>
  void required(std::string_view name, const Value& value, const Rules&... /*rules*/) {
    out_.key(name);
    if constexpr (std::is_class_v<Value> && requires { describe(*this, value); }) {
      out_.open_object();
      describe(*this, value);
      out_.close_object();
    } else {
      write_value(out_, value);
    }
  }
  template <class Value, class... Rules>
  void optional(std::string_view name, const Value& value, const Rules&... rules) {
    if constexpr (requires { value.has_value(); }) {
      if (value) required(name, *value, rules...);
    } else if (is_set(value)) {
      required(name, value, rules...);
    }
  }
  template <class Describe>
  void within(std::string_view name, Describe&& describe) {
    out_.key(name);
    out_.open_object();
    describe(*this);
    out_.close_object();
  }
  template <class Value, class Describe>
  void array(std::string_view name, const std::vector<Value>& values, Describe&& describe) {
    out_.key(name);
    out_.array(values, [&](const Value& value) {
      out_.open_object();
      describe(*this, value);
      out_.close_object();
    });
  }
  [[nodiscard]] bool present(std::string_view /*name*/, bool written) const { return written; }
  template <class Rule>
  void check(std::string_view /*name*/, const Rule& /*rule*/) const {}

 private:
  DocumentWriter& out_;
};

/// A table that is a member, with a row in `rows` for each value of its column `first`;
/// `describe(table)` describes its columns.
template <class Row, class Describe>
void describe_table(MemberReader& members, std::string_view name, std::string_view first,
                    std::vector<Row>& rows, Describe&& describe) {
  ColumnReader<Row> table(members.object().at(name), first);
  describe(table);
  rows = std::move(table.rows());
}
template <class Row, class Describe>
void describe_table(StreamedMembers& members, std::string_view name, std::string_view /*first*/,
                    const std::vector<Row>& rows, Describe&& describe) {
  members.within(name, [&](StreamedMembers& inner) {
    ColumnWriter<Row> table(inner.out(), rows);
    describe(table);
  });
}
/// The same if there is one: it is written if it has rows.
template <class Members, class Rows, class Describe>
void describe_table_if_any(Members& members, std::string_view name, std::string_view first,
                           Rows& rows, Describe&& describe) {
  if (members.present(name, !rows.empty())) describe_table(members, name, first, rows, describe);
}

template <class Value>
const Value& part(StreamedMembers& /*members*/, const std::optional<Value>& value) {
  return *value;
}

}  // namespace huddle
