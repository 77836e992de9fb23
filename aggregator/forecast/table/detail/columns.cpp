#include "aggregator/forecast/table/detail/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::forecast {
namespace {

constexpr std::string_view kRoleWords =
    "region, size, processes, threads, frequency, nodes, ranks_per_node, packages, time or energy";

// The number in the table's unit; nothing if the text is no value of the role.
std::optional<double> value_from(std::string_view role, std::string_view text) {
  if (role == "region") return text.empty() ? std::nullopt : std::optional<double>(0);
  if (role == "size") return parse_problem_size(text);
  const CellNumber number = cell_number(text);
  if (number.kind != CellKind::number || !(number.value > 0)) return std::nullopt;
  if (role == "frequency") {
    const auto unit = unit_named(number.suffix);
    if (!unit || unit->dimension != Dimension::frequency) return std::nullopt;
    return unit->in_base(number.value);
  }
  if (!number.suffix.empty() || number.value != std::floor(number.value)) return std::nullopt;
  return number.value;
}

std::string_view values_of(std::string_view role) {
  if (role == "size") return kProblemSizes;
  if (role == "frequency") return "a frequency with its unit, such as 2.4GHz";
  return role == "region" ? "a name" : "a whole number of at least 1";
}

// A column of the file, and the unit that an option or the header gives.
struct Named {
  std::size_t column = 0;
  std::string unit;
  bool asked = false;
};

// Makes the plan of one file.
class Planner {
 public:
  Planner(const CsvHeader& header, const MeasurementCsvOptions& options)
      : header_(header), options_(options), taken_(header.names.size()) {
    plan_.file.resize(header.names.size());
    plan_.remarks = header.notes;
  }

