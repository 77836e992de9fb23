#include "profiles/recorder/run.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "profiles/formats/profile_encoding.hpp"
#include "profiles/recorder/booking.hpp"
#include "profiles/store/atomic_file.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

using std::chrono::system_clock;

// What rank 0 tells the others when the run begins.
struct Agreement {
  std::uint64_t job = 0;
  std::uint32_t step = 0;
  std::int32_t process = 0;
  std::int64_t started_ms = 0;
};

}  // namespace

Run::Run(Program program, Destination destination, Job job)
    : program_(std::move(program)),
      destination_(std::move(destination)),
      process_(::getpid()),
      rank_(static_cast<std::uint32_t>(channel_.rank())),
      ranks_(static_cast<std::uint32_t>(channel_.ranks())),
      library_(library_version()),
      first_thread_(threads_.claim()) {
  agree_on_identity(job);
  cpu_begin_ = process_cpu_time();
  begin_ = Moment::now();
}

void Run::agree_on_identity(Job job) {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(system_clock::now());
  Agreement agreement{job.id, job.step, process_, now.time_since_epoch().count()};
  channel_.share_from_root(&agreement, sizeof agreement);
  identity_.job = {agreement.job, agreement.step};
  identity_.process = agreement.process;
  identity_.started = system_clock::time_point(std::chrono::milliseconds(agreement.started_ms));
}

RankRecord Run::record() const {
  const Interval interval(begin_, Moment::now());
  const auto threads = threads_.counters();
  RankRecord record;
  record.rank.value = rank_;
  record.node = node_name();
  record.pus = PuSet::of_this_thread();
  record.run_time = interval.length();
  record.mpi_time =
      std::min(interval.lasted(first_thread_.counters.ticks_inside()), record.run_time);
  record.cpu_time = process_cpu_time() - cpu_begin_;
  record.peak_resident = peak_resident();
  record.sent = merged_messages(threads);
  record.collectives = merged_collectives(threads, interval, name_of_operation);
  return record;
}

Profile Run::description() const {
  Profile profile;
  profile.label = destination_.label();
  profile.user = current_user();
  profile.ranks = ranks_;
  profile.executable = program_.executable;
  profile.build_id = program_.build_id;
  profile.arguments = program_.arguments;
  profile.mpi_library = library_;
  profile.slurm_job_id = identity_.job.id;
  profile.slurm_step_id = identity_.job.step;
  profile.started_at =
      fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(system_clock::to_time_t(identity_.started)));
  profile.counters_absent_reason = "this version of the recorder reads no hardware counters";
  return profile;
}

std::filesystem::path Run::path(system_clock::time_point when) const {
  return destination_.path(current_user(), ranks_, identity_, when);
}

void Run::write_complete(bool kept) {
  const Encoding encoding = destination_.encoding(ranks_);
  const std::string own = piece(kept, encoding);
  if (rank_ == 0)
    write_all(own, encoding);
  else
    channel_.deliver(own);
}

std::string Run::piece(bool kept, Encoding encoding) const noexcept {
  try {
    if (kept) return encode_rank_record(record(), encoding);
  } catch (...) {
  }
  return {};
}

// What fails here must not keep the other ranks waiting: they are asked on, and refused.
void Run::write_all(const std::string& own, Encoding encoding) const {
  std::optional<AtomicFile> file;
  std::exception_ptr failure;
  const auto attempt = [&](const auto& action) {
    try {
      if (!failure) action();
    } catch (...) {
      failure = std::current_exception();
    }
    return failure == nullptr;
  };
  const auto add = [&](const std::string& piece) {
    if (piece.empty()) throw Error("no profile is written: a rank could not keep its counts");
    file->write(piece);
  };
  attempt([&] {
    file.emplace(path(system_clock::now()));
    file->write(encode_profile_head(description(), encoding));
    add(own);
  });
  channel_.collect([&](const std::string& piece) {
    return attempt([&] {
      file->write(rank_record_separator(encoding));
      add(piece);
    });
  });
  attempt([&] {
    file->write(encode_profile_tail(encoding));
    file->commit();
  });
  if (failure) std::rethrow_exception(failure);
}

void Run::write_cut_short(const std::string& reason) const {
  const std::filesystem::path target = path(identity_.started);
  std::error_code unknown;
  if (std::filesystem::exists(target, unknown)) return;
  const Encoding encoding = destination_.encoding(ranks_);
  Profile profile = description();
  profile.complete = false;
  profile.cut_short_reason = reason;
  AtomicFile file(target);
  file.write(encode_profile_head(profile, encoding));
  file.write(encode_rank_record(record(), encoding));
  file.write(encode_profile_tail(encoding));
  file.commit_if_absent();
}

bool Run::is_this_process() const {
  return ::getpid() == process_;
}

}  // namespace huddle::recorder
