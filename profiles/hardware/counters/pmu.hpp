#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/hardware/counters/kernel.hpp"

namespace huddle::counters {

/// Where a field of an event goes, as a file of a PMU's directory `format` says:
/// "config:0-7,32-35" are bits 0 to 7 and then 32 to 35 of EventCode::config.
class PmuField {
 public:
  /// Throws FormatError, whose file is `file`, if `text` is not of this form.
  static PmuField parse(std::string_view text, std::string_view file);

  /// All bits of config, config1 or config2.
  static PmuField whole(std::uint64_t EventCode::*word) { return PmuField(word, {{0, 63}}); }

  [[nodiscard]] unsigned width() const;
  /// True if `value` has no more bits than the field.
  [[nodiscard]] bool takes(std::uint64_t value) const;
  /// The lowest bits of `value` go to the first range.
  void put(std::uint64_t value, EventCode& code) const;

 private:
  /// First and last bit.
  using Range = std::pair<unsigned, unsigned>;
  PmuField(std::uint64_t EventCode::*word, std::vector<Range> ranges)
      : word_(word), ranges_(std::move(ranges)) {}

  std::uint64_t EventCode::*word_;
  std::vector<Range> ranges_;
};

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
