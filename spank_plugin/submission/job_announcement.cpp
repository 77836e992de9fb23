#include "spank_plugin/submission/job_announcement.hpp"

#include <fmt/format.h>

#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"

namespace huddle {

std::string job_comment(const Decision& decision, std::optional<std::uint32_t> requested) {
  std::string comment = requested ? fmt::format("huddle:packed {}->{}", *requested, decision.nodes)
                                  : fmt::format("huddle:packed ->{}", decision.nodes);
  if (!decision.pattern.empty()) comment += " " + decision.pattern;
  if (decision.slowdown) comment += fmt::format(" {}%", percent_text(*decision.slowdown));
  return comment;
}

void comment_on_job(SlurmClient& slurm, const Decision& decision,
                    std::optional<std::uint32_t> requested) {
  if (slurm.is_set("comment") || !slurm.get("comment").empty()) return;
  try {
    change_options(slurm, {{"comment", job_comment(decision, requested)}});
  } catch (const Error&) {  // nobody is harmed
  }
}

void announce_in_steps(SlurmClient& slurm, const std::string& reason) {
  tell(slurm, kAnnouncementWord, reason);
}

// Where there is no script, of srun and salloc, it was said on the terminal of the steps.
void announce_in_job(SlurmClient& slurm, const SubmittedJob& job, const Decision& decision,
                     bool in_steps) {
  const auto script = slurm.script();
  if (in_steps && job.by != Submitter::kDirectSrun && (!script || !script->empty()))
    announce_in_steps(slurm, decision.reason);
  if (!decision.keeps_nodes) comment_on_job(slurm, decision, job.request.nodes);
}

void say_announcement(SlurmClient& slurm) {
  if (const auto text = told(slurm, kAnnouncementWord)) slurm.say(*text);
}

}  // namespace huddle
