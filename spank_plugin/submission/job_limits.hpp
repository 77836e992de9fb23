#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::submission {

/// The size of a job that Slurm would start. 0: not known; then no limit of it is found to be
/// missed.
struct JobSize {
  std::uint64_t cpus = 0;
  std::uint64_t nodes = 0;
  std::uint64_t memory_mib = 0;
  /// Its time limit, in minutes.
  std::uint64_t minutes = 0;
};

/// A limit in Slurm's own words, such as "1=12,2=4000,4=8": counts by kind of resource, of which 1
/// are CPUs, 2 is memory in MiB, and 4 are nodes. Absent kinds are not limited; an amount that is
/// no number is none.
struct ResourceLimit {
  std::optional<std::uint64_t> cpus;
  std::optional<std::uint64_t> memory_mib;
  std::optional<std::uint64_t> nodes;

  static ResourceLimit parse(std::string_view text);
};

/// The limits of one QOS or of one association: a user's in an account, or an account's.
struct HeldLimits {
  /// "QOS short", "account physics", for the user.
  std::string whose;
  bool of_qos = false;
  ResourceLimit of_job = {};
  ResourceLimit of_node = {};
  /// Resources times minutes.
  ResourceLimit of_minutes = {};
  /// The most that a user or an account may have at a time in one QOS.
  ResourceLimit of_user = {};
  ResourceLimit of_account = {};
  /// The most that all jobs under it may have at a time.
  ResourceLimit of_all = {};
  /// The least that a job must have.
  ResourceLimit least = {};
};

/// Why a job of that size could never start under these limits, as Slurm applies them: `all` has
/// the QOS first, the one before the other that it overrides, then the user's association, then its
/// accounts, from its own to the root. What one limits, later ones do not, except that each
/// association's `of_all` counts unless a QOS has one. Empty if nothing forbids it.
std::string why_limits_forbid(const std::vector<HeldLimits>& all, const JobSize& size);

}  // namespace huddle::submission
