#pragma once

#include <string>

#include "aggregator/study/dumped_job.hpp"

namespace huddle::study {

/// Writes into `name` what a job counts as a run of: the program that srun started, whoever's it is
/// ("lmp"); or, where that is an interpreter, which runs anything, the job's name with each number
/// as '#', and its user ("run_# of ann").
void name_application(const DumpedJob& job, std::string& name);

}  // namespace huddle::study
