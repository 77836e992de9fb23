#include "commgraph/graph/metis_graph_file.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

CommGraph parse(std::string_view text) {
  return parse_metis_graph(text, "g.graph");
}

// The error's text; "no error" if there was none.
std::string error_of(std::string_view text) {
  try {
    parse(text);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no error";
}

bool starts_with(const std::string& text, std::string_view beginning) {
  if (text.starts_with(beginning)) return true;
  MESSAGE(text);
  return false;
}

TEST_CASE("a plain graph has edges of weight 1") {
  const CommGraph graph = parse("3 2\n2\n1 3\n2\n");
  CHECK(graph.vertices() == 3);
  CHECK(graph.edges() == 2);
  CHECK(graph.view().weights_of(1)[0] == 1);
}

TEST_CASE("edge weights are read under every spelling of the flags") {
  for (const char* header : {"2 1 1", "2 1 01", "2 1 001", "2 1 001 0"}) {
    CAPTURE(header);
    CHECK(parse(std::string(header) + "\n2 7\n1 7\n").total_weight() == 7);
  }
}

TEST_CASE("vertex weights and sizes are read and change nothing") {
  CHECK(parse("2 1 10\n5 2\n6 1\n").total_weight() == 1);
  CHECK(parse("2 1 11 2\n5 5 2 9\n6 6 1 9\n").total_weight() == 9);
  CHECK(parse("2 1 100\n5 2\n6 1\n").total_weight() == 1);
  CHECK(parse("2 1 111 3\n5 1 2 3 2 4\n6 1 2 3 1 4\n").total_weight() == 4);
}

TEST_CASE("comments, tabs, carriage returns, blank lines and a missing last newline are fine") {
  const CommGraph graph =
      parse("% made by hand\r\n 4\t2 001\r\n% rows\r\n2 3\r\n1 3\t4 1\r\n\r\n2 1");
  CHECK(graph.vertices() == 4);
  CHECK(graph.total_weight() == 4);
  CHECK(parse("2 0\n\n\n\n% end\n").edges() == 0);
}

TEST_CASE("an edge of weight 0 is accepted, counted and dropped") {
  CHECK(parse("2 1 1\n2 0\n1 0\n").edges() == 0);
}

TEST_CASE("each error names the file, its line and column, what is there and what should be") {
  CHECK(error_of("2 1\n2\nx\n") ==
        "g.graph: line 3, column 1: found \"x\", expected the number of a neighbour, from 1 to 2");
}

TEST_CASE("a malformed header is found where it is") {
  CHECK(starts_with(error_of(""), "g.graph: line 1, column 1: found the end of the file"));
  CHECK(starts_with(error_of("%only\n"), "g.graph: line 2, column 1: found the end of the file"));
  CHECK(starts_with(error_of("2\n"), "g.graph: line 1, column 2: found the end of the line"));
  CHECK(starts_with(error_of("0 0\n"), "g.graph: line 1, column 1: found \"0\""));
  CHECK(starts_with(error_of("-2 1\n2\n1\n"), "g.graph: line 1, column 1: found \"-2\""));
  CHECK(starts_with(error_of("2 1 2\n2\n1\n"), "g.graph: line 1, column 5: found \"2\""));
  CHECK(starts_with(error_of("2 1 0001\n2\n1\n"), "g.graph: line 1, column 5: found \"0001\""));
  CHECK(starts_with(error_of("2 1 1 2\n2 1\n1 1\n"), "g.graph: line 1, column 7: found \"2\""));
  CHECK(starts_with(error_of("2 1 10 0\n1 2\n1 1\n"), "g.graph: line 1, column 8: found \"0\""));
  CHECK(starts_with(error_of("2 1 10 1 4\n1 2\n1 1\n"), "g.graph: line 1, column 10: found \"4\""));
}

TEST_CASE("counts that are not the file's are found") {
  CHECK(
      starts_with(error_of("3 1\n2\n1\n"), "g.graph: line 4, column 1: found the end of the file"));
  CHECK(starts_with(error_of("2 1\n2\n1\n\n1\n"), "g.graph: line 5, column 1: found \"1\""));
  CHECK(error_of("2 5\n2\n1\n") ==
        "g.graph: line 1, column 3: found \"5\", expected 1 edges, as many as the vertices' lines "
        "list");
}

TEST_CASE("a hostile header costs no memory") {
  CHECK(starts_with(error_of("4294967295 1\n2\n1\n"), "g.graph: line 1, column 1"));
  CHECK(starts_with(error_of("99999999999999999999 1\n"), "g.graph: line 1, column 1"));
  CHECK(starts_with(error_of("2 18446744073709551615\n2\n1\n"), "g.graph: line 1, column 3"));
  CHECK(starts_with(error_of("2 1 10 18446744073709551615\n1 2\n1 1\n"),
                    "g.graph: line 2, column 4: found the end of the line"));
}

TEST_CASE("malformed rows are found where they are") {
  CHECK(starts_with(error_of("2 1\n2\n1 1\n"), "g.graph: line 3, column 3: found \"1\""));
  CHECK(starts_with(error_of("2 1\n1\n1\n"), "g.graph: line 2, column 1: found \"1\""));
  CHECK(starts_with(error_of("2 1\n3\n1\n"), "g.graph: line 2, column 1: found \"3\""));
  CHECK(starts_with(error_of("2 1\n0\n1\n"), "g.graph: line 2, column 1: found \"0\""));
  CHECK(
      starts_with(error_of("2 1 1\n2\n1 1\n"), "g.graph: line 2, column 2: found the end of the"));
  CHECK(starts_with(error_of("2 1 1\n2 1.5\n1 1.5\n"), "g.graph: line 2, column 3: found \"1.5\""));
  CHECK(starts_with(error_of("2 1 1\n2 -1\n1 -1\n"), "g.graph: line 2, column 3: found \"-1\""));
  CHECK(starts_with(error_of("2 1 1\n2 99999999999999999999\n1 1\n"), "g.graph: line 2, column 3"));
  CHECK(
      starts_with(error_of("2 1 100\n\n1 1\n"), "g.graph: line 2, column 1: found the end of the"));
}

TEST_CASE("an edge that only one end knows, or that the ends weigh differently, is found") {
  CHECK(error_of("3 2\n2 3\n1\n\n") ==
        "g.graph: line 2, column 3: found \"3\", expected a neighbour that lists vertex 1 too");
  CHECK(error_of("%\n2 1 1\n2 5\n1 6\n") ==
        "g.graph: line 3, column 1: found \"2\", expected an edge of weight 6, as vertex 2 says "
        "(this line says 5)");
}

TEST_CASE("weights that overflow are found where they do") {
  CHECK(starts_with(error_of("3 2 1\n2 18446744073709551615\n1 18446744073709551615\n\n"),
                    "g.graph: line 3, column 3: found \"18446744073709551615\""));
}

TEST_CASE("a file is read from disk and named in errors; a missing one is a system error") {
  const auto path = std::filesystem::temp_directory_path() / "huddle_metis_graph_file_test.graph";
  std::ofstream(path) << "2 1\n2\n1\n";
  CHECK(load_metis_graph(path).edges() == 1);
  std::ofstream(path) << "2 1\n2\n";
  CHECK_THROWS_WITH_AS(load_metis_graph(path), doctest::Contains(path.c_str()), FormatError);
  std::filesystem::remove(path);
  CHECK_THROWS_AS(load_metis_graph(path), SystemError);
}

}  // namespace
}  // namespace huddle::commgraph
