#include "aggregator/forecast/table/detail/column_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "aggregator/forecast/table/detail/given_values.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::string_view kSameColumns = "the same columns as in the first file";

// Makes the plan of one file.
class Planner {
 public:
  Planner(const CsvHeader& header, const MeasurementCsvOptions& options, const ColumnPlan* like)
      : header_(header), options_(options), like_(like), file_(choose_columns(header, options)) {
    plan_.fields.resize(header.names.size());
    plan_.remarks = header.notes;
    if (like != nullptr) {
      plan_.columns = like->columns;
      found_.resize(like->columns.size());
    }
  }

  ColumnPlan plan() {
    for (const ColumnRole role : kRoles) add_role(role);
    add_region();
    add_variables();
    refuse_same_names();
    if (std::ranges::none_of(plan_.fields, [](const PlannedField& field) {
          return field.use == PlannedField::Use::number;
        }))
      fail("no column of numbers",
           "times, energies, sizes, ...: --separator and --decimal-mark say how the file is "
           "written");
    plan_.given.resize(plan_.columns.size());
    if (const auto lost = std::ranges::find(found_, false); lost != found_.end())
      fail(fmt::format("no column \"{}\"",
                       plan_.columns[static_cast<std::size_t>(lost - found_.begin())].name),
           kSameColumns);
    divide_cpus();
    add_remarks();
    return std::move(plan_);
  }

