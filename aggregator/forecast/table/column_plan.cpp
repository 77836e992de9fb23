#include "aggregator/forecast/table/column_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "aggregator/forecast/table/given_values.hpp"
#include "aggregator/forecast/table/own_columns.hpp"
#include "aggregator/forecast/table/role_choice.hpp"
#include "aggregator/forecast/table/tool_dump.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::array kRoles = {ColumnRole::size,      ColumnRole::processes, ColumnRole::threads,
                               ColumnRole::frequency, ColumnRole::time,      ColumnRole::energy};

MeasurementUnit base_unit(Dimension dimension) {
  return {dimension, 1, 1};
}

// Makes the plan of one file.
class Planner {
 public:
  Planner(const FileHeader& header, const MeasurementCsvOptions& options, const ColumnPlan* like)
      : header_(header),
        options_(options),
        like_(like),
        samples_(sample_columns(header)),
        dump_(recognise_dump(header, samples_)) {
    plan_.fields.resize(header.names.size());
  }

  ColumnPlan plan() {
    RoleChoice choice = header_.own && options_.columns.empty()
                            ? own_choice()
                            : choose_roles(header_, samples_, dump_, options_);
    plan_.remarks = header_.notes;
    plan_.remarks.insert(plan_.remarks.end(), choice.remarks.begin(), choice.remarks.end());
    add_roles(choice);
    plan_.has_region = choice.region.has_value();
    if (choice.region) plan_.fields[*choice.region].use = PlannedField::Use::region;
    add_given_region(choice);
    add_filters();
    add_variables(choice);
    refuse_same_names();
    if (std::ranges::none_of(plan_.fields, [](const PlannedField& field) {
          return field.use == PlannedField::Use::number;
        }))
      throw FormatError(header_.file, fmt::format("line {}", header_.line), "no column of numbers",
                        "times, energies, sizes, ...: --separator and --decimal-mark say how the "
                        "file is written");
    plan_.given.resize(plan_.columns.size());
    divide_cpus(choice);
    if (!header_.own) {
      remark_roles(choice);
      remark_ignored(choice);
      plan_.remarks.insert(plan_.remarks.end(), dump_.remarks.begin(), dump_.remarks.end());
    } else if (!given_from_.empty()) {
      plan_.remarks.push_back(fmt::format("Taken: {}.", fmt::join(given_from_, ", ")));
    }
    if (like_ != nullptr) follow(*like_);
    return std::move(plan_);
  }

 private:
  const std::string& raw(std::size_t column) const { return header_.names[column].raw; }

  // What we wrote ourselves means what it says.
  RoleChoice own_choice() const {
    RoleChoice choice;
    choice.ignored.resize(header_.names.size());
    for (std::size_t i = 0; i < header_.names.size(); ++i) {
      const ColumnRole role = own_role_of(raw(i));
      if (raw(i) == kOwnRegionName) choice.region = i;
      if (role == ColumnRole::variable) continue;
      auto& columns = choice.columns[static_cast<std::size_t>(role)];
      if (!columns.empty())
        throw FormatError(header_.file, header_.place(header_.line, i),
                          "a name that another column has", "different names");
      columns.push_back(i);
      choice.units[static_cast<std::size_t>(role)].push_back(
          {base_unit(dimension_of(role)), std::string(base_unit_of(dimension_of(role))), false});
    }
    return choice;
  }

  std::string joined_name(const std::vector<std::size_t>& columns) const {
    const std::string& first = header_.names[columns[0]].name;
    if (columns.size() == 1) return first;
    const std::string& last = header_.names[columns.back()].name;
    return fmt::format("{}{}{}", first, columns.size() == 2 ? " + " : " + ... + ", last);
  }

