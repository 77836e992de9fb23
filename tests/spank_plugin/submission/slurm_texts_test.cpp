#include "spank_plugin/submission/asked/slurm_texts.hpp"

#include <doctest/doctest.h>

namespace huddle::submission {
namespace {

TEST_CASE("an amount of memory is in MiB unless a unit follows") {
  CHECK(parse_memory("1") == Bytes{1U << 20U});
  CHECK(parse_memory("3K") == Bytes{3U << 10U});
  CHECK(parse_memory("3M") == Bytes{3U << 20U});
  CHECK(parse_memory("2g") == Bytes{std::uint64_t{2} << 30U});
  CHECK(parse_memory("2GB") == Bytes{std::uint64_t{2} << 30U});
  CHECK(parse_memory("1T") == Bytes{std::uint64_t{1} << 40U});
  CHECK(parse_memory("512M?") == Bytes{std::uint64_t{512} << 20U});
}

TEST_CASE("all of a node's memory is no amount, nor is what Slurm would not take") {
  for (const char* text : {"", "0", "0?", "0M", "M", "-1", "1X", "1.5G", "1 G", "1GX",
                           "99999999999999999999", "17179869184T"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_memory(text).has_value());
  }
}

TEST_CASE("a time limit is in minutes, or has colons, and days in front") {
  CHECK(parse_time_limit("5") == Seconds{300});
  CHECK(parse_time_limit("5:30") == Seconds{330});
  CHECK(parse_time_limit("1:05:30") == Seconds{3930});
  CHECK(parse_time_limit("00:01:00") == Seconds{60});
  CHECK(parse_time_limit("2-3") == Seconds{2 * 86400 + 3 * 3600});
  CHECK(parse_time_limit("2-3:04") == Seconds{2 * 86400 + 3 * 3600 + 4 * 60});
  CHECK(parse_time_limit("1-00:00:01") == Seconds{86401});
}

TEST_CASE("no limit is none, and so is what Slurm would not take") {
  for (const char* text : {"", "UNLIMITED", "INVALID", "1:", ":1", "1-", "-1", "1:2:3:4", "a"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_time_limit(text).has_value());
  }
}

TEST_CASE("tasks by node are numbers, repeated where nodes are alike") {
  using Tasks = std::vector<std::uint32_t>;
  CHECK(parse_tasks_per_node("4") == Tasks{4});
  CHECK(parse_tasks_per_node("5,1(x3)") == Tasks{5, 1, 1, 1});
  CHECK(parse_tasks_per_node("2(x2),3") == Tasks{2, 2, 3});
  for (const char* text :
       {"", "a", "1,", "1(x", "1(x2", "1(x2)3", "1(2)", "1(x9999999)", "-1", "4294967296"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_tasks_per_node(text).has_value());
  }
}

TEST_CASE("--tres-per-task may specify what a task gets, in the form of two versions of Slurm") {
  CHECK(parse_tres_per_task("cpu=8").cpus == 8U);
  CHECK(parse_tres_per_task("cpu:8").cpus == 8U);
  CHECK(parse_tres_per_task("license/x=1,cpu=8").cpus == 8U);
  CHECK_FALSE(parse_tres_per_task("license/x=1,cpu=8").has_devices);
  CHECK(parse_tres_per_task("cpu=2,gres/gpu:a100=1").has_devices);
  CHECK_FALSE(parse_tres_per_task("gres/gpu=1").cpus.has_value());
  for (const char* text : {"", "cpu", "cpu=", "cpu=0", "cpu=x", "cpu=1x", "cpu=4294967296", ","}) {
    CAPTURE(text);
    CHECK_FALSE(parse_tres_per_task(text).cpus.has_value());
  }
}

TEST_CASE("tasks by node are written as they are read") {
  CHECK(text_of_tasks_per_node({5, 1, 1, 1}) == "5,1(x3)");
  CHECK(text_of_tasks_per_node({4, 4}) == "4(x2)");
  CHECK(text_of_tasks_per_node({}).empty());
  const std::vector<std::uint32_t> tasks = {3, 3, 0, 2, 2, 2, 7};
  CHECK(parse_tasks_per_node(text_of_tasks_per_node(tasks)) == tasks);
}

TEST_CASE("the members of an array are counted as --array names them") {
  CHECK(parse_array_size("7") == 1U);
  CHECK(parse_array_size("0-2") == 3U);
  CHECK(parse_array_size("3,5%2") == 2U);
  CHECK(parse_array_size("1-1000%4") == 1000U);
  CHECK(parse_array_size("1-1000:2,2000") == 501U);
  for (const char* text : {"", "%4", "x", "1-", "5-1", "1-9:0", "1-9:", "1 ", "0-4294967295,7"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_array_size(text).has_value());
  }
}

TEST_CASE("--tres-per-task without CPUs keeps the rest of its text") {
  CHECK(tres_without_cpus("cpu=8").empty());
  CHECK(tres_without_cpus("cpu:8").empty());
  CHECK(tres_without_cpus("").empty());
  CHECK(tres_without_cpus("license/x=1,cpu=8,gres/gpu=1") == "license/x=1,gres/gpu=1");
}

}  // namespace
}  // namespace huddle::submission
