#include "aggregator/forecast/table/detail/file_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::array<std::string_view, 6> kOwnNames = {"size",          "processes", "threads",
                                                       "frequency_ghz", "time_s",    "energy_j"};

NamedMeaning own_meaning_of(std::string_view name) {
  if (name == kOwnRegionName) return {ColumnMeaning::region, ColumnRole::variable, 0};
  const auto found = std::ranges::find(kOwnNames, name);
  if (found == kOwnNames.end()) return {};
  return {ColumnMeaning::role, static_cast<ColumnRole>(found - kOwnNames.begin()), 0};
}

// As it stands in the header or without its unit; else in another case.
std::optional<std::size_t> find_column(const CsvHeader& header, std::string_view name) {
  for (const bool exact : {true, false})
    for (const auto part : {&HeaderName::raw, &HeaderName::name})
      for (std::size_t i = 0; i < header.names.size(); ++i) {
        const std::string& known = header.names[i].*part;
        if (exact ? known == name : equal_letters(known, name)) return i;
      }
  return std::nullopt;
}

class Chooser {
 public:
  Chooser(const CsvHeader& header, const MeasurementCsvOptions& options)
      : header_(header), options_(options) {
    found_.columns.resize(header.names.size());
    for (std::size_t i = 0; i < header.names.size(); ++i) {
      FileColumn& column = found_.columns[i];
      const HeaderName& name = header.names[i];
      column.meaning = header.own ? own_meaning_of(name.raw) : meaning_of(name);
      column.unit = name.unit;
      for (const std::vector<std::string>& row : header.first_rows)
        if (i < row.size()) column.look_at(row[i], header.decimal_mark);
    }
  }

  FileColumns choose() {
    if (!header_.own) ask_the_tool();
    take_options();
    for (FileColumn& column : found_.columns)
      if (column.unit.empty() && !header_.own) take_unit_of_cells(column);
    for (const ColumnRole role : kRoles) choose(role);
    set_aside();
    choose_region();
    return std::move(found_);
  }

 private:
  const std::string& raw(std::size_t column) const { return header_.names[column].raw; }

  [[noreturn]] void fail_at(std::size_t column, std::string_view found,
                            std::string_view expected) const {
    throw FormatError(header_.file, header_.place(header_.line, column), found, expected);
  }

  void ask_the_tool() {
    std::vector<std::string> names;
    for (const HeaderName& name : header_.names) names.push_back(name.raw);
    found_.tool = recognise_tool_table(names, header_.first_rows);
    for (const ToolTable::Column& known : found_.tool.columns) {
      FileColumn& column = found_.columns[known.column];
      column.why_ignored = known.why_ignored;
      if (column.unit.empty()) column.unit = known.unit;
      if (const auto role = std::ranges::find(kRoles, known.role, name_of); role != kRoles.end())
        column.meaning = {ColumnMeaning::role, *role, kToolTier};
    }
  }

  void take_options() {
    for (const auto& [name, unit] : options_.units) ask_unit(named_column(header_, name), unit);
    for (const auto& [role, texts] : options_.columns) {
      const auto known = std::ranges::find(kRoles, role, name_of);
      if (known == kRoles.end() && role != "region")
        throw UsageError(
            fmt::format("\"{}\" is not what a column can hold: expected region, size, "
                        "processes, threads, frequency, time or energy",
                        role));
      if (texts.empty() || (role != "energy" && texts.size() > 1))
        throw UsageError(fmt::format("{} columns for {}: expected one", texts.size(), role));
      for (const std::string& text : texts) {
        const std::size_t i = column_with_unit(text);
        if (found_.columns[i].is_asked())
          throw UsageError(fmt::format("the column \"{}\" is named for two things", raw(i)));
        found_.columns[i].why_ignored.clear();
        found_.columns[i].meaning =
            role == "region" ? NamedMeaning{ColumnMeaning::region, ColumnRole::variable, kAskedTier}
                             : NamedMeaning{ColumnMeaning::role, *known, kAskedTier};
      }
    }
  }

  void ask_unit(std::size_t column, const std::string& unit) {
    found_.columns[column].unit = unit;
    found_.columns[column].asked_unit = true;
  }

