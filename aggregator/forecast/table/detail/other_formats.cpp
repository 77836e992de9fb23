#include <algorithm>
#include <array>
#include <string>

#include "aggregator/forecast/table/detail/cells.hpp"
#include "aggregator/forecast/table/detail/csv_header.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kText = "a text file of rows, as CSV";
constexpr std::string_view kDecompress =
    "a text file of rows: decompress it, for instance zcat, xzcat or zstdcat FILE | huddle "
    "forecast "
    "-";
constexpr std::string_view kOfTrace =
    "rows of runs: huddle waitstates reads traces, profiles make rows (huddle forecast collect)";
constexpr std::string_view kWithPandas =
    "a text file of rows, as CSV: pandas writes one (read_json, read_hdf, read_parquet; to_csv)";
constexpr std::string_view kOfCube =
    "rows, as CSV: cube_dump -m all -c all -z excl -s csv2 FILE writes them";
constexpr std::string_view kOfLikwid =
    "a row for each run and region, with names of columns above: a script makes one of the times' "
    "maximum (\"Runtime (RDTSC) [s] STAT\", Max) and the energies' sum (\"Energy [J] STAT\", Sum), "
    "with the processes and threads of the run";
constexpr std::string_view kOfLikwidsText =
    "rows, as CSV: likwid-perfctr -O writes tables that a script can read; it makes a row of each "
    "run and region";
constexpr std::string_view kOfExtraP =
    "rows, as CSV: a column for each PARAMETER (size, processes, ...), one for the REGION, one for "
    "each METRIC (time_s, energy_j), and a row for each value of each DATA line, which belong to "
    "the POINTS in their order";
constexpr std::string_view kSave = "a text file of rows: unpack it, or save the table as CSV";
constexpr std::string_view kUtf8 = "UTF-8: iconv -f UTF-16 -t UTF-8 converts it";

// A file of that format begins with `begin`, behind blanks if that is text and in any case of
// letters, and has `within` in its first 4 KiB.
struct Format {
  std::string_view begin;
  std::string_view within;
  std::string_view found;
  std::string_view expected;
};

// The more special ones first.
constexpr auto kFormats = std::to_array<Format>({
    {"\x1f\x8b"sv, "", "a compressed file (gzip)", kDecompress},
    {"\xfd\x37zXZ"sv, "", "a compressed file (xz)", kDecompress},
    {"\x28\xb5\x2f\xfd"sv, "", "a compressed file (zstd)", kDecompress},
    {"BZh"sv, "1AY&SY"sv, "a compressed file (bzip2)", kDecompress},
    {"PK\x03\x04"sv, "", "an archive or a spreadsheet (zip, xlsx, ods)", kSave},
    {"\xff\xfe"sv, "", "UTF-16", kUtf8},
    {"\xfe\xff"sv, "", "UTF-16", kUtf8},
    {"SQLite format 3"sv, "\0"sv, "a database (SQLite)",
     "a text file of rows: sqlite3 -csv -header FILE 'SELECT ...' writes one"},
    {"\x89HDF\r\n"sv, "", "a file of HDF5", kWithPandas},
    {"PAR1\x15"sv, "", "a file of Parquet", kWithPandas},
    {"\x03"sv, "OTF2\0"sv, "a trace (OTF2)", kOfTrace},
    {"\x03\x42\x01\0"sv, "", "a part of a trace (OTF2)", kOfTrace},
    {"PERFILE2"sv, "", "samples of perf",
     "rows of runs: perf stat counts whole runs, a script makes a row of each"},
    {"__rec="sv, "", "records of Caliper (.cali)",
     "rows, as CSV: Hatchet (GraphFrame.from_caliper) or caliperreader give pandas' tables, which "
     "to_csv writes"},
    {"STRUCT,Info,"sv, "", "tables of likwid-perfctr, with a column for each hardware thread",
     kOfLikwid},
    {"TABLE,Region "sv, "", "tables of likwid-perfctr, with a column for each hardware thread",
     kOfLikwid},
    {"TABLE,Group "sv, "", "tables of likwid, with a column for each hardware thread", kOfLikwid},
    {"--------"sv, "\nCPU name:"sv, "output of likwid-perfctr for people", kOfLikwidsText},
    {"PARAMETER "sv, "POINTS "sv, "measurements of Extra-P (text)", kOfExtraP},
    {"#"sv, "\nPARAMETER "sv, "measurements of Extra-P (text)", kOfExtraP},
    {"{"sv, "\"params\":"sv, "measurements of Extra-P (JSON lines)",
     "rows, as CSV: pandas writes them (read_json with lines=True, json_normalize, explode; "
     "to_csv), a column for each of params"},
    {"anchor.xml"sv, "\0"sv, "a profile of Cube (.cubex)", kOfCube},
    {"", "\0ustar"sv, "an archive (tar), as .cubex files are", kOfCube},
    {"", "\0"sv, "binary data", kText},
    {"", " templated_functions"sv, "a profile of TAU, of a single thread",
     "a row for each run and region, as CSV: Hatchet (GraphFrame.from_tau) gives pandas' table of "
     "all threads, which to_csv writes"},
    {"<!doctype html"sv, "", "a page for a browser (HTML)", kSave},
    {"<html"sv, "", "a page for a browser (HTML)", kSave},
    {"<"sv, "<cube"sv, "a profile of Cube (XML)", kOfCube},
    {"<"sv, "<profile_xml"sv, "a profile of TAU (XML)", "a row for each run and region, as CSV"},
    {"<?xml"sv, "", "XML", kText},
    {"{"sv, "\"huddle/profile\""sv, "a profile of Huddle",
     "rows: huddle forecast collect FILE... -o rows.csv makes them of profiles"},
    {"{"sv, "\"huddle/"sv, "a document of Huddle", kText},
    {"{"sv, "\": "sv, "JSON", kWithPandas},
    {"[{\""sv, "", "JSON", kWithPandas},
    {"[["sv, "", "JSON", kWithPandas},
});

bool is_of(const Format& format, std::string_view bytes) {
  const std::size_t first = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  const auto begins = [&](std::size_t at) {
    return in_lower_case(bytes.substr(at, format.begin.size())) == in_lower_case(format.begin);
  };
  return (begins(0) || begins(first)) && bytes.find(format.within) != std::string_view::npos;
}

}  // namespace

void refuse_other_formats(std::string_view file, std::string_view begin) {
  const auto fail = [&](std::string_view found, std::string_view expected) {
    throw FormatError(file, "line 1", found, expected);
  };
  if (begin.empty()) fail("an empty file", "a header and rows");
  for (const Format& format : kFormats)
    if (is_of(format, begin.substr(0, 4096))) fail(format.found, format.expected);
  if (begin.find('\r') != std::string_view::npos && begin.find('\n') == std::string_view::npos)
    fail("lines that end in a carriage return alone",
         "ends as on Unix or Windows: tr '\\r' '\\n' converts them");
}

}  // namespace huddle
