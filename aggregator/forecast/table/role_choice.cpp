#include "aggregator/forecast/table/role_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::array kRoles = {ColumnRole::size,      ColumnRole::processes, ColumnRole::threads,
                               ColumnRole::frequency, ColumnRole::time,      ColumnRole::energy};

bool equal_letter(char left, char right) {
  return equal_letters({&left, 1}, {&right, 1});
}

std::size_t index_of(ColumnRole role) {
  return static_cast<std::size_t>(role);
}

// Takes the file's columns one role after the other.
class Chooser {
 public:
  Chooser(const FileHeader& header, const std::vector<ColumnSample>& samples, const ToolDump& dump,
          const MeasurementCsvOptions& options)
      : header_(header), samples_(samples), options_(options) {
    choice_.ignored.resize(header.names.size());
    for (std::size_t i = 0; i < header.names.size(); ++i)
      meanings_.push_back(dump.means_nothing[i] ? NamedMeaning{} : meaning_of(header.names[i]));
  }

  RoleChoice choose() {
    for (const auto& [name, unit] : options_.units) named_column(header_, name);
    for (const auto& [role, names] : options_.columns) take_given(role, names);
    for (const ColumnRole role : kRoles) {
      if (choice_.columns[index_of(role)].empty()) take_by_name(role);
      set_aside_others(role);
    }
    if (choice_.columns[index_of(ColumnRole::energy)].empty()) take_parts_of_energy();
    set_aside_parts_of_energy();
    set_aside_power();
    if (!choice_.region) take_region();
    return std::move(choice_);
  }

 private:
  const std::string& raw(std::size_t column) const { return header_.names[column].raw; }

  void take(ColumnRole role, std::size_t column) {
    ColumnUnit unit = unit_of(header_, samples_[column], column, dimension_of(role), options_);
    if (!unit.unit)
      throw FormatError(header_.file, header_.place(header_.line, column),
                        fmt::format("the unit \"{}\"", unit.text),
                        fmt::format("a unit of {}: {}; --unit \"{}=...\" says which", name_of(role),
                                    units_of(dimension_of(role)), raw(column)));
    choice_.columns[index_of(role)].push_back(column);
    choice_.units[index_of(role)].push_back(std::move(unit));
  }

  void take_given(const std::string& role, const std::vector<std::string>& names) {
    if (role == "region" && names.size() == 1) {
      choice_.region = named_column(header_, names[0]);
      return;
    }
    const auto known = std::ranges::find(kRoles, role, name_of);
    if (known == kRoles.end() && role != "region")
      throw UsageError(
          fmt::format("\"{}\" is not what a column can hold: expected region, size, "
                      "processes, threads, frequency, time or energy",
                      role));
    if (names.empty() || (role != "energy" && names.size() > 1))
      throw UsageError(fmt::format("{} columns for {}: expected one", names.size(), role));
    for (const std::string& name : names) {
      const std::size_t column = named_column(header_, name);
      if (choice_.is_taken(column))
        throw UsageError(fmt::format("the column \"{}\" is named for two things", name));
      take(*known, column);
    }
  }

  bool is_free(std::size_t column) const {
    return !choice_.is_taken(column) && choice_.ignored[column].empty();
  }

