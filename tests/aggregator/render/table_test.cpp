#include "aggregator/render/table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "aggregator/render/output_width.hpp"

namespace huddle {
namespace {

using render::Table;
constexpr Table::Align kLeft = Table::Align::kLeft;

// Asks for a width as long as it lives.
class Width {
 public:
  explicit Width(std::size_t columns) { render::set_output_width(columns); }
  ~Width() { render::set_output_width(0); }
  Width(const Width&) = delete;
  Width& operator=(const Width&) = delete;
};

Table calls() {
  Table table({{"MPI call", kLeft}, {"calls of all ranks"}, {"longest s"}, {"on rank"}});
  table.add({"neighbor_alltoall of a long name", "400", "1.8750", "3"});
  table.add({"isend", "800", "0.1000", "0"});
  return table;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);)
    widest = std::max(widest, render::width_of(line));
  return widest;
}

}  // namespace

TEST_CASE("a table that has room is as wide as it needs") {
  const Width width(200);
  CHECK(calls().text() ==
        "MPI call                          calls of all ranks  longest s  on rank\n"
        "neighbor_alltoall of a long name                 400     1.8750        3\n"
        "isend                                            800     0.1000        0\n");
}

TEST_CASE("titles are broken before texts are") {
  const Width width(62);
  CHECK(calls().text() ==
        "                                   calls of  longest    on\n"
        "MPI call                          all ranks        s  rank\n"
        "neighbor_alltoall of a long name        400   1.8750     3\n"
        "isend                                   800   0.1000     0\n");
}

TEST_CASE("texts are broken before columns go below") {
  const Width width(44);
  const std::string text = calls().text();
  CHECK(widest_line(text) <= 44);
  CHECK(text.find("\n\n") == std::string::npos);
  CHECK(text.find("\n  a long name") != std::string::npos);
}

TEST_CASE("columns that do not fit go below, beside the first one once more") {
  const Width width(40);
  Table table({{"rank"}, {"first figure"}, {"second figure"}, {"third figure"}});
  table.add({"0", "1111111111111111", "2222222222222222", "3333333333333333"});
  CHECK(table.text() ==
        "rank      first figure     second figure\n"
        "   0  1111111111111111  2222222222222222\n"
        "\n"
        "rank      third figure\n"
        "   0  3333333333333333\n");
}

TEST_CASE("characters of several bytes take one column, and those of East Asia two") {
  CHECK(render::width_of("kn\u00f6ten") == 6);
  CHECK(render::width_of("\u6f22\u5b57") == 4);
  CHECK(render::lines_of("kn\u00f6ten", 3, 0) == std::vector<std::string>{"kn\u00f6", "ten"});
}

TEST_CASE("words are broken behind a mark, but not behind those that they begin with") {
  CHECK(render::lines_of("see --nodes-per-job", 12) ==
        std::vector<std::string>{"see", "  --nodes-", "  per-job"});
  CHECK(render::lines_of("node/package/core", 13, 0) ==
        std::vector<std::string>{"node/package/", "core"});
}

}  // namespace huddle
