#include "aggregator/study/dump_reader.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/study/dump_rows.hpp"

namespace huddle::study {
namespace {

struct Read {
  std::vector<std::string> ids;
  std::vector<DumpedJob> jobs;
  std::vector<std::string> programs;
  DumpFaults faults;
};

// Takes the text in pieces of that size.
Read read_text(const std::string& text, std::size_t piece = 1 << 20) {
  Read read;
  DumpReader reader("jobs.txt", [&](const DumpedJob& job) {
    read.programs.emplace_back(job.steps.program);
    read.ids.emplace_back(std::string(job.user) + "/" + std::string(job.name));
    read.jobs.push_back(job);
  });
  for (std::size_t at = 0; at < text.size(); at += piece)
    reader.read(std::string_view(text).substr(at, piece));
  reader.finish();
  read.faults = reader.faults();
  return read;
}

std::string error_of(const std::string& text) {
  try {
    read_text(text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("a job is read with its steps, wherever the pieces of the text end") {
  const std::string text = kHeader + JobRows().text() + JobRows{.id = "18", .user = "bob"}.text();
  for (const std::size_t piece : {1UL, 7UL, 100000UL}) {
    const Read read = read_text(text, piece);
    REQUIRE(read.jobs.size() == 2);
    CHECK(read.ids == std::vector<std::string>{"ann/run_17", "bob/run_17"});
    CHECK(read.programs == std::vector<std::string>{"halo", "halo"});
    const DumpedJob& job = read.jobs[0];
    CHECK(job.state == JobState::kCompleted);
    CHECK(job.elapsed_s == 3600);
    CHECK(job.nodes == 4);
    CHECK(job.cpus == 192);
    CHECK(job.requested_cpus == 16);
    CHECK(job.memory_bytes == 720.0 * (1 << 30));
    CHECK(job.billing == 192);
    CHECK(job.script_bytes == 2000 * 1024);
    CHECK(job.steps.count == 1);
    CHECK(job.steps.tasks == 16);
    CHECK(job.steps.task_bytes == 1 << 30);
    CHECK(job.steps.busy_cores == doctest::Approx(0.95));
    CHECK(read.faults.broken_lines == 0);
  }
}

TEST_CASE("columns may be in any order and beside others, and rows may end in a bar or CR LF") {
  const Read read = read_text(
      "User|Comment|JobName|MaxRSS|TotalCPU|ReqCPUS|AllocCPUS|NTasks|NNodes|ElapsedRaw|End|Start|"
      "State|Account|Partition|AllocTRES|JobID|\r\n"
      "ann|said|x|||8|8||1|60|2|1|COMPLETED|a|p|cpu=8|5_3|\r\n"
      "|||500M|00:30|8|8|1|1|60|2|1|COMPLETED|a||cpu=8|5_3.0|\r\n");
  REQUIRE(read.jobs.size() == 1);
  CHECK(read.jobs[0].steps.task_bytes == 500.0 * (1 << 20));
  CHECK(read.jobs[0].cpus == 8);
}

TEST_CASE("a dump that lacks a column, or all of them, names the command to use") {
  const std::string without = error_of("JobID|Partition|Account|User|JobName|State|Start|End\n");
  CHECK(without.find("jobs.txt: its first line does not name ElapsedRaw, NNodes, NTasks,") == 0);
  CHECK(without.find(kSacctCommand) != std::string::npos);
  CHECK(error_of("1|batch|COMPLETED\n").find(kSacctCommand) != std::string::npos);
  CHECK(error_of("").find("jobs.txt is empty: expected what this prints: sacct ") == 0);
}

TEST_CASE("a broken line is named by its number, and its job is not taken for whole") {
  const std::string job = JobRows().text();
  const Read read = read_text(kHeader + job + "18|site|batch|a job with | in its name\n" +
                              JobRows{.id = "19"}.text());
  REQUIRE(read.jobs.size() == 2);
  CHECK(read.jobs[0].is_broken);
  CHECK_FALSE(read.jobs[1].is_broken);
  CHECK(read.faults.broken_lines == 1);
  CHECK(read.faults.first_broken ==
        std::vector<std::string>{"jobs.txt, line 5: is no row of 17 cells: \"18|site|batch|a job "
                                 "with | in its name\""});
  std::string many = kHeader;
  for (int i = 0; i < 1000; ++i) many += "x\n";
  CHECK(read_text(many).faults.broken_lines == 1000);
  CHECK(read_text(many).faults.first_broken.size() == 5);
}

TEST_CASE("numbers that can't be read break their line") {
  std::string text = JobRows().text();
  text.replace(text.find("|3600|"), 6, "|many|");
  const Read read = read_text(kHeader + text);
  CHECK(read.jobs.empty());
  CHECK(read.faults.broken_lines == 1);
  CHECK(read.faults.stray_steps == 2);
}

TEST_CASE("steps that do not follow their job are counted, and are nobody's") {
  const JobRows other{.id = "99"};
  const Read read = read_text(kHeader + JobRows().text() + other.step("0", "1", "2", 3600) +
                              JobRows{.id = "17", .cluster = "b"}.step("1", "1", "2", 3600));
  REQUIRE(read.jobs.size() == 1);
  CHECK(read.jobs[0].steps.count == 1);
  CHECK(read.faults.stray_steps == 2);
}

TEST_CASE("dumps that were put together have their first line several times") {
  const Read read = read_text(kHeader + JobRows().text() + kHeader + JobRows{.id = "18"}.text());
  CHECK(read.jobs.size() == 2);
  CHECK(read.faults.broken_lines == 0);
}

TEST_CASE("states, arrays, heterogeneous and requeued jobs are told apart") {
  const auto job_of = [](const JobRows& rows) {
    return read_text(kHeader + rows.text()).jobs.at(0);
  };
  CHECK(job_of({.state = "CANCELLED by 1000"}).state == JobState::kEndedOtherwise);
  CHECK(job_of({.state = "REQUEUED"}).state == JobState::kEndedOtherwise);
  CHECK(job_of({.state = "PENDING"}).state == JobState::kPending);
  CHECK(job_of({.state = "RUNNING"}).state == JobState::kRunning);
  CHECK(job_of({.id = "17+1"}).is_component);
  CHECK_FALSE(job_of({.id = "17_4"}).is_component);
  CHECK(job_of({.id = "17_[5-9%2]", .with_step = false}).steps.count == 0);
  CHECK(job_of({.more_resources = ",gres/gpu=8,gres/gpu:a100=8"}).has_gpus);
}

TEST_CASE("steps one after the other are no steps beside each other") {
  JobRows rows{.with_step = false};
  const auto steps_of = [&](const std::string& start_of_second) {
    return read_text(kHeader + rows.text() +
                     rows.step("0", "2026-03-01T10:00:00", "2026-03-01T10:30:00", 1800) +
                     rows.step("1", start_of_second, "2026-03-01T11:00:00", 1800))
        .jobs.at(0)
        .steps;
  };
  CHECK_FALSE(steps_of("2026-03-01T10:30:00").overlap);
  CHECK(steps_of("2026-03-01T10:29:59").overlap);
  CHECK(steps_of("2026-03-01T10:30:00").elapsed_s == 3600);
}

TEST_CASE("a short step says nothing of a long job") {
  JobRows rows;
  const std::string first = rows.text();
  rows.program = "hostname";
  rows.task_memory = "";
  const DumpedSteps steps =
      read_text(kHeader + first + rows.step("1", "2026-03-01T11:00:00", "2026-03-01T11:00:01", 1))
          .jobs.at(0)
          .steps;
  CHECK_FALSE(steps.lacks_memory);
  CHECK(steps.count == 2);
}

}  // namespace
}  // namespace huddle::study
