#include "aggregator/forecast/table/other_formats.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "aggregator/forecast/table/column_names.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kText = "a text file of rows, as CSV";
constexpr std::string_view kOfTrace =
    "rows of runs: huddle waitstates reads traces, profiles make rows (huddle forecast collect)";
constexpr std::string_view kWithPandas =
    "a text file of rows, as CSV: pandas writes one (read_json, read_hdf, read_parquet; to_csv)";

struct Known {
  std::string_view begin;
  std::string_view found;
  std::string_view expected;
};

// By what files begin with, the more special ones first.
constexpr auto kKnown = std::to_array<Known>({
    {"\x1f\x8b"sv, "a compressed file (gzip)",
     "a text file of rows: decompress it, for instance zcat FILE | huddle forecast -"},
    {"\xfd\x37zXZ"sv, "a compressed file (xz)",
     "a text file of rows: decompress it, for instance xzcat FILE | huddle forecast -"},
    {"\x28\xb5\x2f\xfd"sv, "a compressed file (zstd)",
     "a text file of rows: decompress it, for instance zstdcat FILE | huddle forecast -"},
    {"\x04\x22\x4d\x18"sv, "a compressed file (lz4)",
     "a text file of rows: decompress it, for instance lz4cat FILE | huddle forecast -"},
    {"PK\x03\x04"sv, "an archive or a spreadsheet (zip, xlsx, ods)",
     "a text file of rows: unpack it, or save the table as CSV"},
    {"\xd0\xcf\x11\xe0"sv, "a spreadsheet (xls)", "a text file of rows: save the table as CSV"},
    {"\xff\xfe"sv, "UTF-16", "UTF-8: iconv -f UTF-16 -t UTF-8 converts it"},
    {"\xfe\xff"sv, "UTF-16", "UTF-8: iconv -f UTF-16 -t UTF-8 converts it"},
    {"SQLite format 3\0"sv, "a database (SQLite)",
     "a text file of rows: sqlite3 -csv -header FILE 'SELECT ...' writes one"},
    {"\x89HDF\r\n"sv, "a file of HDF5", kWithPandas},
    {"PAR1\x15"sv, "a file of Parquet", kWithPandas},
    {"ARROW1\0"sv, "a file of Arrow", kWithPandas},
    {"\x80\x04\x95"sv, "a pickle of Python", kWithPandas},
    {"\x80\x05\x95"sv, "a pickle of Python", kWithPandas},
    {"\x03\x42OTF2\0"sv, "a trace (OTF2)", kOfTrace},
    {"\x03\x4cOTF2\0"sv, "a trace (OTF2)", kOfTrace},
    {"\x03\x42\x01\0"sv, "a part of a trace (OTF2)", kOfTrace},
    {"PERFILE2"sv, "samples of perf",
     "rows of runs: perf stat counts whole runs, a script makes a row of each"},
    {"__rec="sv, "records of Caliper (.cali)",
     "rows, as CSV: Hatchet (GraphFrame.from_caliper) or caliperreader give pandas' tables, which "
     "to_csv writes"},
    {"STRUCT,Info,"sv, "tables of likwid-perfctr, with a column for each hardware thread",
     "a row for each run and region, with names of columns above: a script makes one of the times' "
     "maximum and the energies' sum (STAT)"},
    {"TABLE,Group "sv, "tables of likwid, with a column for each hardware thread",
     "a row for each run and region, with names of columns above: a script makes one of the times' "
     "maximum and the energies' sum (STAT)"},
});

// Behind blanks and UTF-8's mark.
std::string_view first_letters(std::string_view begin) {
  if (begin.starts_with("\xef\xbb\xbf")) begin.remove_prefix(3);
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view{} : begin.substr(first);
}

bool begins_with_word(std::string_view text, std::string_view word) {
  return equal_letters(text.substr(0, word.size()), word);
}

class Refusal {
 public:
  Refusal(std::string_view file, std::string_view begin) : file_(file), begin_(begin) {}

  void check() const {
    if (begin_.empty()) fail("an empty file", "a header and rows");
    for (const Known& known : kKnown)
      if (begin_.starts_with(known.begin)) fail(known.found, known.expected);
    if (begin_.starts_with("BZh") && begin_.substr(4).starts_with("1AY&SY"))
      fail("a compressed file (bzip2)",
           "a text file of rows: decompress it, for instance bzcat FILE | huddle forecast -");
    check_tar();
    if (begin_.substr(0, 4096).find('\0') != std::string_view::npos) fail("binary data", kText);
    check_tau();
    check_markup();
    check_json();
    if (begin_.find('\r') != std::string_view::npos && begin_.find('\n') == std::string_view::npos)
      fail("lines that end in a carriage return alone",
           "ends as on Unix or Windows: tr '\\r' '\\n' converts them");
  }

 private:
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    throw FormatError(file_, "line 1", found, expected);
  }

  bool holds(std::string_view text) const { return begin_.find(text) != std::string_view::npos; }

  void check_tar() const {
    if (begin_.size() < 262 || begin_.substr(257, 5) != "ustar") return;
    if (file_.ends_with(".cubex") || begin_.starts_with("anchor.xml"))
      fail("a profile of Cube (.cubex)",
           "rows, as CSV: cube_dump -m all -c all -z excl -s csv2 FILE writes them");
    fail("an archive (tar)", "a text file of rows: unpack it");
  }

  void check_tau() const {
    const std::size_t end = begin_.find_first_not_of("0123456789");
    if (end == 0 || end == std::string_view::npos ||
        !begin_.substr(end).starts_with(" templated_functions"))
      return;
    fail("a profile of TAU, of a single thread",
         "a row for each run and region, as CSV: Hatchet (GraphFrame.from_tau) gives pandas' table "
         "of all threads, which to_csv writes");
  }

  void check_markup() const {
    const std::string_view text = first_letters(begin_);
    if (begins_with_word(text, "<!doctype html") || begins_with_word(text, "<html"))
      fail("a page for a browser (HTML)", "a text file of rows, as CSV: save the table as one");
    if (!text.starts_with("<?xml") && !text.starts_with("<cube") &&
        !text.starts_with("<profile_xml"))
      return;
    if (holds("<cube"))
      fail("a profile of Cube (XML)",
           "rows, as CSV: cube_dump -m all -c all -z excl -s csv2 FILE writes them");
    if (holds("<profile_xml"))
      fail("a profile of TAU (XML)", "a row for each run and region, as CSV");
    fail("XML", kText);
  }

  // A header may begin with a bracket, too, but hardly as JSON goes on.
  void check_json() const {
    const std::string_view text = first_letters(begin_);
    if (!text.starts_with('{') && !text.starts_with('[')) return;
    const std::string_view inside = first_letters(text.substr(1));
    if (inside.empty() || "\"'{[}]"sv.find(inside.front()) == std::string_view::npos) return;
    const std::size_t format = text.find("\"huddle/");
    if (format == std::string_view::npos) fail("JSON", kWithPandas);
    const std::string_view name = text.substr(format + 1, text.find('"', format + 1) - format - 1);
    if (name == "huddle/profile")
      fail("a profile of Huddle",
           "rows: huddle forecast collect FILE... -o rows.csv makes them of profiles");
    fail(std::string("a document of Huddle (") + std::string(name) + ")", kText);
  }

  std::string_view file_;
  std::string_view begin_;
};

}  // namespace

void refuse_other_formats(std::string_view file, std::string_view begin) {
  Refusal(file, begin).check();
}

}  // namespace huddle
