#include "spank_plugin/courier/courier_processes.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include "profiles/files/folder_names.hpp"
#include "profiles/files/kernel_file.hpp"
#include "profiles/processes/end_process.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::courier {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVerb = "carry";
constexpr const char* kFiles = "files";
constexpr const char* kEnergy = "energy";

std::string text_in_proc(std::uint32_t pid, const char* file) {
  std::array<char, 4096> text{};
  const long size = files::read_kernel_file(fmt::format("/proc/{}/{}", pid, file).c_str(),
                                            text.data(), text.size());
  return size <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
}

// Also where an update has put another file in its place since.
bool runs_program(std::uint32_t pid, const fs::path& program) {
  const fs::path link = fmt::format("/proc/{}/exe", pid);
  std::error_code failure;
  const fs::path target = fs::read_symlink(link, failure);
  if (failure || !target.filename().string().starts_with(program.filename().string())) return false;
  return target == program || target == program.string() + " (deleted)" ||
         fs::equivalent(link, program, failure);
}

std::optional<uid_t> user_of(std::uint32_t pid) {
  constexpr std::string_view kField = "\nUid:\t";
  const std::string status = text_in_proc(pid, "status");
  const auto field = status.find(kField);
  if (field == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(status).substr(field + kField.size());
  return number_in<uid_t>(take_until(rest, '\t'));
}

std::vector<std::string> words_of(std::uint32_t pid) {
  std::vector<std::string> words;
  const std::string line = text_in_proc(pid, "cmdline");
  for (std::string_view rest = line; !rest.empty();) words.emplace_back(take_until(rest, '\0'));
  return words;
}

std::optional<CourierProcess> courier_at(std::uint32_t pid, const fs::path& program) {
  const auto identity = processes::identity_of(pid);
  if (!identity || !runs_program(pid, program)) return std::nullopt;
  const auto user = user_of(pid);
  const auto words = words_of(pid);  // the program, and courier_arguments()
  if (!user || words.size() != 5 || words[1] != kVerb || !processes::is_alive(*identity))
    return std::nullopt;
  const auto slurmstepd = processes::identity_in(words[4]);
  if (!slurmstepd) return std::nullopt;
  return CourierProcess{*identity, *user, words[2], words[3] == kFiles, *slurmstepd};
}

bool is_stopped(const processes::ProcessIdentity& process) {
  const auto status = processes::status_of(process.pid);
  return status && status->started == process.started &&
         (status->state == 'T' || status->state == 't');
}

}  // namespace

std::vector<std::string> courier_arguments(const std::string& step, bool carries_files,
                                           const processes::ProcessIdentity& slurmstepd) {
  return {kVerb, step, carries_files ? kFiles : kEnergy, word_of(slurmstepd)};
}

std::vector<CourierProcess> couriers_on_node(const fs::path& program) {
  std::vector<CourierProcess> couriers;
  for (const std::string& name : files::names_in("/proc")) {
    const auto pid = number_in<std::uint32_t>(name);
    if (auto courier = pid ? courier_at(*pid, program) : std::nullopt)
      couriers.push_back(std::move(*courier));
  }
  return couriers;
}

std::vector<CourierProcess> counted_couriers(const std::vector<CourierProcess>& couriers,
                                             uid_t user) {
  std::vector<CourierProcess> counted;
  std::copy_if(couriers.begin(), couriers.end(), std::back_inserter(counted),
               [&](const CourierProcess& courier) {
                 return courier.user == user &&
                        (courier.carries_files || !processes::is_alive(courier.slurmstepd));
               });
  return counted;
}

std::size_t end_stopped_couriers(const fs::path& program) {
  std::size_t ended = 0;
  for (const CourierProcess& courier : couriers_on_node(program))
    if (!processes::is_alive(courier.slurmstepd) && is_stopped(courier.process) &&
        processes::end_process(courier.process))
      ++ended;
  return ended;
}

}  // namespace huddle::courier
