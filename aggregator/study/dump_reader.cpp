#include "aggregator/study/dump_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "aggregator/operations/sacct/sacct_text.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::study {

const std::string_view kSacctCommand =
    "sacct --allusers --parsable2 --starttime 2026-01-01 --format "
    "JobID,Cluster,Partition,Account,User,JobName,State,Start,End,ElapsedRaw,NNodes,NTasks,"
    "AllocCPUS,ReqCPUS,TotalCPU,MaxRSS,AllocTRES";

namespace {

using operations::number_in;

enum Column : std::size_t {
  kJobId,
  kCluster,
  kPartition,
  kAccount,
  kUser,
  kJobName,
  kState,
  kStart,
  kEnd,
  kElapsedRaw,
  kNodes,
  kTasks,
  kAllocatedCpus,
  kRequestedCpus,
  kTotalCpu,
  kMaxRss,
  kAllocatedTres,
};

struct ColumnName {
  std::string_view name;
  bool is_required;
};

constexpr std::array<ColumnName, 17> kNames = {{{"JobID", true},
                                                {"Cluster", false},
                                                {"Partition", true},
                                                {"Account", true},
                                                {"User", true},
                                                {"JobName", true},
                                                {"State", true},
                                                {"Start", true},
                                                {"End", true},
                                                {"ElapsedRaw", true},
                                                {"NNodes", true},
                                                {"NTasks", true},
                                                {"AllocCPUS", true},
                                                {"ReqCPUS", true},
                                                {"TotalCPU", true},
                                                {"MaxRSS", true},
                                                {"AllocTRES", true}}};

// Steps that took less than this share of the job's time say nothing about it.
constexpr double kShortStep = 0.05;
constexpr std::size_t kNamedFaults = 5;

JobState state_of(std::string_view text) {
  if (text == "COMPLETED") return JobState::kCompleted;
  if (text == "PENDING") return JobState::kPending;
  if (text == "RUNNING" || text == "SUSPENDED") return JobState::kRunning;
  return JobState::kEndedOtherwise;
}

// An empty cell is 0. Nothing if it is no number.
std::optional<std::uint32_t> count_in(std::string_view text) {
  if (text.empty()) return 0;
  return number_in<std::uint32_t>(text);
}

std::string_view moved(std::string_view text, const char* from, const char* to) {
  return text.empty() ? text : std::string_view(to + (text.data() - from), text.size());
}

}  // namespace

DumpReader::DumpReader(std::string name, TakeJob take)
    : name_(std::move(name)), take_(std::move(take)) {}

void DumpReader::read(std::string_view piece) {
  while (!piece.empty()) {
    const auto* const end = static_cast<const char*>(std::memchr(piece.data(), '\n', piece.size()));
    if (end == nullptr) {
      rest_ += piece;
      return;
    }
    const std::string_view line = piece.substr(0, static_cast<std::size_t>(end - piece.data()));
    piece.remove_prefix(line.size() + 1);
    if (rest_.empty()) {
      read_line(line);
      continue;
    }
    rest_ += line;
    read_line(rest_);
    rest_.clear();
  }
}

void DumpReader::finish() {
  if (!rest_.empty()) read_line(rest_);
  rest_.clear();
  end_job();
  if (place_.empty())
    throw Error(fmt::format("{} is empty: expected what this prints: {}", name_, kSacctCommand));
}

void DumpReader::read_line(std::string_view line) {
  ++lines_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return;
  if (place_.empty()) return read_header(line);
  // Dumps that were put together have it again.
  if (line == header_) return;
  read_row(line);
}

void DumpReader::read_header(std::string_view line) {
  header_ = line;
  std::string missing;
  for (std::string_view rest = line;;) {
    const bool is_last = rest.find('|') == std::string_view::npos;
    const std::string_view name = operations::next_part(rest, '|');
    const auto* const known = std::find_if(kNames.begin(), kNames.end(),
                                           [&](const auto& column) { return column.name == name; });
    const std::size_t column = static_cast<std::size_t>(known - kNames.begin());
    const bool is_new = known != kNames.end() && !has_[column];
    place_.push_back(is_new ? static_cast<int>(column) : -1);
    if (is_new) {
      has_[column] = true;
      last_needed_ = place_.size() - 1;
    }
    if (is_last) break;
  }
  cells_in_line_ = place_.size();
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i].is_required && !has_[i])
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", kNames[i].name);
  if (!missing.empty())
    throw Error(fmt::format("{}: its first line does not name {}: expected what this prints: {}",
                            name_, missing, kSacctCommand));
}

