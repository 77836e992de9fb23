#include "aggregator/forecast/table/detail/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "aggregator/forecast/table/detail/given_values.hpp"
#include "aggregator/forecast/table/detail/run_totals.hpp"
#include "aggregator/forecast/table/detail/unit_columns.hpp"
#include "profiles/import/column_words.hpp"
#include "profiles/import/measurement_unit.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::forecast {
namespace {

constexpr std::string_view kRoleWords =
    "region, size, processes, threads, frequency, nodes, ranks_per_node, packages, time or energy, "
    "and \"-\" for columns without a role";
constexpr std::string_view kNoRole = "-";

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
    const auto known = std::ranges::find(kRoles, role, name_of);
    const bool takes_several = role == "energy" || role == kNoRole;
    if ((known == kRoles.end() && role != "region" && role != kNoRole) || names.empty() ||
        (!takes_several && names.size() > 1))
      throw UsageError(
          fmt::format("{} columns for \"{}\": expected one, or several of energy, for {}",
                      names.size(), role, kRoleWords));
    for (const std::string& text : names) {
      const std::size_t colon = text.rfind(':');
      Named asked{0, {}, true};
      if (const auto whole = find(text); whole || colon == std::string::npos) {
        asked.column = whole ? *whole : named(text);
        asked.unit = known == kRoles.end() ? "" : unit_by_name(*known, asked.column);
      } else {
        asked.column = named(text.substr(0, colon));
        asked.unit = text.substr(colon + 1);
      }
      if (!named_.insert(asked.column).second)
        throw UsageError(
            fmt::format("the column \"{}\" is named for two things", raw(asked.column)));
      taken_[asked.column] = role != kNoRole;
      asked_[role].push_back(std::move(asked));
    }
  }

  // The unit that a name gives of a column that has this role; empty if it gives none.
  std::string unit_by_name(ColumnRole role, std::size_t column) const {
    const HeaderName& name = header_.names[column];
    if (!name.unit.empty() || header_.own) return name.unit;
    const auto found = imports::unit_in_name(name.raw, dimension_of(role));
    return found ? found->word : "";
  }

  bool may_have_role(std::size_t column) const {
    const auto without = asked_.find(kNoRole);
    return !taken_[column] && header_.names[column].why_no_role.empty() &&
           (without == asked_.end() ||
            std::ranges::find(without->second, column, &Named::column) == without->second.end());
  }

  bool holds_text(std::size_t column) const {
    return cell_number(header_.first_row[column]).kind == CellKind::text;
  }

  // The unit for a role; none if what is named is not of its dimension.
  static std::optional<MeasurementUnit> unit_for(ColumnRole role, const std::string& unit) {
    const Dimension dimension = dimension_of(role);
    if (dimension == Dimension::none) return MeasurementUnit{};
    const auto known = unit_named(unit.empty() ? imports::base_unit_of(dimension) : unit);
    return known && known->dimension == dimension ? known : std::nullopt;
  }

  std::optional<std::size_t> rank_of(ColumnRole role, std::size_t column) const {
    const HeaderName& name = header_.names[column];
    if (!header_.own) return rank_for(role, name.name);
    if (name.raw == own_name_of(role)) return 0;
    return std::nullopt;
  }

  // The column with the best name for a role; of equally good ones that of the base unit.
  std::vector<Named> best_for(ColumnRole role) const {
    std::optional<std::size_t> least;
    std::vector<Named> best;
    for (std::size_t i = 0; i < header_.names.size(); ++i) {
      const auto rank = rank_of(role, i);
      if (!rank || !may_have_role(i) || holds_text(i)) continue;
      const std::string unit = unit_by_name(role, i);
      // "time [cycles]" is no time.
      if (!unit_for(role, unit) || (least && *rank > *least)) continue;
      const Named found{i, unit, false};
      if (!least || *rank < *least)
        best = {found};
      else if (unit_for(role, unit)->is_base() && !unit_for(role, best[0].unit)->is_base())
        best = {found};
      else if (!unit_for(role, best[0].unit)->is_base() || unit_for(role, unit)->is_base())
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
                                   raw(named.column), header_.file, imports::units_of(dimension)));
    // Files have GHz, MHz and kHz alike.
    if (role == ColumnRole::frequency && named.unit.empty() && !header_.own &&
        cell_number(header_.first_row[named.column]).suffix.empty())
      fail_at(named.column, "a frequency without a unit",
              fmt::format("{}: --column \"frequency={}:UNIT\" says which",
                          imports::units_of(dimension), raw(named.column)));
    return *unit;
  }

  // The column that holds the units of a column without one, which is used for that.
  std::optional<std::size_t> units_of_column(Dimension dimension, const Named& named) {
    if (!named.unit.empty() || dimension == Dimension::none || header_.own) return std::nullopt;
    const auto units = unit_column_of(header_, named.column, dimension);
    if (!units || taken_[*units]) return std::nullopt;
    plan_.file[*units].use = FileColumn::Use::unit;
    from_units_.insert(fmt::format("units from \"{}\"", raw(*units)));
    return units;
  }

  void assume_base_unit(ColumnRole role, std::size_t column) {
    if (!cell_number(header_.first_row[column]).suffix.empty() || header_.own) return;
    plan_.warnings.push_back(
        fmt::format("\"{0}\" has no unit: taken for {1}; --column {2}=\"{0}\":UNIT says otherwise.",
                    raw(column), imports::base_unit_of(dimension_of(role)), name_of(role)));
  }

  void add_role(ColumnRole role) {
    const std::string role_name(name_of(role));
    const auto asked = asked_.find(role_name);
    const std::vector<Named> columns = asked != asked_.end() ? asked->second : best_for(role);
    const auto set = options_.values.find(role_name);
    if (columns.empty() && set == options_.values.end()) return;
    MeasuredColumn column{
        role, role_name, std::string(imports::base_unit_of(dimension_of(role))), {}};
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
        const auto units = units_of_column(dimension_of(role), one);
        plan_.file[one.column] = {
            FileColumn::Use::number, plan_.columns.size(),
            units ? MeasurementUnit{dimension_of(role)} : checked_unit(role, one), units};
        if (one.unit.empty() && !units && dimension_of(role) != Dimension::none)
          assume_base_unit(role, one.column);
      }
      plan_.threads_may_be_totals |= role == ColumnRole::threads && asked == asked_.end() &&
                                     !header_.own && may_be_total(name);
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
      if (!rank || !may_have_role(i) || (least && *rank >= *least)) continue;
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
           fmt::format("none, as --set {0}={1} says it for all rows: leave that away, or add "
                       "--column \"-={2}\" if the column holds something else",
                       role, shortened(set->second), shortened(column)));
  }

  void add_variables(const ColumnPlan* like) {
    std::set<std::size_t> kept;
    for (const std::string& name : options_.variables) kept.insert(named(name));
    for (std::size_t i = 0; i < header_.names.size(); ++i) {
      if (taken_[i] || plan_.file[i].use == FileColumn::Use::unit) continue;
      const std::string why = why_not_kept(i, kept, like);
      if (!why.empty() && imports::letters_of(raw(i)) == "jobid")
        plan_.file[i].use = FileColumn::Use::job;
      if (why.empty())
        add_variable(i);
      else if (!raw(i).empty())
        ignored_[why].push_back(fmt::format("\"{}\"", shortened(raw(i))));
    }
  }

  // For people, as column_names.hpp has it.
  std::string why_not_kept(std::size_t column, const std::set<std::size_t>& kept,
                           const ColumnPlan* like) const {
    const HeaderName& name = header_.names[column];
    if (!kept.empty()) return kept.contains(column) ? "" : "not named by --keep-column";
    if (like != nullptr &&
        std::ranges::find(like->columns, name.name, &MeasuredColumn::name) == like->columns.end())
      return "not in the first file";
    if (header_.own) return {};
    if (!name.why_no_role.empty()) return name.why_no_role;
    const std::string_view why = why_no_variable(name);
    return why.empty() && holds_text(column) ? "text" : std::string(why);
  }

  // Times beside the one that has the role have their units where that one has its own.
  void add_variable(std::size_t column) {
    const HeaderName& name = header_.names[column];
    std::optional<std::size_t> units;
    if (imports::letters_of(name.name).ends_with("time"))
      units = units_of_column(Dimension::time, {column, name.unit, false});
    plan_.file[column] = {FileColumn::Use::number,
                          plan_.columns.size(),
                          {units ? Dimension::time : Dimension::none},
                          units};
    plan_.columns.push_back(
        {ColumnRole::variable, name.name, units ? std::string("s") : name.unit, {}});
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
    from_.insert(from_.end(), from_units_.begin(), from_units_.end());
    if (!from_.empty()) plan_.remarks.push_back(fmt::format("Taken: {}.", fmt::join(from_, ", ")));
    if (header_.own) return;
    for (auto& [why, names] : ignored_) {
      const std::size_t more = names.size() > kMost ? names.size() - kMost : 0;
      names.resize(names.size() - more);
      plan_.remarks.push_back(
          fmt::format("Not used ({}): {}{}.", why, fmt::join(names, ", "),
                      more > 0 ? fmt::format(" and {} more columns", more) : ""));
    }
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
  std::vector<bool> taken_;      // by column: it has a role
  std::set<std::size_t> named_;  // by options
  std::map<std::string, std::vector<Named>, std::less<>> asked_;
  std::optional<std::size_t> region_;
  std::vector<std::string> from_;     // what columns and options give, for people
  std::set<std::string> from_units_;  // the same of units
  std::map<std::string, std::vector<std::string>> ignored_;  // by why
  ColumnPlan plan_;
};

}  // namespace

std::string CsvHeader::place(std::uint64_t of_line, std::size_t column) const {
  return fmt::format("line {}, column {} ({})", of_line, column + 1,
                     column < names.size() ? shortened(names[column].raw) : "without a name");
}

ColumnPlan plan_columns(const CsvHeader& header, const MeasurementCsvOptions& options,
                        const ColumnPlan* like) {
  return Planner(header, options).plan(like);
}

}  // namespace huddle::forecast