  // Columns whose names and contents fit the role.
  std::vector<std::size_t> candidates(ColumnRole role) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < meanings_.size(); ++i) {
      if (meanings_[i].meaning != ColumnMeaning::role || meanings_[i].role != role || !is_free(i))
        continue;
      if (samples_[i].numbers == 0 && !is_meant_as_numbers(i)) {
        if (samples_[i].is_text()) choice_.ignored[i] = "it holds text";
        continue;
      }
      if (unit_of(header_, samples_[i], i, dimension_of(role), options_).unit)
        found.push_back(i);
      else
        remark_once(
            fmt::format("\"{0}\" is not taken for the {1}, since its unit is none of {1}; "
                        "--unit \"{0}=...\" gives one.",
                        raw(i), name_of(role)));
    }
    std::ranges::stable_sort(found, {}, [&](std::size_t i) { return meanings_[i].tier; });
    return found;
  }

  void remark_once(std::string remark) {
    if (std::ranges::find(choice_.remarks, remark) == choice_.remarks.end())
      choice_.remarks.push_back(std::move(remark));
  }

  // So that reading says what is wrong with them, instead of going on without.
  bool is_meant_as_numbers(std::size_t column) const {
    const ColumnSample& sample = samples_[column];
    const bool is_target = dimension_of(meanings_[column].role) == Dimension::time ||
                           dimension_of(meanings_[column].role) == Dimension::energy;
    return sample.durations > 0 || (sample.is_text() && (is_target || sample.begins_with_digit));
  }

  bool are_the_same(std::size_t left, std::size_t right, ColumnRole role) const {
    const Dimension dimension = dimension_of(role);
    const ColumnUnit of_left = unit_of(header_, samples_[left], left, dimension, options_);
    const ColumnUnit of_right = unit_of(header_, samples_[right], right, dimension, options_);
    if (!of_left.unit || !of_right.unit) return false;
    return are_proportional(samples_[left], of_left.unit->in_base(1) / of_right.unit->in_base(1),
                            samples_[right]);
  }

  void take_by_name(ColumnRole role) {
    std::vector<std::size_t> found = candidates(role);
    if (found.empty()) return;
    const auto is_rival = [&](std::size_t i) {
      return meanings_[i].tier == meanings_[found[0]].tier;
    };
    std::size_t best = found[0];
    for (const std::size_t other : found) {
      if (other == found[0] || !is_rival(other)) continue;
      if (!are_the_same(other, found[0], role)) fail_between(role, found[0], other);
      const auto is_base = [&](std::size_t i) {
        return unit_of(header_, samples_[i], i, dimension_of(role), options_).unit->is_base();
      };
      if (is_base(other) && !is_base(best)) best = other;
    }
    take(role, best);
  }

  [[noreturn]] void fail_between(ColumnRole role, std::size_t left, std::size_t right) const {
    if (raw(left) == raw(right))
      throw FormatError(header_.file, header_.place(header_.line, right),
                        fmt::format("a name that column {} has as well", left + 1),
                        "a name for each column: rename one of them");
    throw FormatError(header_.file, header_.place(header_.line, right),
                      fmt::format("a column that may hold the {} as well as \"{}\" does",
                                  name_of(role), raw(left)),
                      fmt::format("one: --column \"{}={}\" or --column \"{}={}\" says which",
                                  name_of(role), raw(left), name_of(role), raw(right)));
  }

  // The same thing in another unit would tell a model what it is to predict.
  void set_aside_others(ColumnRole role) {
    const auto& taken = choice_.columns[index_of(role)];
    if (taken.size() != 1) return;
    for (const std::size_t other : candidates(role))
      if (are_the_same(other, taken[0], role))
        choice_.ignored[other] = fmt::format("it is \"{}\" once more", raw(taken[0]));
  }

  void take_parts_of_energy() {
    std::vector<std::size_t> totals;
    for (std::size_t i = 0; i < meanings_.size(); ++i) {
      if (!is_free(i) || samples_[i].numbers == 0) continue;
      if (meanings_[i].meaning == ColumnMeaning::energy_part) take(ColumnRole::energy, i);
      if (meanings_[i].meaning == ColumnMeaning::maybe_energy) totals.push_back(i);
    }
    if (!choice_.columns[index_of(ColumnRole::energy)].empty() || totals.empty()) return;
    std::vector<std::string> names;
    for (const std::size_t i : totals) names.push_back(fmt::format("\"{}\"", raw(i)));
    choice_.remarks.push_back(
        fmt::format("no column is taken for the energy: {} may be; --column energy=NAME takes one, "
                    "and more than "
                    "once the sum.",
                    fmt::join(names, ", ")));
  }

  void set_aside_parts_of_energy() {
    if (choice_.columns[index_of(ColumnRole::energy)].empty()) return;
    for (std::size_t i = 0; i < meanings_.size(); ++i)
      if (is_free(i) && (meanings_[i].meaning == ColumnMeaning::energy_part ||
                         meanings_[i].meaning == ColumnMeaning::maybe_energy))
        choice_.ignored[i] = "it is a part of the energy";
  }

  // Power times time is the energy, unless the power is a limit that was set. Roughly: meters are
  // read now and then, and so short runs differ.
  void set_aside_power() {
    const auto& time = choice_.columns[index_of(ColumnRole::time)];
    const auto& energy = choice_.columns[index_of(ColumnRole::energy)];
    if (time.size() != 1 || energy.size() != 1) return;
    const double seconds = choice_.units[index_of(ColumnRole::time)][0].unit->in_base(1);
    const double joules = choice_.units[index_of(ColumnRole::energy)][0].unit->in_base(1);
    for (std::size_t i = 0; i < meanings_.size(); ++i) {
      if (!is_free(i)) continue;
      if (meanings_[i].meaning == ColumnMeaning::derived)
        choice_.ignored[i] = "it follows from time, energy or cores";
      const auto unit = unit_named(header_.names[i].unit);
      if (!unit || unit->dimension != Dimension::power || is_limit(raw(i))) continue;
      if (is_energy_over_time(samples_[time[0]], seconds, samples_[energy[0]], joules, samples_[i],
                              unit->in_base(1)))
        choice_.ignored[i] = "it is the energy over the time";
    }
  }

  static bool is_limit(std::string_view name) {
    return std::ranges::any_of(
        std::array<std::string_view, 3>{"cap", "limit", "budget"}, [&](std::string_view word) {
          return std::search(name.begin(), name.end(), word.begin(), word.end(), equal_letter) !=
                 name.end();
        });
  }

  static bool is_energy_over_time(const ColumnSample& time, double seconds,
                                  const ColumnSample& energy, double joules,
                                  const ColumnSample& power, double watts) {
    std::size_t rows = 0;
    std::size_t near = 0;
    for (std::size_t row = 0; row < time.values.size(); ++row) {
      const double reckoned = power.values[row] * watts * time.values[row] * seconds;
      const double measured = energy.values[row] * joules;
      if (std::isnan(reckoned) || std::isnan(measured)) continue;
      ++rows;
      if (reckoned > measured / 2 && reckoned < 2 * measured) ++near;
    }
    return rows > 0 && 2 * near > rows;
  }

  void take_region() {
    for (const ColumnMeaning meaning : {ColumnMeaning::region, ColumnMeaning::program})
      for (std::size_t i = 0; i < meanings_.size(); ++i) {
        if (meanings_[i].meaning != meaning || !is_free(i)) continue;
        if (!choice_.region || (meanings_[*choice_.region].meaning == meaning &&
                                meanings_[i].tier < meanings_[*choice_.region].tier))
          choice_.region = i;
      }
  }

  const FileHeader& header_;
  const std::vector<ColumnSample>& samples_;
  const MeasurementCsvOptions& options_;
  std::vector<NamedMeaning> meanings_;
  RoleChoice choice_;
};

}  // namespace