  ColumnPlan plan(const ColumnPlan* like) {
    for (const auto& [role, names] : options_.columns) ask(role, names);
    for (const ColumnRole role : kRoles) add_role(role);
    add_region();
    add_variables(like);
    refuse_same_names();
    if (std::ranges::find(plan_.file, FileColumn::Use::number, &FileColumn::use) ==
        plan_.file.end())
      fail("no column of numbers", "times, energies, sizes, ... in columns that are named above");
    plan_.given.resize(plan_.columns.size());
    remark();
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

  std::optional<std::size_t> find(std::string_view name) const {
    for (const auto part : {&HeaderName::raw, &HeaderName::name})
      for (std::size_t i = 0; i < header_.names.size(); ++i)
        if (in_lower_case(header_.names[i].*part) == in_lower_case(name)) return i;
    return std::nullopt;
  }

  std::size_t named(std::string_view name) const {
    if (const auto found = find(name)) return *found;
    std::string all;
    for (const HeaderName& known : header_.names)
      all += fmt::format("{}{}", all.empty() ? "" : ", ", shortened(known.raw));
    throw UsageError(fmt::format("{} has no column \"{}\": its columns are {}", header_.file, name,
                                 shortened(all, 400)));
  }

  // An option's "NAME" or "NAME:UNIT", where a name may hold a colon.
  void ask(const std::string& role, const std::vector<std::string>& names) {
    const bool known = role == "region" || std::ranges::find(kRoles, role, name_of) != kRoles.end();
    if (!known || names.empty() || (role != "energy" && names.size() > 1))
      throw UsageError(
          fmt::format("{} columns for \"{}\": expected one, or several of energy, for {}",
                      names.size(), role, kRoleWords));
    for (const std::string& text : names) {
      const std::size_t colon = text.rfind(':');
      Named asked{0, {}, true};
      if (const auto whole = find(text); whole || colon == std::string::npos) {
        asked.column = whole ? *whole : named(text);
        asked.unit = header_.names[asked.column].unit;
      } else {
        asked.column = named(text.substr(0, colon));
        asked.unit = text.substr(colon + 1);
      }
      if (taken_[asked.column])
        throw UsageError(
            fmt::format("the column \"{}\" is named for two things", raw(asked.column)));
      taken_[asked.column] = true;
      asked_[role].push_back(std::move(asked));
    }
  }

  bool holds_text(std::size_t column) const {
    return cell_number(header_.first_row[column]).kind == CellKind::text;
  }

  // The unit for a role; none if what is named is not of its dimension.
  static std::optional<MeasurementUnit> unit_for(ColumnRole role, const std::string& unit) {
    const Dimension dimension = dimension_of(role);
    if (dimension == Dimension::none) return MeasurementUnit{};
    const auto known = unit_named(unit.empty() ? base_unit_of(dimension) : unit);
    return known && known->dimension == dimension ? known : std::nullopt;
  }

  // The column with the best name for a role; of equally good ones that of the base unit.
  std::vector<Named> best_for(ColumnRole role) const {
    std::optional<std::size_t> least;
    std::vector<Named> best;
    for (std::size_t i = 0; i < header_.names.size(); ++i) {
      const HeaderName& name = header_.names[i];
      const auto rank = header_.own ? (name.raw == own_name_of(role) ? std::optional<std::size_t>(0)
                                                                     : std::nullopt)
                                    : rank_for(role, name.name);
      // "time [cycles]" is no time.
      if (!rank || taken_[i] || holds_text(i) || !unit_for(role, name.unit) ||
          (least && *rank > *least))
        continue;
      const Named found{i, name.unit, false};
      if (!least || *rank < *least)
        best = {found};
      else if (unit_for(role, name.unit)->is_base() && !unit_for(role, best[0].unit)->is_base())
        best = {found};
      else if (!unit_for(role, best[0].unit)->is_base() || unit_for(role, name.unit)->is_base())
        fail_between(role, best[0].column, i);
      least = *rank;
    }
    return best;
  }

  [[noreturn]] void fail_between(ColumnRole role, std::size_t left, std::size_t right) const {
    fail_at(right,
            fmt::format("a column that may hold the {} as well as \"{}\" does", name_of(role),
                        raw(left)),
            fmt::format("one: --column \"{0}={1}\" or --column \"{0}={2}\" says which",
                        name_of(role), raw(left), raw(right)));
  }

  MeasurementUnit checked_unit(ColumnRole role, const Named& named) const {
    const Dimension dimension = dimension_of(role);
    const auto unit = unit_for(role, named.unit);
    if (!unit)
      throw UsageError(fmt::format("\"{}\" as the unit of \"{}\" in {}: expected {}", named.unit,
                                   raw(named.column), header_.file, units_of(dimension)));
    // Files have GHz, MHz and kHz alike.
    if (role == ColumnRole::frequency && named.unit.empty() && !header_.own &&
        cell_number(header_.first_row[named.column]).suffix.empty())
      fail_at(named.column, "a frequency without a unit",
              fmt::format("{}: --column \"frequency={}:UNIT\" says which", units_of(dimension),
                          raw(named.column)));
    return *unit;
  }

  void add_role(ColumnRole role) {
    const std::string role_name(name_of(role));
    const auto asked = asked_.find(role_name);
    const std::vector<Named> columns = asked != asked_.end() ? asked->second : best_for(role);
    const auto set = options_.values.find(role_name);
    if (columns.empty() && set == options_.values.end()) return;
    MeasuredColumn column{role, role_name, std::string(base_unit_of(dimension_of(role))), {}};
    if (columns.empty()) {
      plan_.given.resize(plan_.columns.size() + 1);
      plan_.given.back() = *value_from(role_name, set->second);
      from_.push_back(fmt::format("{} from --set {}={}", role_name, role_name, set->second));
    } else {
      std::string name = header_.names[columns[0].column].name;
      if (columns.size() > 1)
        name += fmt::format(" + {}{}", columns.size() > 2 ? "... + " : "",
                            header_.names[columns.back().column].name);
      refuse_set(role_name, name);
      for (const Named& one : columns) {
        taken_[one.column] = true;
        plan_.file[one.column] = {FileColumn::Use::number, plan_.columns.size(),
                                  checked_unit(role, one)};
        if (one.unit.empty() && dimension_of(role) != Dimension::none)
          assumed_.push_back(raw(one.column));
      }
      if (!header_.own || asked != asked_.end()) {
        column.name = name;
        from_.push_back(fmt::format("{} from \"{}\"", role_name, name));
      }
    }
    plan_.columns.push_back(std::move(column));
  }

  void add_region() {
    const auto asked = asked_.find("region");
    std::optional<std::size_t> column;
    std::optional<std::size_t> least;
    if (asked != asked_.end()) column = asked->second[0].column;
    for (std::size_t i = 0; !column.has_value() && i < header_.names.size(); ++i) {
      const std::string& name = header_.names[i].name;
      const auto rank =
          header_.own ? (header_.names[i].raw == kOwnRegionName ? std::optional<std::size_t>(0)
                                                                : std::nullopt)
                      : rank_for_region(name);
      if (!rank || taken_[i] || (least && *rank >= *least)) continue;
      least = rank;
      region_ = i;
    }
    if (column) region_ = column;
    const auto set = options_.values.find("region");
    if (region_) {
      refuse_set("region", raw(*region_));
      plan_.file[*region_].use = FileColumn::Use::region;
      taken_[*region_] = true;
      if (!header_.own)
        from_.insert(from_.begin(), fmt::format("region from \"{}\"", raw(*region_)));
    } else if (set != options_.values.end()) {
      plan_.given_region = set->second;
      from_.push_back(fmt::format("region from --set region={}", set->second));
    }
  }

  void refuse_set(std::string_view role, std::string_view column) const {
    if (const auto set = options_.values.find(role); set != options_.values.end())
      fail(fmt::format("a column of the {}, \"{}\"", role, shortened(column)),
           fmt::format("none, as --set {}={} says it for all rows: leave that away, or rename the "
                       "column if it holds something else",
                       role, shortened(set->second)));
  }

  void add_variables(const ColumnPlan* like) {
    std::set<std::size_t> kept;
    for (const std::string& name : options_.variables) kept.insert(named(name));
    for (std::size_t i = 0; i < header_.names.size(); ++i) {
      if (taken_[i] || (!kept.empty() && !kept.contains(i))) continue;
      const HeaderName& name = header_.names[i];
      std::string why;
      if (like != nullptr &&
          std::ranges::find(like->columns, name.name, &MeasuredColumn::name) == like->columns.end())
        continue;
      if (kept.empty() && !header_.own) {
        why = why_no_variable(name);
        if (why.empty() && holds_text(i)) why = "it holds text";
      }
      if (why.empty()) {
        plan_.file[i] = {FileColumn::Use::number, plan_.columns.size(), {}};
        plan_.columns.push_back({ColumnRole::variable, name.name, name.unit, {}});
      } else if (!name.raw.empty()) {
        ignored_.push_back(fmt::format("\"{}\" ({})", shortened(name.raw), why));
      }
    }
  }

  void refuse_same_names() const {
    std::set<std::pair<std::string_view, std::string_view>> names;
    for (std::size_t i = 0; i < plan_.file.size(); ++i)
      if (plan_.file[i].use != FileColumn::Use::ignore &&
          !names.emplace(header_.names[i].name, header_.own ? header_.names[i].unit : "").second)
        fail_at(i, "a name that another column has as well",
                "a name for each column: rename one of them");
  }

  void remark() {
    constexpr std::size_t kMost = 12;
    if (!from_.empty()) plan_.remarks.push_back(fmt::format("Taken: {}.", fmt::join(from_, ", ")));
    if (header_.own) return;
    for (const std::string& name : assumed_)
      if (cell_number(header_.first_row[*find(name)]).suffix.empty())
        plan_.remarks.push_back(fmt::format(
            "\"{}\" has no unit: taken for s or J; --column ROLE=\"{}\":UNIT says otherwise.", name,
            name));
    if (ignored_.empty()) return;
    const std::size_t more = ignored_.size() > kMost ? ignored_.size() - kMost : 0;
    ignored_.resize(ignored_.size() - more);
    plan_.remarks.push_back(fmt::format("Ignored: {}{}.", fmt::join(ignored_, ", "),
                                        more > 0 ? fmt::format(" and {} more columns", more) : ""));
  }

  // The same columns as of the first file, in its order.
  void arrange_like(const ColumnPlan& like) {
    std::vector<std::size_t> places(plan_.columns.size(), like.columns.size());
    std::vector<double> given(like.columns.size());
    for (std::size_t i = 0; i < like.columns.size(); ++i) {
      const MeasuredColumn& wanted = like.columns[i];
      const auto found = std::ranges::find_if(plan_.columns, [&](const MeasuredColumn& column) {
        return column.role == wanted.role &&
               (column.role != ColumnRole::variable || column.name == wanted.name);
      });
      if (found == plan_.columns.end())
        fail(fmt::format("no column of \"{}\"", wanted.name),
             "the same columns as in the first file");
      const auto mine = static_cast<std::size_t>(found - plan_.columns.begin());
      places[mine] = i;
      given[i] = plan_.given[mine];
    }
    for (std::size_t i = 0; i < plan_.file.size(); ++i) {
      FileColumn& column = plan_.file[i];
      if (column.use != FileColumn::Use::number) continue;
      column.target = places[column.target];
      if (column.target == like.columns.size())
        fail_at(i, "a column that the first file does not have",
                "the same columns as in the first file");
    }
    plan_.given = std::move(given);
    plan_.columns = like.columns;
  }

  const CsvHeader& header_;
  const MeasurementCsvOptions& options_;
  std::vector<bool> taken_;  // by column: it has a role
  std::map<std::string, std::vector<Named>, std::less<>> asked_;
  std::optional<std::size_t> region_;
  std::vector<std::string> from_;     // what columns and options give, for people
  std::vector<std::string> assumed_;  // names of columns without a unit
  std::vector<std::string> ignored_;
  ColumnPlan plan_;
};

}  // namespace

std::string CsvHeader::place(std::uint64_t of_line, std::size_t column) const {
  return fmt::format("line {}, column {} ({})", of_line, column + 1,
                     column < names.size() ? shortened(names[column].raw) : "without a name");
}

void check_given_values(const MeasurementCsvOptions& options) {
  for (const auto& [role, text] : options.values) {
    const bool known = role == "region" || std::ranges::find(kRoles, role, name_of) != kRoles.end();
    if (!known || role == "time" || role == "energy")
      throw UsageError(
          fmt::format("--set {}: expected one of size, processes, threads, frequency, nodes, "
                      "ranks_per_node, packages, region: what was measured stands in columns",
                      shortened(role)));
    if (!value_from(role, text))
      throw UsageError(
          fmt::format("--set {}={}: expected {}", role, shortened(text), values_of(role)));
  }
}

ColumnPlan plan_columns(const CsvHeader& header, const MeasurementCsvOptions& options,
                        const ColumnPlan* like) {
  return Planner(header, options).plan(like);
}

}  // namespace huddle::forecast
