#include "spank_plugin/plugin/command_line.hpp"

#include <getopt.h>

#include <utility>

#include "spank_plugin/plugin/slurm_api.hpp"

namespace huddle {
namespace {

// The long name of an option that getopt_long() found; empty for one that it does not know.
// `index`: of a long one, else -1.
std::string name_of(const struct option* table, int found, int index) {
  if (index >= 0) return table[index].name;
  for (const struct option* each = table; each->name != nullptr; ++each)
    if (each->val == found) return each->name;
  return {};
}

}  // namespace

std::optional<CommandLine> read_command_line(std::vector<std::string> words) {
  // NOLINTBEGIN(concurrency-mt-unsafe): for one thread, as the header says
  const auto make = slurm_function<struct option* (*)(void*, char**)>("slurm_option_table_create");
  const auto destroy = slurm_function<void (*)(struct option*)>("slurm_option_table_destroy");
  void* const options = slurm_options();
  if (make == nullptr || destroy == nullptr || options == nullptr) return std::nullopt;
  std::erase(words, ":");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  char* letters = nullptr;  // Slurm's memory, of a process that ends soon
  struct option* const table = make(options, &letters);
  const int reports = std::exchange(opterr, 0);
  const int place = std::exchange(optind, 0);
  CommandLine line;
  const int count = static_cast<int>(words.size());
  int index = -1;
  for (int found = 0;
       (found = ::getopt_long(count, arguments.data(), letters, table, &index)) != -1; index = -1)
    line.options[name_of(table, found, index)] = optarg != nullptr ? optarg : "";
  for (int i = optind; i < count; ++i)
    line.program.emplace_back(arguments[static_cast<std::size_t>(i)]);
  optind = place;
  opterr = reports;
  destroy(table);
  return line;
  // NOLINTEND(concurrency-mt-unsafe)
}

}  // namespace huddle