 private:
  const std::string& raw(std::size_t column) const { return header_.names[column].raw; }
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    throw FormatError(header_.file, fmt::format("line {}", header_.line), found, expected);
  }
  // The number of the table's column.
  std::size_t add_column(MeasuredColumn column) {
    if (like_ == nullptr) {
      plan_.columns.push_back(std::move(column));
      return plan_.columns.size() - 1;
    }
    const auto known = std::ranges::find_if(like_->columns, [&](const MeasuredColumn& wanted) {
      return column.role == wanted.role &&
             (column.role != ColumnRole::variable || column.name == wanted.name);
    });
    if (known == like_->columns.end())
      fail(fmt::format("a column of {}", name_of(column.role)), kSameColumns);
    if (known->unit != column.unit)
      fail(fmt::format("\"{}\" in \"{}\"", column.name, column.unit),
           fmt::format("\"{}\", as in the first file", known->unit));
    const auto number = static_cast<std::size_t>(known - like_->columns.begin());
    found_[number] = true;
    return number;
  }

  std::string joined_name(const std::vector<std::size_t>& columns) const {
    const std::string& first = header_.names[columns[0]].name;
    if (columns.size() == 1) return first;
    return fmt::format("{}{}{}", first, columns.size() == 2 ? " + " : " + ... + ",
                       header_.names[columns.back()].name);
  }

  void add_role(ColumnRole role) {
    const Dimension dimension = dimension_of(role);
    const std::string base(base_unit_of(dimension));
    const std::vector<std::size_t>& columns = file_.of(role);
    if (columns.empty()) {
      if (role == ColumnRole::time || role == ColumnRole::energy) return;
      const auto value = given_value(name_of(role), header_.file, options_);
      if (!value) return;
      const std::size_t number = add_column({role, std::string(name_of(role)), base, {}});
      plan_.given.resize(std::max(plan_.given.size(), number + 1));
      plan_.given[number] = value->number;
      taken_from_.push_back(fmt::format("{} from {}", name_of(role), value->from));
      return;
    }
    const std::string name = header_.own ? std::string(name_of(role)) : joined_name(columns);
    refuse_set(name_of(role), joined_name(columns));
    const std::size_t number =
        add_column({role, name, base, {}, options_.exclusive.contains(name_of(role))});
    for (const std::size_t i : columns)
      plan_.fields[i] = {
          .use = PlannedField::Use::number,
          .column = number,
          .unit = file_.columns[i].unit_as(dimension).value_or(MeasurementUnit{}),
          .column_unit = {dimension, 1, 1},
          .unit_text = dimension == Dimension::none ? std::string() : file_.columns[i].unit,
          .thousand = dimension == Dimension::energy ? 1000.0 : 0.0};
  }

  void add_region() {
    plan_.has_region = file_.region.has_value();
    if (file_.region) {
      refuse_set("region", raw(*file_.region));
      plan_.fields[*file_.region].use = PlannedField::Use::region;
    } else if (const auto value = given_value("region", header_.file, options_)) {
      plan_.has_region = true;
      plan_.given_region = value->text;
      taken_from_.push_back(fmt::format("region from {}", value->from));
    }
    if (like_ != nullptr && like_->has_region != plan_.has_region)
      fail(plan_.has_region ? "a column of regions" : "no column of regions", kSameColumns);
  }

  void refuse_set(std::string_view role, std::string_view column) const {
    if (const auto set = options_.values.find(role); set != options_.values.end())
      fail(fmt::format("a column of the {}, \"{}\"", role, shortened(column)),
           fmt::format("none, as --set {}={} says it for all rows: leave that away, or rename the "
                       "column if it holds something else",
                       role, shortened(set->second)));
  }

  // Slurm counts the CPUs of all tasks.
  void divide_cpus() {
    const std::optional<std::size_t> cpus = file_.tool.cpus_of_all_processes;
    const auto processes =
        std::ranges::find(plan_.columns, ColumnRole::processes, &MeasuredColumn::role);
    if (!cpus || options_.columns.contains("threads") || processes == plan_.columns.end() ||
        file_.of(ColumnRole::threads) != std::vector{*cpus})
      return;
    plan_.processes = static_cast<std::size_t>(processes - plan_.columns.begin());
    plan_.threads = plan_.fields[*cpus].column;
  }

  // Of memory Slurm leaves away 1024s, of all else thousands.
  double thousand_of(std::size_t column) const {
    const std::string letters = letters_of(raw(column));
    for (const std::string_view memory : {"rss", "vmsize", "disk", "mem", "bytes"})
      if (letters.find(memory) != std::string::npos) return 1024;
    return 1000;
  }

  // Empty if it is one.
  std::string why_no_variable(std::size_t i) const {
    const FileColumn& column = file_.columns[i];
    if (!column.why_ignored.empty() || header_.own) return column.why_ignored;
    if (column.numbers == 0 && column.texts > 0) return "it holds text";
    if (column.numbers == 0 && column.durations > 0) return "it holds durations";
    if (column.meaning.meaning == ColumnMeaning::identifier)
      return raw(i).empty() ? "it has no name" : "it numbers rows, runs or places";
    if (column.missing > column.numbers + column.texts) return "most of its values are missing";
    return {};
  }

  bool is_wanted(std::size_t i) {
    if (like_ != nullptr)
      return std::ranges::any_of(like_->columns, [&](const MeasuredColumn& known) {
        return known.role == ColumnRole::variable && known.name == header_.names[i].name;
      });
    if (!options_.variables.empty())
      return std::ranges::any_of(options_.variables, [&](const std::string& name) {
        return named_column(header_, name) == i;
      });
    file_.columns[i].why_ignored = why_no_variable(i);
    return file_.columns[i].why_ignored.empty();
  }

  void add_variables() {
    for (const std::string& name : options_.variables) named_column(header_, name);
    for (std::size_t i = 0; i < file_.columns.size(); ++i) {
      if (file_.is_taken(i)) continue;
      PlannedField& field = plan_.fields[i];
      if (is_wanted(i)) {
        field.use = PlannedField::Use::number;
        field.column =
            add_column({ColumnRole::variable, header_.names[i].name, file_.columns[i].unit, {}});
        field.unit = unit_named(file_.columns[i].unit).value_or(MeasurementUnit{});
        field.column_unit = field.unit;
        field.unit_text = file_.columns[i].unit;
        field.thousand = header_.own || !header_.names[i].unit.empty() ? 0 : thousand_of(i);
      } else if (i < file_.tool.tests.size() && file_.tool.tests[i] != RowTest::none) {
        field.use = PlannedField::Use::test;
        field.test = file_.tool.tests[i];
      }
    }
  }

  // Two columns that differ by their unit only keep it as a part of their names.
  void refuse_same_names() {
    std::map<std::string_view, std::size_t> by_raw;
    std::map<std::string_view, std::size_t> by_name;  // the table's column
    for (std::size_t i = 0; i < plan_.fields.size(); ++i) {
      const PlannedField& field = plan_.fields[i];
      if (field.use == PlannedField::Use::ignore) continue;
      const auto [same, is_new] = by_raw.emplace(raw(i), i);
      if (!is_new) fail_as_same_name(header_, same->second, i);
      if (field.use != PlannedField::Use::number || header_.own) continue;
      const auto [known, is_first] = by_name.emplace(header_.names[i].name, field.column);
      if (!is_first && known->second != field.column && like_ == nullptr &&
          plan_.columns[field.column].role == ColumnRole::variable)
        plan_.columns[field.column].name = raw(i);
    }
  }

  void add_remarks() {
    std::vector<std::string> taken;
    if (file_.region && !header_.own)
      taken.push_back(fmt::format("region from \"{}\"", raw(*file_.region)));
    for (const ColumnRole role : kRoles)
      if (!file_.of(role).empty() && !header_.own)
        taken.push_back(fmt::format("{} from \"{}\"{}", name_of(role), joined_name(file_.of(role)),
                                    role == ColumnRole::threads ? divided_by() : ""));
    taken.insert(taken.end(), taken_from_.begin(), taken_from_.end());
    if (!taken.empty()) plan_.remarks.push_back(fmt::format("Taken: {}.", fmt::join(taken, ", ")));
    if (header_.own) return;
    for (const ColumnRole role : {ColumnRole::time, ColumnRole::energy})
      for (const std::size_t i : file_.of(role))
        if (file_.columns[i].unit.empty() && file_.columns[i].numbers > 0)
          plan_.remarks.push_back(
              fmt::format("\"{0}\" has no unit: taken for {1}; --unit \"{0}=...\" says otherwise.",
                          raw(i), base_unit_of(dimension_of(role))));
    remark_ignored();
    plan_.remarks.insert(plan_.remarks.end(), file_.tool.notes.begin(), file_.tool.notes.end());
  }

  std::string divided_by() {
    if (!plan_.processes) return {};
    const std::vector<std::size_t>& processes = file_.of(ColumnRole::processes);
    return processes.empty() ? " over the processes"
                             : fmt::format(" over \"{}\"", joined_name(processes));
  }

  void remark_ignored() {
    constexpr std::size_t kMost = 12;
    std::vector<std::string> ignored;
    for (std::size_t i = 0; i < file_.columns.size(); ++i)
      if (!file_.columns[i].why_ignored.empty() &&
          plan_.fields[i].use == PlannedField::Use::ignore &&
          !(raw(i).empty() && i + 1 == file_.columns.size()))
        ignored.push_back(
            fmt::format("\"{}\" ({})", shortened(raw(i)), file_.columns[i].why_ignored));
    if (ignored.empty()) return;
    const std::size_t more = ignored.size() > kMost ? ignored.size() - kMost : 0;
    ignored.resize(ignored.size() - more);
    plan_.remarks.push_back(fmt::format("Ignored: {}{}.", fmt::join(ignored, ", "),
                                        more > 0 ? fmt::format(" and {} more columns", more) : ""));
  }

  const CsvHeader& header_;
  const MeasurementCsvOptions& options_;
  const ColumnPlan* like_;
  FileColumns file_;
  std::vector<std::string> taken_from_;  // options, for people
  std::vector<bool> found_;              // by column of the earlier file
  ColumnPlan plan_;
};

}  // namespace

ColumnPlan plan_columns(const CsvHeader& header, const MeasurementCsvOptions& options,
                        const ColumnPlan* like) {
  return Planner(header, options, like).plan();
}

}  // namespace huddle
