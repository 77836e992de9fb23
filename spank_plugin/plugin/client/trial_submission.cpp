#include "spank_plugin/plugin/client/trial_submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/plugin/client/association_limits.hpp"
#include "spank_plugin/plugin/client/cluster_nodes.hpp"

extern "C" {
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
}

namespace huddle::plugin {
namespace {

/// Slurm's description of a job, made from its options.
class Description {
 public:
  explicit Description(void* options) {
    const auto make = slurm_function<job_desc_msg_t* (*)(void*, bool)>("slurm_opt_create_job_desc");
    free_ = slurm_function<void (*)(job_desc_msg_t*)>("slurm_free_job_desc_msg");
    if (make == nullptr || free_ == nullptr || options == nullptr)
      throw Error("this Slurm does not let itself be asked whether a job would run");
    description_ = make(options, true);
    if (description_ == nullptr) throw Error("Slurm does not understand this job's options");
    // salloc says it later; Slurm 24.11 takes no job without.
    std::error_code unknown;
    folder_ = std::filesystem::current_path(unknown).string();
    if (description_->work_dir == nullptr && !folder_.empty()) {
      description_->work_dir = folder_.data();
      has_our_folder_ = true;
    }
  }
  ~Description() {
    description_->submit_line = nullptr;  // the options' own
    if (has_our_folder_) description_->work_dir = nullptr;
    free_(description_);
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  [[nodiscard]] job_desc_msg_t* get() const { return description_; }

 private:
  job_desc_msg_t* description_ = nullptr;
  std::string folder_;
  bool has_our_folder_ = false;
  void (*free_)(job_desc_msg_t*) = nullptr;
};

// Not in Slurm's headers; without it, an answer lives as long as sbatch.
struct ReleaseResponse {
  void operator()(will_run_response_msg_t* response) const {
    const auto release =
        slurm_function<void (*)(will_run_response_msg_t*)>("slurm_free_will_run_response_msg");
    if (release != nullptr) release(response);
  }
};

// An array's job is tried as one of its tasks.
std::unique_ptr<will_run_response_msg_t, ReleaseResponse> will_run(job_desc_msg_t* description,
                                                                   std::string& refusal) {
  will_run_response_msg_t* response = nullptr;
  errno = 0;
  if (slurm_job_will_run2(description, &response) != SLURM_SUCCESS) refusal = slurm_strerror(errno);
  return std::unique_ptr<will_run_response_msg_t, ReleaseResponse>(response);
}

// The size that is known before the controller has chosen nodes.
submission::JobSize least_size(const job_desc_msg_t& description) {
  submission::JobSize size;
  if (description.min_nodes != NO_VAL) size.nodes = description.min_nodes;
  return size;
}

submission::JobSize size_of(const ControllerAnswers& controller,
                            const submission::SlurmClient& client,
                            const job_desc_msg_t& description,
                            const will_run_response_msg_t& response) {
  submission::JobSize size;
  size.cpus = response.proc_cnt;
  const std::string list = slurm_text(response.node_list);
  if (list.empty()) return size;
  const std::vector<std::string> nodes = expand_node_names(list);
  size.nodes = nodes.size();
  if (description.pn_min_memory == 0)
    size.memory_mib = memory_of_nodes(controller, nodes).value >> 20U;
  if (description.time_limit != NO_VAL && description.time_limit != INFINITE)
    size.minutes = description.time_limit;
  else if (const auto usual = usual_time_limit(controller, client);
           usual && description.time_limit == NO_VAL)
    size.minutes = static_cast<std::uint64_t>(usual->value / 60);
  return size;
}

}  // namespace

// Slurm itself prints a line on what it refuses at once, so that is not asked if the answer is
// known.
submission::TrialAnswer try_submission(const ControllerAnswers& controller,
                                       const submission::SlurmClient& client, void* options) {
  const Description description(options);
  if (const std::string counts = listed_node_counts(*description.get()); !counts.empty())
    throw Error(fmt::format("you list how many nodes it may have (--nodes={})", shortened(counts)));
  const std::vector<submission::HeldLimits> limits = limits_are_enforced(controller)
                                                         ? limits_of_job(controller, client)
                                                         : std::vector<submission::HeldLimits>();
  submission::TrialAnswer answer;
  answer.refusal = submission::why_limits_forbid(limits, least_size(*description.get()));
  if (!answer.refusal.empty()) return answer;
  const auto response = will_run(description.get(), answer.refusal);
  if (!answer.refusal.empty() || response == nullptr) return answer;
  answer.cpus = response->proc_cnt;
  if (!limits.empty())
    answer.refusal = submission::why_limits_forbid(
        limits, size_of(controller, client, *description.get(), *response));
  return answer;
}

}  // namespace huddle::plugin
