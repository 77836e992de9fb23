#include "aggregator/study/site_tally.hpp"

#include <tsl/robin_map.h>

#include <bit>
#include <functional>

#include "aggregator/study/application.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle::study {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29U);
}

JobAmount amount_of(const DumpedJob& job) {
  return {1, job.elapsed_s * job.nodes, job.elapsed_s * job.billing};
}

}  // namespace

struct SiteTally::Tables {
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  /// Numbers of names, in the order of first use.
  class Names {
   public:
    std::uint32_t number_of(std::string_view name) {
      const auto known = numbers_.find(name);
      if (known != numbers_.end()) return known->second;
      const auto number = static_cast<std::uint32_t>(names_.size());
      names_.emplace_back(name);
      numbers_.emplace(std::string(name), number);
      return number;
    }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

   private:
    tsl::robin_map<std::string, std::uint32_t, TextHash, std::equal_to<>> numbers_;
    std::vector<std::string> names_;
  };

  struct JudgedKey {
    JobGroups groups;
    Verdict verdict;
    friend bool operator==(const JudgedKey&, const JudgedKey&) = default;
  };

  struct ShapedKey {
    JobGroups groups;
    std::uint32_t application;
    JobShape shape;
    bool measured_first;
    friend bool operator==(const ShapedKey&, const ShapedKey&) = default;
  };

  struct KeyHash {
    static std::uint64_t of(const JobGroups& groups) {
      return mixed(mixed(groups.partition, groups.account), groups.size);
    }
    std::size_t operator()(const JudgedKey& key) const {
      return mixed(of(key.groups), static_cast<std::uint64_t>(key.verdict));
    }
    std::size_t operator()(const ShapedKey& key) const {
      const JobShape& shape = key.shape;
      std::uint64_t hash = mixed(of(key.groups), key.application);
      hash = mixed(hash, std::uint64_t{shape.nodes} << 32U | shape.step_nodes);
      hash = mixed(hash, std::uint64_t{shape.tasks} << 32U | shape.cpus);
      hash = mixed(hash, std::uint64_t{shape.cpus_of_task} << 32U |
                             std::uint64_t{shape.task_memory} << 16U | shape.script_memory);
      return mixed(hash, key.measured_first ? 1 : 0);
    }
  };

  Names partitions;
  Names accounts;
  Names applications;
  tsl::robin_map<JudgedKey, JobAmount, KeyHash> judged;
  tsl::robin_map<ShapedKey, JobAmount, KeyHash> shaped;
  /// Runs so far, up to kMeasuredRuns, by a hash of program, user and number of tasks.
  tsl::robin_map<std::uint64_t, std::uint8_t> runs;
  // Kept for their memory.
  std::string name;
};

JobAmount& JobAmount::operator+=(const JobAmount& other) {
  jobs += other.jobs;
  node_seconds += other.node_seconds;
  charge_seconds += other.charge_seconds;
  return *this;
}

std::uint32_t size_class(std::uint32_t nodes) {
  return static_cast<std::uint32_t>(std::bit_width(nodes - 1));
}

SiteTally::SiteTally() : tables_(std::make_unique<Tables>()) {
  // The largest table: a little slower, and much smaller.
  constexpr float kFull = 0.8F;
  tables_->shaped.max_load_factor(kFull);
}
SiteTally::~SiteTally() = default;

std::uint32_t SiteTally::partition_of(const DumpedJob& job) {
  std::string& name = tables_->name;
  name = job.cluster;
  name += '/';
  name += job.partition;
  const std::uint32_t number = tables_->partitions.number_of(name);
  if (number == partitions_.size())
    partitions_.push_back({std::string(job.cluster), std::string(job.partition), {}});
  return number;
}

void SiteTally::add(const DumpedJob& job) {
  if (job.nodes == 0 || !(job.elapsed_s > 0)) {
    ++never_ran_;
    return;
  }
  JobGroups groups;
  groups.partition = partition_of(job);
  groups.account = tables_->accounts.number_of(job.account);
  groups.size = size_class(job.nodes);
  if (job.cpus > 0 && job.cpus % job.nodes == 0)
    partitions_[groups.partition].seen.add(job.nodes, job.cpus / job.nodes, job.requested_cpus,
                                           job.memory_bytes);
  if (const auto verdict = verdict_of(job)) {
    tables_->judged[{groups, *verdict}] += amount_of(job);
    return;
  }
  Tables::ShapedKey key{groups, 0, shape_of(job), false};
  name_application(job, tables_->name);
  key.application = tables_->applications.number_of(tables_->name);
  // Jobs with whole nodes and jobs with parts of them are told apart later.
  std::uint8_t& runs = tables_->runs[mixed(mixed(key.application, hash_of(job.user)),
                                           std::uint64_t{key.shape.tasks} << 32U | key.shape.cpus)];
  key.measured_first = runs < kMeasuredRuns;
  if (key.measured_first) ++runs;
  tables_->shaped[key] += amount_of(job);
}

const std::vector<std::string>& SiteTally::accounts() const {
  return tables_->accounts.names();
}

const std::vector<std::string>& SiteTally::applications() const {
  return tables_->applications.names();
}

std::vector<JudgedJobs> SiteTally::judged() const {
  std::vector<JudgedJobs> jobs;
  jobs.reserve(tables_->judged.size());
  for (const auto& [key, amount] : tables_->judged)
    jobs.push_back({key.groups, key.verdict, amount});
  return jobs;
}

void SiteTally::visit_shaped(const std::function<void(const ShapedJobs&)>& take) const {
  for (const auto& [key, amount] : tables_->shaped)
    take({key.groups, key.application, key.shape, key.measured_first, amount});
}

}  // namespace huddle::study
