#include "aggregator/forecast/table/detail/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "aggregator/forecast/table/detail/given_values.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::string_view kSameColumns = "the same columns as in the first file";

using Indices = std::vector<std::size_t>;

// Of memory Slurm leaves away 1024s, of all else thousands.
double thousand_of(std::string_view name) {
  const std::string letters = letters_of(name);
  for (const std::string_view memory : {"rss", "vmsize", "disk", "mem", "bytes"})
    if (letters.find(memory) != std::string::npos) return 1024;
  return 1000;
}

// Makes the plan of one file.
class Planner {
 public:
  Planner(const CsvHeader& header, const MeasurementCsvOptions& options)
      : header_(header), options_(options), columns_(read_columns(header, options, tool_)) {
    plan_.remarks = header.notes;
  }

  ColumnPlan plan(const ColumnPlan* like) {
    for (const ColumnRole role : kRoles) add_role(role);
    add_region();
    for (std::size_t i = 0; i < columns_.size(); ++i) add_variable(i, like);
    refuse_same_names();
    if (std::ranges::find(columns_, FileColumn::Use::number, &FileColumn::use) == columns_.end())
      fail("no column of numbers",
           "times, energies, sizes, ...: --separator and --decimal-mark say how the file is "
           "written");
    divide_cpus();
    add_remarks();
    plan_.file = std::move(columns_);
    if (like != nullptr) arrange_like(*like);
    return std::move(plan_);
  }