bool RoleChoice::is_taken(std::size_t column) const {
  return region == column || std::ranges::any_of(columns, [&](const auto& taken) {
           return std::ranges::find(taken, column) != taken.end();
         });
}

std::size_t named_column(const FileHeader& header, std::string_view name) {
  const auto find_by = [&](auto projection, auto equal) {
    const auto found = std::ranges::find_if(
        header.names, [&](const HeaderName& known) { return equal(known.*projection, name); });
    return static_cast<std::size_t>(found - header.names.begin());
  };
  const auto same = [](std::string_view left, std::string_view right) { return left == right; };
  for (const std::size_t found :
       {find_by(&HeaderName::raw, same), find_by(&HeaderName::name, same),
        find_by(&HeaderName::raw, equal_letters), find_by(&HeaderName::name, equal_letters)})
    if (found < header.names.size()) return found;
  std::vector<std::string> names;
  for (const HeaderName& known : header.names) names.push_back(shortened(known.raw));
  throw UsageError(fmt::format("{} has no column \"{}\": its columns are {}", header.file, name,
                               shortened(fmt::format("{}", fmt::join(names, ", ")), 400)));
}

RoleChoice choose_roles(const FileHeader& header, const std::vector<ColumnSample>& samples,
                        const ToolDump& dump, const MeasurementCsvOptions& options) {
  return Chooser(header, samples, dump, options).choose();
}

}  // namespace huddle
