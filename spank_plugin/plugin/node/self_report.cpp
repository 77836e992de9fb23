#include "spank_plugin/plugin/node/self_report.hpp"
#include "profiles/vocabulary/environment.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <slurm/slurm_version.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "profiles/vocabulary/plugin_mark.hpp"
#include "spank_plugin/plugin/spank_api.hpp"
#include "spank_plugin/submission/asked/settings.hpp"

namespace huddle::plugin {
namespace {

// "@(#)spank_huddle 0.1.0 for Slurm 22.05.8", put together while compiling so that it stands in the
// file as it is.
constexpr auto make_mark() {
  constexpr unsigned kNumber = SLURM_VERSION_NUMBER;
  constexpr std::array<unsigned, 3> kParts = {
      SLURM_VERSION_MAJOR(kNumber), SLURM_VERSION_MINOR(kNumber), SLURM_VERSION_MICRO(kNumber)};
  std::array<char, 128> text{};
  std::size_t size = 0;
  const auto add = [&](std::string_view part) {
    for (const char c : part) text[size++] = c;
  };
  add(kPluginMark);
  add(HUDDLE_VERSION);
  add(kPluginMarkSlurm);
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (i > 0) add(".");
    // Slurm's own form has two digits in the minor version, "22.05.8".
    if (kParts[i] >= 10 || i == 1) text[size++] = static_cast<char>('0' + kParts[i] / 10);
    text[size++] = static_cast<char>('0' + kParts[i] % 10);
  }
  return text;
}

// Not const: the running plugin reports what its file holds.
[[gnu::used]] constinit std::array<char, 128> mark = make_mark();

// Takes the two versions from the mark.
std::pair<std::string, std::string> versions() {
  const std::string_view text = std::string_view(mark.data()).substr(kPluginMark.size());
  const std::size_t middle = std::min(text.find(kPluginMarkSlurm), text.size());
  return {std::string(text.substr(0, middle)),
          std::string(text.substr(std::min(middle + kPluginMarkSlurm.size(), text.size())))};
}

std::string this_file() {
  Dl_info info{};
  return ::dladdr(mark.data(), &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

std::string running_in(spank_t spank) {
  char* version = nullptr;
  return spank_get_item(spank, S_SLURM_VERSION, &version) == ESPANK_SUCCESS && version != nullptr
             ? version
             : "";
}

}  // namespace

void report_to_doctor(spank_t spank, int argc, char** argv) {
  const TaskEnvironment environment(spank);
  if (environment.get(kSelfReportVariable) != kWhichPlugin) return;
  const submission::Settings settings(argc, argv);
  const auto [version, built_for] = versions();
  environment.set(kSelfReportVariable,
                  fmt::format("version={}\nbuilt_for={}\nrunning_in={}\nfile={}\npolicy={}\n",
                              version, built_for, running_in(spank), this_file(),
                              settings.named_policy_file().string()));
}

}  // namespace huddle::plugin
