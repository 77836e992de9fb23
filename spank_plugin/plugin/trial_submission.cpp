#include "spank_plugin/plugin/trial_submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/plugin/association_limits.hpp"
#include "spank_plugin/plugin/cluster_nodes.hpp"
#include "spank_plugin/plugin/slurm_api.hpp"

extern "C" {
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
}

namespace huddle {
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
  }
  ~Description() {
    description_->submit_line = nullptr;  // the options' own
    free_(description_);
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  [[nodiscard]] job_desc_msg_t* get() const { return description_; }

 private:
  job_desc_msg_t* description_ = nullptr;
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

}  // namespace

TrialAnswer try_submission(const SlurmClient& client, void* options) {
  const Description description(options);
  TrialAnswer answer;
  const auto response = will_run(description.get(), answer.refusal);
  if (!answer.refusal.empty() || response == nullptr) return answer;
  answer.cpus = response->proc_cnt;
  JobSize size;
  size.cpus = response->proc_cnt;
  if (response->node_list != nullptr && *response->node_list != '\0')
    size.nodes = static_cast<std::uint32_t>(expand_node_names(response->node_list).size());
  if (size.cpus != 0 && size.nodes != 0) answer.refusal = why_limits_forbid(client, size);
  return answer;
}

}  // namespace huddle
