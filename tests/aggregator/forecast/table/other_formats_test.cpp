#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/aggregator/forecast/table/read_rows.hpp"

using namespace huddle;
using namespace std::string_view_literals;

namespace {

// What the error calls a file that begins so; empty if it is read.
std::string found_in(std::string_view begin) {
  MeasurementReading reading;
  try {
    parse_measurements(begin, "rows.csv", {}, reading);
    return {};
  } catch (const std::exception& error) {
    const std::string text = error.what();
    const std::size_t found = text.find("found ") + 6;
    return text.substr(found, text.find(", expected") - found);
  }
}

std::string tar_with(std::string_view first) {
  std::string tar(1024, '\0');
  std::copy(first.begin(), first.end(), tar.begin());
  tar.replace(257, 5, "ustar");
  return tar;
}

}  // namespace

TEST_CASE("files of profilers are named, and what makes rows of them") {
  CHECK(found_in(tar_with("anchor.xml")) == "a profile of Cube (.cubex)");
  CHECK(found_in(tar_with("rows.csv")) == "an archive (tar), as .cubex files are");
  CHECK(found_in("<?xml version=\"1.0\"?>\n<cube version=\"3.0\">") == "a profile of Cube (XML)");
  CHECK(found_in("12 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n"
                 "\"main\" 1 0 5 5 0 GROUP=\"TAU\"\n") == "a profile of TAU, of a single thread");
  CHECK(found_in("<profile_xml>\n<thread id=\"0.0.0.0\"/>") == "a profile of TAU (XML)");
  CHECK(found_in("__rec=node,id=12,attr=10,data=64,parent=3\n") == "records of Caliper (.cali)");
  CHECK(found_in("\x03\x42OTF2\0\x03\x02"sv) == "a trace (OTF2)");
  CHECK(found_in("\x03\x42\x01\0\0\0"sv) == "a part of a trace (OTF2)");
  CHECK(found_in("PERFILE2\0\0"sv) == "samples of perf");
  CHECK(found_in("STRUCT,Info,3,\nCPU name:,a,,\nTABLE,Group 1 Raw,MEM,2\n")
            .starts_with("tables of likwid-perfctr"));
  CHECK(error_of("STRUCT,Info,3,\n").find("a script makes one") != std::string::npos);
}

TEST_CASE("tables of likwid are named in each of their forms") {
  CHECK(found_in("TABLE,Region solve,Group 1 Raw,MEM,2\n").starts_with("tables of likwid-perfctr"));
  CHECK(error_of("TABLE,Group 1 Raw,MEM,2\n").find("Runtime (RDTSC) [s] STAT") !=
        std::string::npos);
  CHECK(
      found_in("----------------------------\nCPU name:\tIntel(R) Xeon(R)\nCPU type:\tIcelake\n") ==
      "output of likwid-perfctr for people");
  CHECK(error_of("----------------------------\nCPU name:\tIntel(R) Xeon(R)\n")
            .find("likwid-perfctr -O") != std::string::npos);
}

TEST_CASE("measurements of Extra-P are named, and what a row of them is") {
  for (const char* begin :
       {"PARAMETER p\nPOINTS 20 30 40\nMETRIC time\nREGION main\nDATA 8.2 8.3\nDATA 9\nDATA 10\n",
        "# from a workshop\nPARAMETER p size\nPOINTS (1 10) (2 10)\nREGION main->solve\nDATA "
        "1\n"}) {
    CHECK(found_in(begin) == "measurements of Extra-P (text)");
    CHECK(error_of(begin).find("a column for each PARAMETER") != std::string::npos);
  }
  CHECK(found_in("{\"params\":{\"p\":4},\"metric\":\"time\",\"value\":2.5}\n") ==
        "measurements of Extra-P (JSON lines)");
}

TEST_CASE("documents in JSON are named, and Huddle's own profiles by what collects them") {
  CHECK(found_in("[{\"frame\": {\"name\": \"main\"}, \"metrics\": {\"time\": 1}}]") == "JSON");
  CHECK(found_in("{\n \"data\": [[1, 2]], \"columns\": [\"time\"]}") == "JSON");
  CHECK(error_of("{\n \"format\": \"huddle/profile\",\n \"version\": 1}") ==
        "rows.csv: line 1: found a profile of Huddle, expected rows: huddle forecast collect "
        "FILE... -o rows.csv makes them of profiles");
  CHECK(found_in("{\"format\": \"huddle/machine\"}") == "a document of Huddle");
  CHECK(found_in("{\"format\": \"huddle/") == "a document of Huddle");
}

TEST_CASE("archives, databases and pages are named") {
  CHECK(found_in("\x1f\x8b\x08\x01") == "a compressed file (gzip)");
  CHECK(found_in("\xfd\x37zXZ\0"sv) == "a compressed file (xz)");
  CHECK(found_in("\x28\xb5\x2f\xfd\x01") == "a compressed file (zstd)");
  CHECK(found_in("BZh91AY&SY\x01") == "a compressed file (bzip2)");
  CHECK(found_in("PK\x03\x04") == "an archive or a spreadsheet (zip, xlsx, ods)");
  CHECK(found_in("SQLite format 3\0\x10"sv) == "a database (SQLite)");
  CHECK(found_in("\x89HDF\r\n\x1a\n") == "a file of HDF5");
  CHECK(found_in("PAR1\x15\x04") == "a file of Parquet");
  CHECK(found_in("\xef\xbb\xbf\n<!DOCTYPE html>\n<html>") == "a page for a browser (HTML)");
  CHECK(found_in("<HTML>") == "a page for a browser (HTML)");
  CHECK(found_in("<?xml version=\"1.0\"?>\n<a/>") == "XML");
}

TEST_CASE("headers that look a little like these are headers") {
  for (const char* header :
       {"PAR1,time_s", "BZh,time_s", "[s],time_s", "{n},time_s", "TABLE,time_s", "STRUCT,time_s",
        "PARAMETER ,time_s", "--------,time_s", "12 templates,time_s", "PERF,time_s"})
    CHECK_MESSAGE(found_in(std::string(header) + "\n1,2\n").empty(), header);
}