  // "NAME" or "NAME:UNIT", where a name may hold a colon.
  std::size_t column_with_unit(const std::string& text) {
    if (const auto whole = find_column(header_, text)) return *whole;
    const std::size_t colon = text.rfind(':');
    const auto column =
        colon == std::string::npos ? std::nullopt : find_column(header_, text.substr(0, colon));
    if (!column) return named_column(header_, text);
    ask_unit(*column, text.substr(colon + 1));
    return *column;
  }

  // "2.4G" is a frequency in GHz, "12.5K" a large number.
  static void take_unit_of_cells(FileColumn& column) {
    if (thousands_named(column.suffix) == 0)
      column.unit = column.suffix;
    else if (column.is(ColumnRole::frequency))
      column.unit = column.suffix + "Hz";
  }

  // By their names: "Energy [J]" and "Energy [Wh]".
  bool are_one_in_two_units(std::size_t left, std::size_t right) const {
    return raw(left) != raw(right) &&
           letters_of(header_.names[left].name) == letters_of(header_.names[right].name);
  }

  void choose(ColumnRole role) {
    const Dimension dimension = dimension_of(role);
    std::vector<std::size_t> rivals;
    for (std::size_t i = 0; i < found_.columns.size(); ++i) {
      FileColumn& column = found_.columns[i];
      if (!column.is(role)) continue;
      if (column.is_asked() || (column.may_be_numbers() && fits(i, dimension)))
        rivals.push_back(i);
      else if (column.texts > 0 && column.numbers == 0)
        column.why_ignored = "it holds text";
    }
    if (rivals.empty()) return;
    const auto tier = [&](std::size_t i) { return found_.columns[i].meaning.tier; };
    const std::size_t first = *std::ranges::min_element(rivals, {}, tier);
    std::vector<std::size_t>& taken = found_.taken[static_cast<std::size_t>(role)];
    for (const std::size_t i : rivals) {
      if (tier(i) != tier(first)) continue;
      if (taken.empty() || found_.columns[i].is_asked() || tier(i) == kPartTier)
        taken.push_back(i);
      else if (dimension == Dimension::none || !are_one_in_two_units(i, first))
        fail_between(role, first, i);
      else if (found_.columns[i].unit_as(dimension)->is_base())
        taken = {i};
    }
    for (const std::size_t i : taken) check_unit(role, i);
    // A column with the same values would give away what a model is to predict.
    for (const std::size_t i : rivals)
      if (!found_.is_taken(i) && are_one_in_two_units(i, taken[0]))
        found_.columns[i].why_ignored = fmt::format("it is \"{}\" once more", raw(taken[0]));
  }

  bool fits(std::size_t column, Dimension dimension) {
    if (dimension == Dimension::none || found_.columns[column].asked_unit ||
        found_.columns[column].unit_as(dimension))
      return true;
    const std::string_view role = name_of(found_.columns[column].meaning.role);
    found_.tool.notes.push_back(
        fmt::format("\"{0}\" is not taken for the {1}, since its unit is none of {1}; "
                    "--unit \"{0}=...\" gives one.",
                    raw(column), role));
    return false;
  }

  void check_unit(ColumnRole role, std::size_t i) const {
    const FileColumn& column = found_.columns[i];
    const Dimension dimension = dimension_of(role);
    if (dimension == Dimension::none) return;
    const std::string expected = fmt::format("{}: --column \"{}={}:UNIT\" says which",
                                             units_of(dimension), name_of(role), raw(i));
    if (!column.unit_as(dimension)) {
      if (column.asked_unit)
        throw UsageError(fmt::format("\"{}\" as the unit of \"{}\" in {}: expected {}", column.unit,
                                     raw(i), header_.file, units_of(dimension)));
      fail_at(i, fmt::format("the unit \"{}\"", column.unit), expected);
    }
    // Files have GHz, MHz and kHz alike.
    if (role == ColumnRole::frequency && column.unit.empty() && !header_.own)
      fail_at(i, "a frequency without a unit", expected);
  }