  void add_roles(const RoleChoice& choice) {
    for (const ColumnRole role : kRoles) {
      const auto& columns = choice.columns[static_cast<std::size_t>(role)];
      if (columns.empty()) {
        add_given(role);
        continue;
      }
      refuse_set(name_of(role), joined_name(columns));
      const Dimension dimension = dimension_of(role);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const ColumnUnit& unit = choice.units[static_cast<std::size_t>(role)][i];
        const bool counts = dimension == Dimension::none;
        plan_.fields[columns[i]] = {.use = PlannedField::Use::number,
                                    .column = plan_.columns.size(),
                                    .unit = counts ? MeasurementUnit{} : *unit.unit,
                                    .column_unit = base_unit(dimension),
                                    .unit_text = unit.text,
                                    .thousand = dimension == Dimension::energy ? 1000.0 : 0.0};
      }
      plan_.columns.push_back({role,
                               header_.own ? std::string(name_of(role)) : joined_name(columns),
                               std::string(base_unit_of(dimension)),
                               {}});
    }
  }

  // What options say of a role that no column has.
  void add_given(ColumnRole role) {
    const std::string_view name = name_of(role);
    if (role == ColumnRole::time || role == ColumnRole::energy) return;
    const std::optional<GivenValue> value = given_value(name, header_.file, options_);
    if (!value) return;
    plan_.given.resize(plan_.columns.size() + 1);
    plan_.given.back() = value->number;
    plan_.columns.push_back(
        {role, std::string(name), std::string(base_unit_of(dimension_of(role))), {}});
    remark_given(name, *value);
  }

  void add_given_region(const RoleChoice& choice) {
    if (choice.region) return refuse_set("region", raw(*choice.region));
    const std::optional<GivenValue> value = given_value("region", header_.file, options_);
    if (!value) return;
    plan_.has_region = true;
    plan_.given_region = value->text;
    remark_given("region", *value);
  }

  void refuse_set(std::string_view role, std::string_view column) const {
    const auto set = options_.values.find(role);
    if (set == options_.values.end()) return;
    throw FormatError(
        header_.file, fmt::format("line {}", header_.line),
        fmt::format("a column of the {}, \"{}\"", role, shortened(column)),
        fmt::format("none, as --set {}={} says it for all rows: leave that away, or rename the "
                    "column if it holds something else",
                    role, shortened(set->second)));
  }

  void remark_given(std::string_view role, const GivenValue& value) {
    given_from_.push_back(fmt::format("{} from {}", role, value.from));
    if (!value.granted_unit.empty())
      plan_.remarks.push_back(fmt::format("\"{}\" as the {} has no unit: taken for {}.", value.text,
                                          role, value.granted_unit));
  }

  // Slurm counts the CPUs of all tasks.
  void divide_cpus(const RoleChoice& choice) {
    const auto& cpus = choice.columns[static_cast<std::size_t>(ColumnRole::threads)];
    if (!dump_.cpus_of_all_processes || cpus.size() != 1 || options_.columns.contains("threads"))
      return;
    const std::string letters = letters_of(raw(cpus[0]));
    const auto processes =
        std::ranges::find(plan_.columns, ColumnRole::processes, &MeasuredColumn::role);
    if (processes == plan_.columns.end() || (letters != "ncpus" && letters != "alloccpus")) return;
    plan_.processes = static_cast<std::size_t>(processes - plan_.columns.begin());
    plan_.threads = plan_.fields[cpus[0]].column;
  }

  std::string divided_by(ColumnRole role, const RoleChoice& choice) const {
    if (role != ColumnRole::threads || !plan_.processes) return {};
    const auto& columns = choice.columns[static_cast<std::size_t>(ColumnRole::processes)];
    return columns.empty() ? " over the processes"
                           : fmt::format(" over \"{}\"", joined_name(columns));
  }

  void add_filters() {
    for (std::size_t i = 0; i < plan_.fields.size(); ++i) {
      if (dump_.filters[i] == RowFilter::none || plan_.fields[i].use != PlannedField::Use::ignore)
        continue;
      plan_.fields[i].use = PlannedField::Use::filter;
      plan_.fields[i].filter = dump_.filters[i];
    }
  }

  // Of memory Slurm leaves away 1024s, of all else thousands.
  double thousand_of(std::size_t column) const {
    if (!header_.names[column].unit.empty() || header_.own) return 0;
    const std::string letters = letters_of(raw(column));
    const auto has = [&](std::string_view word) { return letters.find(word) != std::string::npos; };
    return has("rss") || has("vmsize") || has("disk") || has("mem") || has("bytes") ? 1024 : 1000;
  }

  // Why a column of numbers is no variable; empty if it is one.
  std::string why_no_variable(std::size_t column, const RoleChoice& choice) const {
    const ColumnSample& sample = samples_[column];
    if (!choice.ignored[column].empty()) return choice.ignored[column];
    if (header_.own) return {};
    if (sample.is_text())
      return sample.different_texts > 1
                 ? fmt::format("it holds text, {} different ones in the first rows",
                               sample.different_texts)
                 : "it holds text";
    if (sample.durations > 0 && sample.numbers == 0) return "it holds durations";
    if (sample.odd_suffixes) return "its numbers have different things behind them";
    if (meaning_of(header_.names[column]).meaning == ColumnMeaning::identifier)
      return raw(column).empty() ? "it has no name" : "it numbers rows, runs or places";
    if (sample.is_mostly_missing()) return "most of its values are missing";
    return {};
  }

  bool is_wanted(std::size_t column) const {
    if (like_ != nullptr)
      return std::ranges::any_of(like_->columns, [&](const MeasuredColumn& known) {
        return known.role == ColumnRole::variable && known.name == header_.names[column].name;
      });
    return std::ranges::any_of(options_.variables, [&](const std::string& name) {
      return named_column(header_, name) == column;
    });
  }

  void add_variables(RoleChoice& choice) {
    for (const std::string& name : options_.variables) named_column(header_, name);
    for (std::size_t i = 0; i < header_.names.size(); ++i) {
      if (choice.is_taken(i)) continue;
      const bool chosen = like_ != nullptr || !options_.variables.empty();
      if (chosen ? !is_wanted(i) : !(choice.ignored[i] = why_no_variable(i, choice)).empty())
        continue;
      const ColumnUnit unit = unit_of(header_, samples_[i], i, Dimension::none, options_);
      const MeasurementUnit known = unit.unit.value_or(MeasurementUnit{});
      plan_.fields[i] = {.use = PlannedField::Use::number,
                         .column = plan_.columns.size(),
                         .unit = known,
                         .column_unit = known,
                         .unit_text = unit.text,
                         .thousand = thousand_of(i)};
      plan_.columns.push_back({ColumnRole::variable, header_.names[i].name, unit.text, {}});
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
      if (!is_new)
        throw FormatError(header_.file, header_.place(header_.line, i),
                          fmt::format("a name that column {} has as well", same->second + 1),
                          "a name for each column: rename one of them");
      if (field.use != PlannedField::Use::number || header_.own) continue;
      const auto [known, is_first] = by_name.emplace(header_.names[i].name, field.column);
      if (!is_first && known->second != field.column &&
          plan_.columns[field.column].role == ColumnRole::variable)
        plan_.columns[field.column].name = raw(i);
    }
  }

  void remark_roles(const RoleChoice& choice) {
    std::vector<std::string> taken;
    if (choice.region) taken.push_back(fmt::format("region from \"{}\"", raw(*choice.region)));
    for (const ColumnRole role : kRoles)
      if (const auto& columns = choice.columns[static_cast<std::size_t>(role)]; !columns.empty())
        taken.push_back(fmt::format("{} from \"{}\"{}", name_of(role), joined_name(columns),
                                    divided_by(role, choice)));
    taken.insert(taken.end(), given_from_.begin(), given_from_.end());
    if (!taken.empty()) plan_.remarks.push_back(fmt::format("Taken: {}.", fmt::join(taken, ", ")));
    for (const ColumnRole role : kRoles) remark_granted_units(choice, role);
  }

  // A unit is said for each column by itself.
  void remark_granted_units(const RoleChoice& choice, ColumnRole role) {
    const auto& units = choice.units[static_cast<std::size_t>(role)];
    std::vector<std::size_t> granted;
    for (std::size_t i = 0; i < units.size(); ++i)
      if (units[i].granted) granted.push_back(i);
    if (granted.empty()) return;
    const std::string& first = raw(choice.columns[static_cast<std::size_t>(role)][granted[0]]);
    const std::string more = granted.size() == 1
                                 ? "has no unit"
                                 : fmt::format("and {} more column{} have no unit",
                                               granted.size() - 1, granted.size() == 2 ? "" : "s");
    plan_.remarks.push_back(
        fmt::format("\"{0}\" {1}: taken for {2}; --unit \"{0}=...\" says otherwise{3}.", first,
                    more, units[granted[0]].text, granted.size() == 1 ? "" : ", for each of them"));
  }

  void remark_ignored(const RoleChoice& choice) {
    constexpr std::size_t kMost = 12;
    std::vector<std::string> ignored;
    for (std::size_t i = 0; i < choice.ignored.size(); ++i)
      if (!choice.ignored[i].empty() && plan_.fields[i].use == PlannedField::Use::ignore &&
          !(raw(i).empty() && i + 1 == choice.ignored.size()))
        ignored.push_back(fmt::format("\"{}\" ({})", shortened(raw(i)), choice.ignored[i]));
    if (ignored.empty()) return;
    const std::size_t more = ignored.size() > kMost ? ignored.size() - kMost : 0;
    ignored.resize(ignored.size() - more);
    plan_.remarks.push_back(fmt::format("Ignored: {}{}.", fmt::join(ignored, ", "),
                                        more > 0 ? fmt::format(" and {} more columns", more) : ""));
  }

  // Puts the columns in the order of the earlier file.
  void follow(const ColumnPlan& like) {
    if (like.has_region != plan_.has_region)
      throw FormatError(header_.file, fmt::format("line {}", header_.line),
                        plan_.has_region ? "a column of regions" : "no column of regions",
                        "the same columns as in the first file");
    std::vector<std::optional<std::size_t>> place(plan_.columns.size());
    for (std::size_t i = 0; i < like.columns.size(); ++i) {
      const MeasuredColumn& wanted = like.columns[i];
      const auto found = std::ranges::find_if(plan_.columns, [&](const MeasuredColumn& column) {
        return column.role == wanted.role &&
               (wanted.role != ColumnRole::variable || column.name == wanted.name);
      });
      if (found == plan_.columns.end() || found->unit != wanted.unit)
        throw FormatError(header_.file, fmt::format("line {}", header_.line),
                          found == plan_.columns.end()
                              ? fmt::format("no column \"{}\"", wanted.name)
                              : fmt::format("\"{}\" in \"{}\"", found->name, found->unit),
                          found == plan_.columns.end()
                              ? std::string("the same columns as in the first file")
                              : fmt::format("\"{}\", as in the first file", wanted.unit));
      place[static_cast<std::size_t>(found - plan_.columns.begin())] = i;
    }
    std::vector<double> given(like.columns.size());
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (!place[i])
        throw FormatError(header_.file, fmt::format("line {}", header_.line),
                          fmt::format("a column of {}", name_of(plan_.columns[i].role)),
                          "the same columns as in the first file");
      given[*place[i]] = plan_.given[i];
    }
    plan_.given = std::move(given);
    for (PlannedField& field : plan_.fields)
      if (field.use == PlannedField::Use::number) field.column = *place[field.column];
    if (plan_.processes) {
      plan_.processes = *place[*plan_.processes];
      plan_.threads = *place[plan_.threads];
    }
    plan_.columns = like.columns;
  }

  const FileHeader& header_;
  const MeasurementCsvOptions& options_;
  const ColumnPlan* like_;
  std::vector<ColumnSample> samples_;
  ToolDump dump_;
  ColumnPlan plan_;
  std::vector<std::string> given_from_;
};

}  // namespace

ColumnPlan plan_columns(const FileHeader& header, const MeasurementCsvOptions& options,
                        const ColumnPlan* like) {
  return Planner(header, options, like).plan();
}

}  // namespace huddle
