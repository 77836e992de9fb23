#include "commgraph/graph/metis_graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

constexpr std::uint64_t kMostFileBytes = std::uint64_t{8} << 30U;
constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

// The text as lines of words; comment lines are never seen.
class Scanner {
 public:
  Scanner(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  // False at the end of the text.
  bool next_line() {
    while (next_ < text_.size()) {
      begin_ = next_;
      end_ = std::min(text_.find('\n', begin_), text_.size());
      next_ = end_ + 1;
      at_ = begin_;
      ++line_;
      if (text_[begin_] != '%') return true;
    }
    begin_ = at_ = end_ = text_.size();
    ++line_;
    return false;
  }

  // False if the line has no further word. Then fail() blames the end of the line.
  bool next_word() {
    while (at_ < end_ && is_space(text_[at_])) ++at_;
    word_ = at_;
    while (at_ < end_ && !is_space(text_[at_])) ++at_;
    return at_ > word_;
  }

  [[nodiscard]] std::string_view word() const { return text_.substr(word_, at_ - word_); }

  // The word as a number. `expected` continues "expected ...".
  [[nodiscard]] std::uint64_t number(std::uint64_t least, std::uint64_t most,
                                     std::string_view expected) const {
    std::uint64_t value = 0;
    const std::string_view digits = word();
    const auto [end, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failure != std::errc{} || end != digits.data() + digits.size() || value < least ||
        value > most)
      fail(expected);
    return value;
  }

  [[nodiscard]] std::uint64_t next_number(std::uint64_t least, std::uint64_t most,
                                          std::string_view expected) {
    if (!next_word()) fail(expected);
    return number(least, most, expected);
  }

  [[noreturn]] void fail(std::string_view expected) const { fail(found(), expected); }
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    throw FormatError(file_, fmt::format("line {}, column {}", line_, word_ - begin_ + 1), found,
                      expected);
  }
  // For what is wrong with the line as a whole.
  [[noreturn]] void fail_line(std::string_view expected) {
    at_ = word_ = begin_;
    if (next_word()) fail(expected);
    fail(begin_ < text_.size() ? "an empty line" : "the end of the file", expected);
  }

  [[nodiscard]] std::size_t size() const { return text_.size(); }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v'; }
  [[nodiscard]] std::string found() const {
    return word().empty() ? "the end of the line" : fmt::format("\"{}\"", shortened(word()));
  }

  std::string_view text_;
  std::string_view file_;
  std::size_t next_ = 0;   // where the next line begins
  std::size_t begin_ = 0;  // of this line
  std::size_t end_ = 0;
  std::size_t word_ = 0;
  std::size_t at_ = 0;  // behind the word
  std::size_t line_ = 0;
};

struct Header {
  std::uint32_t vertices = 0;
  std::uint64_t edges = 0;
  bool vertex_sizes = false;
  bool edge_weights = false;
  std::uint64_t weights_per_vertex = 0;
};

void read_flags(Scanner& scanner, Header& header) {
  constexpr std::string_view kExpected =
      "up to three digits 0 or 1 (vertex sizes, vertex weights, edge weights)";
  const std::string_view flags = scanner.word();
  if (flags.size() > 3 || flags.find_first_not_of("01") != std::string_view::npos)
    scanner.fail(kExpected);
  const auto digit = [&](std::size_t from_right) {
    return flags.size() > from_right && flags[flags.size() - 1 - from_right] == '1';
  };
  header.edge_weights = digit(0);
  header.weights_per_vertex = digit(1) ? 1 : 0;
  header.vertex_sizes = digit(2);
}

Header read_header(Scanner& scanner) {
  Header header;
  if (!scanner.next_line()) scanner.fail_line("the numbers of vertices and edges");
  // Every vertex needs a line, and so at least a byte.
  const std::uint64_t most =
      std::min<std::uint64_t>(std::numeric_limits<std::uint32_t>::max(), scanner.size());
  header.vertices = static_cast<std::uint32_t>(scanner.next_number(
      1, most, "the number of vertices, from 1 to as many as the file has lines"));
  header.edges = scanner.next_number(0, kAny, "the number of edges");
  if (scanner.next_word()) read_flags(scanner, header);
  if (!scanner.word().empty() && scanner.next_word()) {
    const bool weighted = header.weights_per_vertex > 0;
    header.weights_per_vertex =
        scanner.number(weighted ? 1 : 0, weighted ? kAny : 0,
                       weighted ? "the number of weights of a vertex, at least 1"
                                : "0, since the flags say that vertices have no weights");
    if (scanner.next_word()) scanner.fail("nothing behind the header's fourth number");
  }
  return header;
}

// The content of the vertices' lines, before it is known whether both ends of every edge agree.
struct Rows {
  std::vector<std::uint64_t> first{0};
  std::vector<Vertex> neighbours;
  std::vector<std::uint64_t> weights;
};

void skip_vertex_numbers(Scanner& scanner, const Header& header) {
  if (header.vertex_sizes)
    static_cast<void>(scanner.next_number(0, kAny, "the vertex's size, a whole number"));
  for (std::uint64_t i = 0; i < header.weights_per_vertex; ++i)
    static_cast<void>(scanner.next_number(0, kAny, "the vertex's weight, a whole number"));
}

