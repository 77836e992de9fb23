#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/files/owned_descriptor.hpp"

namespace huddle::frequency {

/// The files that Linux's cpufreq has for each policy, that is for each group of CPUs with one
/// setting. The place where a test hands in files of its own.
class CpufreqFiles {
 public:
  virtual ~CpufreqFiles() = default;
  CpufreqFiles(const CpufreqFiles&) = delete;
  CpufreqFiles& operator=(const CpufreqFiles&) = delete;

  /// The numbers of all policies, ascending; empty if this kernel has no cpufreq.
  [[nodiscard]] virtual std::vector<std::uint32_t> policies() const = 0;
  /// The first line of a file; nothing if it can't be read.
  [[nodiscard]] virtual std::optional<std::string> read(std::uint32_t policy,
                                                        const char* file) const = 0;
  /// 0, or the errno value that the kernel refuses with.
  [[nodiscard]] virtual int write(std::uint32_t policy, const char* file,
                                  std::string_view value) = 0;

 protected:
  CpufreqFiles() = default;
};

/// Those below devices/system/cpu/cpufreq of a sysfs. Opens each file anew, follows no link at the
/// end of a path, never waits. Not thread safe.
class SysfsCpufreq final : public CpufreqFiles {
 public:
  explicit SysfsCpufreq(const std::filesystem::path& sysfs = "/sys");

  [[nodiscard]] std::vector<std::uint32_t> policies() const override;
  [[nodiscard]] std::optional<std::string> read(std::uint32_t policy,
                                                const char* file) const override;
  [[nodiscard]] int write(std::uint32_t policy, const char* file, std::string_view value) override;

 private:
  std::filesystem::path directory_;
  files::OwnedDescriptor opened_;  // the directory; invalid if there is none
};

}  // namespace huddle::frequency