void DumpReader::read_row(std::string_view line) {
  const auto marks = static_cast<std::size_t>(std::count(line.begin(), line.end(), '|'));
  if (marks + 1 != cells_in_line_) return report_broken(line);
  Cells cells;
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t i = 0; i <= last_needed_; ++i) {
    const void* const mark = std::memchr(at, '|', static_cast<std::size_t>(end - at));
    const char* const cell_end = mark == nullptr ? end : static_cast<const char*>(mark);
    if (place_[i] >= 0)
      cells[static_cast<std::size_t>(place_[i])] = {at, static_cast<std::size_t>(cell_end - at)};
    at = std::min(cell_end + 1, end);
  }
  const std::string_view id = cells[kJobId];
  const std::size_t dot = id.find('.');
  if (dot != std::string_view::npos) {
    if (!has_job_ || id.substr(0, dot) != job_id_ || cells[kCluster] != job_cluster_)
      ++faults_.stray_steps;
    else if (!read_step(cells, id.substr(dot + 1)))
      report_broken(line);
    return;
  }
  end_job();
  if (id.empty() || id.front() < '0' || id.front() > '9') return report_broken(line);
  job_line_ = line;
  for (std::string_view& cell : cells) cell = moved(cell, line.data(), job_line_.data());
  if (!read_job(cells)) return report_broken(line);
  has_job_ = true;
}

bool DumpReader::read_job(const Cells& cells) {
  job_ = {};
  program_node_seconds_ = 0;
  latest_end_.clear();
  const auto elapsed = number_in<std::uint64_t>(cells[kElapsedRaw]);
  const auto nodes = count_in(cells[kNodes]);
  const auto cpus = count_in(cells[kAllocatedCpus]);
  const auto requested = count_in(cells[kRequestedCpus]);
  if (!elapsed || !nodes || !cpus || !requested || cells[kState].empty()) return false;
  job_id_ = cells[kJobId];
  job_cluster_ = cells[kCluster];
  job_.cluster = cells[kCluster];
  job_.partition = cells[kPartition];
  job_.account = cells[kAccount];
  job_.user = cells[kUser];
  job_.name = cells[kJobName];
  job_.state = state_of(cells[kState]);
  job_.elapsed_s = static_cast<double>(*elapsed);
  job_.nodes = *nodes;
  job_.cpus = *cpus;
  job_.requested_cpus = *requested;
  const std::string_view tres = cells[kAllocatedTres];
  // Slurm counts memory in MiB.
  constexpr double kMebibyte = 1 << 20;
  job_.memory_bytes =
      operations::bytes_in(operations::resource_in(tres, "mem"), kMebibyte).value_or(0);
  job_.billing = static_cast<double>(
      number_in<std::uint64_t>(operations::resource_in(tres, "billing")).value_or(0));
  job_.has_gpus = operations::has_resource(tres, "gres/gpu");
  job_.is_component = job_id_.find('+') != std::string_view::npos;
  return true;
}

bool DumpReader::read_step(const Cells& cells, std::string_view step) {
  const auto elapsed = number_in<std::uint64_t>(cells[kElapsedRaw]);
  if (!elapsed) return false;
  const bool is_numbered = !step.empty() && step.front() >= '0' && step.front() <= '9';
  if (is_numbered) return read_numbered_step(cells, static_cast<double>(*elapsed));
  if (step == "batch")
    job_.script_bytes =
        std::max(job_.script_bytes, operations::bytes_in(cells[kMaxRss]).value_or(0));
  // One that was begun by hand is no different from a numbered one, but nobody knows what it did.
  if (step == "interactive") job_.steps.lacks_tasks = true;
  return true;
}

bool DumpReader::read_numbered_step(const Cells& cells, double elapsed) {
  const auto tasks = count_in(cells[kTasks]);
  const auto nodes = count_in(cells[kNodes]);
  if (!tasks || !nodes) return false;
  DumpedSteps& steps = job_.steps;
  ++steps.count;
  steps.elapsed_s += elapsed;
  // Times of one dump are written alike, and so compare as texts.
  if (cells[kStart] < latest_end_) steps.overlap = true;
  if (cells[kEnd] > latest_end_) latest_end_ = cells[kEnd];
  steps.tasks = std::max(steps.tasks, *tasks);
  steps.nodes = std::max(steps.nodes, *nodes);
  const double bytes = operations::bytes_in(cells[kMaxRss]).value_or(0);
  steps.task_bytes = std::max(steps.task_bytes, bytes);
  if (elapsed * *nodes > program_node_seconds_ || steps.count == 1) {
    program_node_seconds_ = elapsed * *nodes;
    program_ = cells[kJobName];
  }
  if (elapsed < kShortStep * job_.elapsed_s) return true;
  if (*tasks == 0 || *nodes == 0) steps.lacks_tasks = true;
  if (!(bytes > 0)) steps.lacks_memory = true;
  const double busy = operations::seconds_in(cells[kTotalCpu]).value_or(0);
  if (!(busy > 0)) steps.lacks_cpu_time = true;
  if (*tasks > 0 && elapsed > 0)
    steps.busy_cores = std::max(steps.busy_cores, busy / (*tasks * elapsed));
  return true;
}

void DumpReader::report_broken(std::string_view line) {
  ++faults_.broken_lines;
  job_.is_broken = true;
  if (faults_.first_broken.size() >= kNamedFaults) return;
  faults_.first_broken.push_back(fmt::format("{}, line {}: is no row of {} cells: \"{}\"", name_,
                                             lines_, cells_in_line_, shortened(line)));
}

void DumpReader::end_job() {
  if (!std::exchange(has_job_, false)) return;
  job_.steps.program = program_;
  if (job_.steps.count == 0) job_.steps.program = {};
  take_(job_);
}

}  // namespace huddle::study