Rows read_rows(Scanner& scanner, const Header& header) {
  Rows rows;
  std::vector<Vertex> last_listed_by(header.vertices, 0);  // 1-based; 0: nobody yet
  std::uint64_t total = 0;
  const std::string neighbour =
      fmt::format("the number of a neighbour, from 1 to {}", header.vertices);
  for (Vertex v = 1; v <= header.vertices && v != 0; ++v) {
    if (!scanner.next_line())
      scanner.fail_line(fmt::format("the line of vertex {} of {}", v, header.vertices));
    skip_vertex_numbers(scanner, header);
    while (scanner.next_word()) {
      const auto u = static_cast<Vertex>(scanner.number(1, header.vertices, neighbour));
      if (u == v) scanner.fail("a neighbour other than the vertex itself");
      if (last_listed_by[u - 1] == v) scanner.fail("each neighbour only once");
      last_listed_by[u - 1] = v;
      const std::uint64_t weight =
          header.edge_weights ? scanner.next_number(0, kAny, "the edge's weight, a whole number")
                              : 1;
      if (weight > kAny - total) scanner.fail("weights that sum to less than 2^64");
      total += weight;
      rows.neighbours.push_back(u - 1);
      rows.weights.push_back(weight);
    }
    rows.first.push_back(rows.neighbours.size());
  }
  while (scanner.next_line())
    if (scanner.next_word())
      scanner.fail(fmt::format("no line behind those of the {} vertices", header.vertices));
  return rows;
}

// Sorts each row by neighbour.
void sort_rows(Rows& rows) {
  std::vector<std::pair<Vertex, std::uint64_t>> row;
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) {
    const std::size_t begin = rows.first[v];
    const std::size_t end = rows.first[v + 1];
    row.clear();
    for (std::size_t i = begin; i < end; ++i) row.emplace_back(rows.neighbours[i], rows.weights[i]);
    std::sort(row.begin(), row.end());
    for (std::size_t i = begin; i < end; ++i) {
      rows.neighbours[i] = row[i - begin].first;
      rows.weights[i] = row[i - begin].second;
    }
  }
}

// Finds again where the file lists `neighbour` (0-based, as `vertex`), to blame that word.
[[noreturn]] void fail_at_neighbour(Scanner scanner, Vertex vertex, Vertex neighbour,
                                    std::string_view expected) {
  const Header header = read_header(scanner);
  for (Vertex v = 0; v <= vertex; ++v) scanner.next_line();
  skip_vertex_numbers(scanner, header);
  while (scanner.next_word()) {
    if (scanner.number(1, header.vertices, "a neighbour") == std::uint64_t{neighbour} + 1)
      scanner.fail(expected);
    if (header.edge_weights) scanner.next_word();
  }
  scanner.fail(expected);
}

std::vector<WeightedEdge> edges_agreed_on(const Rows& rows, const Scanner& text) {
  std::vector<WeightedEdge> edges;
  edges.reserve(rows.neighbours.size() / 2);
  const auto at = [](std::uint64_t i) { return static_cast<std::ptrdiff_t>(i); };
  for (Vertex v = 0; v + std::size_t{1} < rows.first.size(); ++v) {
    for (std::uint64_t i = rows.first[v]; i < rows.first[std::size_t{v} + 1]; ++i) {
      const Vertex u = rows.neighbours[i];
      const auto begin = rows.neighbours.begin() + at(rows.first[u]);
      const auto end = rows.neighbours.begin() + at(rows.first[std::size_t{u} + 1]);
      const auto back = std::lower_bound(begin, end, v);
      if (back == end || *back != v)
        fail_at_neighbour(
            text, v, u, fmt::format("a neighbour that lists vertex {} too", std::uint64_t{v} + 1));
      const std::uint64_t weight =
          rows.weights[static_cast<std::size_t>(back - rows.neighbours.begin())];
      if (weight != rows.weights[i])
        fail_at_neighbour(text, v, u,
                          fmt::format("an edge of weight {}, as vertex {} says (this line says {})",
                                      weight, std::uint64_t{u} + 1, rows.weights[i]));
      if (v < u) edges.push_back({v, u, weight});
    }
  }
  return edges;
}

}  // namespace

CommGraph parse_metis_graph(std::string_view text, std::string_view file) {
  const Scanner beginning(text, file);
  Scanner scanner = beginning;
  const Header header = read_header(scanner);
  Rows rows = read_rows(scanner, header);
  sort_rows(rows);
  std::vector<WeightedEdge> edges = edges_agreed_on(rows, beginning);
  if (edges.size() != header.edges) {
    Scanner again = beginning;
    again.next_line();
    again.next_word();
    again.next_word();
    again.fail(fmt::format("{} edges, as many as the vertices' lines list", edges.size()));
  }
  rows = {};
  return {header.vertices, std::move(edges)};
}

CommGraph load_metis_graph(const std::filesystem::path& path) {
  return parse_metis_graph(files::read_file(path, kMostFileBytes), path.string());
}

}  // namespace huddle::commgraph
