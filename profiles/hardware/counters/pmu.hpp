#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/hardware/counters/event_code.hpp"

namespace huddle::counters {

/// A performance monitoring unit, as the kernel describes it in
/// /sys/bus/event_source/devices/NAME.
class Pmu {
 public:
  /// Throws SystemError or FormatError if `directory` has no file `type`, or none with a number.
  explicit Pmu(std::filesystem::path directory);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Goes into EventCode::type.
  [[nodiscard]] std::uint32_t type() const { return type_; }
  /// Counts what a core does, and so what a process does on it.
  [[nodiscard]] bool is_core() const;
  /// Counts for a package or for the whole machine, and does not distinguish processes.
  [[nodiscard]] bool is_shared() const;
  /// True if the kernel has a name for this event.
  [[nodiscard]] bool has_event(std::string_view event) const;

  /// Returns the code of `terms`, the text between the slashes of pmu/terms/: a name of the PMU's
  /// directory `events`, and fields of its directory `format` with values, as in
  /// "event=0x3c,umask=1"; a field without a value is 1. Throws FormatError if it is neither, or a
  /// value does not fit into its field.
  [[nodiscard]] EventCode encode(std::string_view terms) const;

 private:
  void add_terms(EventCode& code, std::string_view terms, std::string_view file,
                 bool names_allowed) const;
  void add_field(EventCode& code, std::string_view field, std::uint64_t value,
                 std::string_view file) const;
  [[nodiscard]] std::filesystem::path event_file(std::string_view event) const;

  std::filesystem::path directory_;
  std::string name_;
  std::uint32_t type_ = 0;
};

/// The PMUs of the machine.
class PmuDirectory {
 public:
  /// Looks into bus/event_source/devices below `sysfs`; what is not there, or can't be read, does
  /// not exist.
  explicit PmuDirectory(const std::filesystem::path& sysfs);

  /// Ascending by type, names for each kind of core. One on most machines, none on virtual ones
  /// that pass no counters on, several on hybrid ones.
  [[nodiscard]] const std::vector<Pmu>& core_pmus() const { return core_pmus_; }
  [[nodiscard]] bool is_hybrid() const { return core_pmus_.size() > 1; }

  /// Throws Error if there is none with this name.
  [[nodiscard]] Pmu find(std::string_view name) const;

 private:
  std::filesystem::path directory_;
  std::vector<Pmu> core_pmus_;
};

}  // namespace huddle::counters