 private:
  const std::string& raw(std::size_t column) const { return header_.names[column].raw; }
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    throw FormatError(header_.file, fmt::format("line {}", header_.line), found, expected);
  }
  [[noreturn]] void fail_at(std::size_t column, std::string_view found,
                            std::string_view expected) const {
    throw FormatError(header_.file, header_.place(header_.line, column), found, expected);
  }
  [[noreturn]] void fail_as_same_name(std::size_t left, std::size_t right) const {
    fail_at(right, fmt::format("a name that column {} has as well", left + 1),
            "a name for each column: rename one of them");
  }

  // Columns that may have the role, the best ones first. What is meant as a number counts as one,
  // so that reading says what is wrong with it.
  Indices rivals_for(ColumnRole role) {
    const bool measured = role == ColumnRole::time || role == ColumnRole::energy;
    Indices rivals;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      FileColumn& column = columns_[i];
      const NamedMeaning& meaning = column.meaning;
      if (meaning.meaning != ColumnMeaning::role || meaning.role != role ||
          !column.why_ignored.empty())
        continue;
      const std::size_t understood = column.numbers + column.durations;
      if (meaning.tier == kAskedTier || understood > 0 ||
          (column.texts > 0 && (measured || column.begins_with_digit)))
        rivals.push_back(i);
      else if (column.texts > 0)
        column.why_ignored = "it holds text";
    }
    std::ranges::stable_sort(rivals, {}, [&](std::size_t i) { return columns_[i].meaning.tier; });
    return rivals;
  }

  // Columns that are added up for the role, mostly one.
  Indices columns_for(ColumnRole role) {
    const Dimension dimension = dimension_of(role);
    const Indices rivals = rivals_for(role);
    Indices taken;
    // By their names: "Energy [J]" and "Energy [Wh]".
    const auto is_first_again = [&](std::size_t i) {
      return raw(i) != raw(taken[0]) &&
             letters_of(header_.names[i].name) == letters_of(header_.names[taken[0]].name);
    };
    for (const std::size_t i : rivals) {
      const std::int8_t tier = columns_[i].meaning.tier;
      if (tier != columns_[rivals[0]].meaning.tier) continue;
      if (taken.empty() || tier == kAskedTier || tier == kPartTier)
        taken.push_back(i);
      else if (dimension == Dimension::none || !is_first_again(i))
        fail_between(role, taken[0], i);
      else if (columns_[i].unit_as(dimension)->is_base())
        taken = {i};
    }
    for (const std::size_t i : taken) check_unit(role, i);
    // What is the same would tell a model what it is to predict.
    for (const std::size_t i : rivals)
      if (std::ranges::find(taken, i) == taken.end() && is_first_again(i))
        columns_[i].why_ignored = fmt::format("it is \"{}\" once more", raw(taken[0]));
    return taken;
  }

  void check_unit(ColumnRole role, std::size_t i) const {
    const FileColumn& column = columns_[i];
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
    if (raw(left) == raw(right)) fail_as_same_name(left, right);
    fail_at(right,
            fmt::format("a column that may hold the {} as well as \"{}\" does", name_of(role),
                        raw(left)),
            fmt::format("one: --column \"{0}={1}\" or --column \"{0}={2}\" says which",
                        name_of(role), raw(left), raw(right)));
  }

  void add_role(ColumnRole role) {
    const std::string_view role_name = name_of(role);
    const Dimension dimension = dimension_of(role);
    MeasuredColumn column{role, std::string(role_name), std::string(base_unit_of(dimension)), {}};
    const Indices taken = columns_for(role);
    const std::size_t number = plan_.columns.size();
    if (taken.empty()) {
      const bool measured = role == ColumnRole::time || role == ColumnRole::energy;
      const auto value = measured ? std::nullopt : given_value(role_name, header_.file, options_);
      if (!value) return;
      plan_.given.resize(number + 1);
      plan_.given[number] = value->number;
      given_from_.push_back(fmt::format("{} from {}", role_name, value->from));
    } else {
      std::string name = header_.names[taken[0]].name;
      if (taken.size() > 1)
        name += fmt::format("{}{}", taken.size() == 2 ? " + " : " + ... + ",
                            header_.names[taken.back()].name);
      refuse_set(role_name, name);
      taken_from_.push_back(fmt::format("{} from \"{}\"", role_name, name));
      if (!header_.own) column.name = name;
      column.exclusive = options_.exclusive.contains(role_name);
    }
    for (const std::size_t i : taken) {
      columns_[i].use = FileColumn::Use::number;
      columns_[i].target = number;
      columns_[i].from = columns_[i].unit_as(dimension).value_or(MeasurementUnit{});
      columns_[i].to = {dimension, 1, 1};
      if (dimension == Dimension::none) columns_[i].unit.clear();
      columns_[i].thousand = dimension == Dimension::energy ? 1000 : 0;
    }
    plan_.columns.push_back(std::move(column));
  }

  void add_region() {
    std::size_t region = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].meaning.meaning == ColumnMeaning::region && columns_[i].why_ignored.empty() &&
          (region == columns_.size() || columns_[i].meaning.tier < columns_[region].meaning.tier))
        region = i;
    plan_.has_region = true;
    if (region < columns_.size()) {
      refuse_set("region", raw(region));
      columns_[region].use = FileColumn::Use::region;
      taken_from_.insert(taken_from_.begin(), fmt::format("region from \"{}\"", raw(region)));
    } else if (const auto value = given_value("region", header_.file, options_)) {
      plan_.given_region = value->text;
      given_from_.push_back(fmt::format("region from {}", value->from));
    } else {
      plan_.has_region = false;
    }
  }

  void refuse_set(std::string_view role, std::string_view column) const {
    if (const auto set = options_.values.find(role); set != options_.values.end())
      fail(fmt::format("a column of the {}, \"{}\"", role, shortened(column)),
           fmt::format("none, as --set {}={} says it for all rows: leave that away, or rename the "
                       "column if it holds something else",
                       role, shortened(set->second)));
  }

  bool has(ColumnRole role) const {
    return std::ranges::any_of(columns_, [&](const FileColumn& column) {
      return column.use == FileColumn::Use::number && plan_.columns[column.target].role == role;
    });
  }

  // Empty if it is one. What follows from time and energy would tell a model what it is to predict.
  std::string why_no_variable(std::size_t i) const {
    const FileColumn& column = columns_[i];
    if (!column.why_ignored.empty() || header_.own) return column.why_ignored;
    const ColumnMeaning meaning = column.meaning.meaning;
    const bool part = meaning == ColumnMeaning::maybe_energy || column.meaning.tier == kPartTier;
    if (part && has(ColumnRole::energy)) return "it is a part of the energy";
    if (meaning == ColumnMeaning::derived && has(ColumnRole::time) && has(ColumnRole::energy))
      return "it follows from time, energy or cores";
    if (column.numbers == 0 && column.texts > 0) return "it holds text";
    if (column.numbers == 0 && column.durations > 0) return "it holds durations";
    if (meaning == ColumnMeaning::identifier)
      return raw(i).empty() ? "it has no name" : "it numbers rows, runs or places";
    if (column.missing > column.numbers + column.texts) return "most of its values are missing";
    return {};
  }

  bool is_wanted(std::size_t i, const ColumnPlan* like) {
    if (like != nullptr)
      return std::ranges::any_of(like->columns, [&](const MeasuredColumn& known) {
        return known.role == ColumnRole::variable &&
               (known.name == header_.names[i].name || known.name == raw(i));
      });
    if (!options_.variables.empty()) return columns_[i].wanted;
    columns_[i].why_ignored = why_no_variable(i);
    return columns_[i].why_ignored.empty();
  }

  void add_variable(std::size_t i, const ColumnPlan* like) {
    FileColumn& column = columns_[i];
    if (column.use != FileColumn::Use::ignore) return;
    if (is_wanted(i, like)) {
      column.use = FileColumn::Use::number;
      column.target = plan_.columns.size();
      plan_.columns.push_back({ColumnRole::variable, header_.names[i].name, column.unit, {}});
      column.from = unit_named(column.unit).value_or(MeasurementUnit{});
      column.to = column.from;
      column.thousand = header_.own || !header_.names[i].unit.empty() ? 0 : thousand_of(raw(i));
    } else if (i < tool_.tests.size() && tool_.tests[i] != RowTest::none) {
      column.use = FileColumn::Use::test;
      column.test = tool_.tests[i];
    }
  }

  // Two columns that differ by their unit only keep it as a part of their names.
  void refuse_same_names() {
    std::map<std::string_view, std::size_t> by_raw;
    std::map<std::string_view, std::size_t> by_name;  // the table's column
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const FileColumn& column = columns_[i];
      if (column.use == FileColumn::Use::ignore) continue;
      const auto [same, is_new] = by_raw.emplace(raw(i), i);
      if (!is_new) fail_as_same_name(same->second, i);
      if (column.use != FileColumn::Use::number || header_.own) continue;
      const auto [known, is_first] = by_name.emplace(header_.names[i].name, column.target);
      MeasuredColumn& measured = plan_.columns[column.target];
      if (!is_first && known->second != column.target && measured.role == ColumnRole::variable)
        measured.name = raw(i);
    }
  }

  // Slurm counts the CPUs of all tasks.
  void divide_cpus() {
    plan_.given.resize(plan_.columns.size());
    const auto processes =
        std::ranges::find(plan_.columns, ColumnRole::processes, &MeasuredColumn::role);
    if (!tool_.cpus_of_all_processes || processes == plan_.columns.end()) return;
    const FileColumn& cpus = columns_[*tool_.cpus_of_all_processes];
    if (cpus.use != FileColumn::Use::number || cpus.meaning.tier == kAskedTier ||
        plan_.columns[cpus.target].role != ColumnRole::threads)
      return;
    plan_.processes = static_cast<std::size_t>(processes - plan_.columns.begin());
    plan_.threads = cpus.target;
    const auto taken = std::ranges::find_if(
        taken_from_, [](const std::string& text) { return text.starts_with("threads "); });
    *taken += has(ColumnRole::processes) ? fmt::format(" over \"{}\"", processes->name)
                                         : " over the processes";
  }

  void add_remarks() {
    std::vector<std::string> taken = header_.own ? std::vector<std::string>{} : taken_from_;
    taken.insert(taken.end(), given_from_.begin(), given_from_.end());
    if (!taken.empty()) plan_.remarks.push_back(fmt::format("Taken: {}.", fmt::join(taken, ", ")));
    if (header_.own) return;
    for (const ColumnRole role : {ColumnRole::time, ColumnRole::energy})
      for (std::size_t i = 0; i < columns_.size(); ++i)
        if (columns_[i].use == FileColumn::Use::number && columns_[i].unit.empty() &&
            columns_[i].numbers > 0 && plan_.columns[columns_[i].target].role == role)
          plan_.remarks.push_back(
              fmt::format("\"{0}\" has no unit: taken for {1}; --unit \"{0}=...\" says otherwise.",
                          raw(i), base_unit_of(dimension_of(role))));
    remark_ignored();
    plan_.remarks.insert(plan_.remarks.end(), tool_.notes.begin(), tool_.notes.end());
  }

  void remark_ignored() {
    constexpr std::size_t kMost = 12;
    std::vector<std::string> ignored;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (!columns_[i].why_ignored.empty() && columns_[i].use == FileColumn::Use::ignore &&
          !(raw(i).empty() && i + 1 == columns_.size()))
        ignored.push_back(fmt::format("\"{}\" ({})", shortened(raw(i)), columns_[i].why_ignored));
    if (ignored.empty()) return;
    const std::size_t more = ignored.size() > kMost ? ignored.size() - kMost : 0;
    ignored.resize(ignored.size() - more);
    plan_.remarks.push_back(fmt::format("Ignored: {}{}.", fmt::join(ignored, ", "),
                                        more > 0 ? fmt::format(" and {} more columns", more) : ""));
  }

  // The same columns as of the first file, in its order.
  void arrange_like(const ColumnPlan& like) {
    if (like.has_region != plan_.has_region)
      fail(plan_.has_region ? "a column of regions" : "no column of regions", kSameColumns);
    Indices places;  // by column of this file's plan
    std::vector<double> given(like.columns.size());
    for (const MeasuredColumn& column : plan_.columns) {
      const auto known = std::ranges::find_if(like.columns, [&](const MeasuredColumn& wanted) {
        return column.role == wanted.role &&
               (column.role != ColumnRole::variable || column.name == wanted.name);
      });
      if (known == like.columns.end())
        fail(fmt::format("a column of {}", name_of(column.role)), kSameColumns);
      if (known->unit != column.unit)
        fail(fmt::format("\"{}\" in \"{}\"", column.name, column.unit),
             fmt::format("\"{}\", as in the first file", known->unit));
      given[static_cast<std::size_t>(known - like.columns.begin())] = plan_.given[places.size()];
      places.push_back(static_cast<std::size_t>(known - like.columns.begin()));
    }
    for (std::size_t i = 0; i < like.columns.size(); ++i)
      if (std::ranges::find(places, i) == places.end())
        fail(fmt::format("no column \"{}\"", like.columns[i].name), kSameColumns);
    for (FileColumn& column : plan_.file)
      if (column.use == FileColumn::Use::number) column.target = places[column.target];
    if (plan_.processes) {
      plan_.processes = places[*plan_.processes];
      plan_.threads = places[plan_.threads];
    }
    plan_.given = std::move(given);
    plan_.columns = like.columns;
  }

  const CsvHeader& header_;
  const MeasurementCsvOptions& options_;
  ToolTable tool_;
  std::vector<FileColumn> columns_;
  std::vector<std::string> taken_from_;  // what columns and options give, for people
  std::vector<std::string> given_from_;
  ColumnPlan plan_;
};

}  // namespace

ColumnPlan plan_columns(const CsvHeader& header, const MeasurementCsvOptions& options,
                        const ColumnPlan* like) {
  return Planner(header, options).plan(like);
}

}  // namespace huddle
