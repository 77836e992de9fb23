#include "spank_plugin/plugin/client/command_line.hpp"

#include <getopt.h>

#include <utility>

#include "spank_plugin/plugin/client/slurm_api.hpp"

namespace huddle::plugin {
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
  const OptionTable table(slurm_options());
  if (table.entries() == nullptr) return std::nullopt;
  std::erase(words, ":");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int reports = std::exchange(opterr, 0);
  const int place = std::exchange(optind, 0);
  CommandLine line;
  const int count = static_cast<int>(words.size());
  int index = -1;
  for (int found = 0; (found = ::getopt_long(count, arguments.data(), table.letters(),
                                             table.entries(), &index)) != -1;
       index = -1)
    line.options[name_of(table.entries(), found, index)] = optarg != nullptr ? optarg : "";
  for (int i = optind; i < count; ++i)
    line.program.emplace_back(arguments[static_cast<std::size_t>(i)]);
  optind = place;
  opterr = reports;
  return line;
  // NOLINTEND(concurrency-mt-unsafe)
}

OptionTable::OptionTable(void* options)
    : destroy_(slurm_function<Destroy>("slurm_option_table_destroy")),
      free_(slurm_function<Free>("slurm_xfree")) {
  const auto make = slurm_function<struct option* (*)(void*, char**)>("slurm_option_table_create");
  if (make == nullptr || destroy_ == nullptr || free_ == nullptr || options == nullptr) return;
  entries_ = make(options, &letters_);
}

OptionTable::~OptionTable() {
  if (entries_ != nullptr) destroy_(entries_);
  void* memory = letters_;
  if (memory != nullptr) free_(&memory);
}

}  // namespace huddle::plugin