  [[noreturn]] void fail_between(ColumnRole role, std::size_t left, std::size_t right) const {
    if (raw(left) == raw(right)) fail_as_same_name(header_, left, right);
    fail_at(right,
            fmt::format("a column that may hold the {} as well as \"{}\" does", name_of(role),
                        raw(left)),
            fmt::format("one: --column \"{0}={1}\" or --column \"{0}={2}\" says which",
                        name_of(role), raw(left), raw(right)));
  }

  // Other columns that would give away what a model is to predict.
  void set_aside() {
    const bool energy = !found_.of(ColumnRole::energy).empty();
    for (std::size_t i = 0; i < found_.columns.size(); ++i) {
      FileColumn& column = found_.columns[i];
      if (found_.is_taken(i) || !column.why_ignored.empty() || !energy) continue;
      const ColumnMeaning meaning = column.meaning.meaning;
      if (meaning == ColumnMeaning::maybe_energy ||
          (column.is(ColumnRole::energy) && column.meaning.tier == kPartTier))
        column.why_ignored = "it is a part of the energy";
      if (meaning == ColumnMeaning::derived && !found_.of(ColumnRole::time).empty())
        column.why_ignored = "it follows from time, energy or cores";
    }
  }

  void choose_region() {
    std::optional<std::size_t>& region = found_.region;
    for (std::size_t i = 0; i < found_.columns.size(); ++i) {
      const FileColumn& column = found_.columns[i];
      if (column.meaning.meaning == ColumnMeaning::region && column.why_ignored.empty() &&
          (!region || column.meaning.tier < found_.columns[*region].meaning.tier))
        region = i;
    }
  }

  const CsvHeader& header_;
  const MeasurementCsvOptions& options_;
  FileColumns found_;
};

}  // namespace

std::string_view own_name_of(ColumnRole role) {
  return role == ColumnRole::variable ? std::string_view{}
                                      : kOwnNames[static_cast<std::size_t>(role)];
}

bool is_own_name(std::string_view name) {
  return own_meaning_of(name).meaning != ColumnMeaning::variable;
}

void FileColumn::look_at(std::string_view cell, char decimal_mark) {
  const CellNumber number = cell_number(cell, decimal_mark);
  const std::string_view behind = number.suffix;
  if (number.kind == CellKind::missing || number.kind == CellKind::not_finite) {
    ++missing;
  } else if (number.kind == CellKind::number &&
             (behind.empty() || behind == "%" || thousands_named(behind) || unit_named(behind))) {
    ++numbers;
    if (suffix.empty()) suffix = behind;
  } else if (duration_in(cell)) {
    ++durations;
  } else if (texts++ == 0) {
    const std::size_t first = cell.find_first_not_of("+-");
    begins_with_digit = first < cell.size() && cell[first] >= '0' && cell[first] <= '9';
  }
}

bool FileColumn::may_be_numbers() const {
  const bool target = meaning.role == ColumnRole::time || meaning.role == ColumnRole::energy;
  return numbers > 0 || durations > 0 || (texts > 0 && (target || begins_with_digit));
}

std::optional<MeasurementUnit> FileColumn::unit_as(Dimension dimension) const {
  const auto known = unit_named(unit.empty() ? base_unit_of(dimension) : unit);
  return known && known->dimension == dimension ? known : std::nullopt;
}

bool FileColumns::is_taken(std::size_t column) const {
  return region == column || std::ranges::any_of(taken, [&](const auto& of_role) {
           return std::ranges::find(of_role, column) != of_role.end();
         });
}

std::size_t named_column(const CsvHeader& header, std::string_view name) {
  if (const auto found = find_column(header, name)) return *found;
  std::vector<std::string> names;
  for (const HeaderName& known : header.names) names.push_back(shortened(known.raw));
  throw UsageError(fmt::format("{} has no column \"{}\": its columns are {}", header.file, name,
                               shortened(fmt::format("{}", fmt::join(names, ", ")), 400)));
}

void fail_as_same_name(const CsvHeader& header, std::size_t left, std::size_t right) {
  throw FormatError(header.file, header.place(header.line, right),
                    fmt::format("a name that column {} has as well", left + 1),
                    "a name for each column: rename one of them");
}

FileColumns choose_columns(const CsvHeader& header, const MeasurementCsvOptions& options) {
  return Chooser(header, options).choose();
}

}  // namespace huddle
