#include "spank_plugin/plugin/client/private_symbols.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>

#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/plugin_mark.hpp"
#include "spank_plugin/plugin/spank_api.hpp"

namespace huddle::plugin {
namespace {

void* find(const char* name) {
  return ::dlsym(RTLD_DEFAULT, name);
}

}  // namespace

void* find_symbol(SymbolName name) {
  return find(name.text());
}

std::vector<std::string> missing_symbols(ClientProgram program) {
  std::vector<std::string> lines;
  for (const PrivateSymbol& symbol : kPrivateSymbols) {
    const bool of_batch = std::string_view(symbol.name) == "sbopt";
    if ((program == ClientProgram::kBatch || !of_batch) && find(symbol.name) == nullptr)
      lines.push_back(fmt::format("{}{}: {}", kMissingSymbolMark, symbol.name, symbol.without));
  }
  return lines;
}

ClientProgram this_program() {
  return std::string_view(program_invocation_short_name) == "sbatch" ? ClientProgram::kBatch
                                                                     : ClientProgram::kOther;
}

void report_missing_symbols(ClientProgram program) {
  const char* const asked =
      std::getenv(kSelfReportVariable);  // NOLINT(concurrency-mt-unsafe): one thread
  if (asked == nullptr || std::string_view(asked) != kWhichPlugin) return;
  for (const std::string& line : missing_symbols(program)) say(line);
}

}  // namespace huddle::plugin
