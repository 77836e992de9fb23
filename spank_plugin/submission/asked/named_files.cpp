#include "spank_plugin/submission/asked/named_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/launch/store_access.hpp"

namespace huddle::submission {
namespace {

// Any document of ours names its format in its first member.
std::string beginning_of(const std::string& file) {
  constexpr std::size_t kFirstMember = 256;
  const auto close = [](std::FILE* stream) { std::fclose(stream); };
  const std::unique_ptr<std::FILE, decltype(close)> stream(std::fopen(file.c_str(), "rb"), close);
  if (!stream) throw SystemError("open", file, errno);
  std::string text(kFirstMember, '\0');
  errno = 0;
  text.resize(std::fread(text.data(), 1, text.size(), stream.get()));
  if (std::ferror(stream.get()) != 0) throw SystemError("read", file, errno);
  return text;
}

void look_at_profile(const std::string& file) {
  if (beginning_of(file).find("huddle/profile") == std::string::npos)
    throw Error(fmt::format("{} is no profile", file));
}

void look_at_plan(const std::string& file) {
  parse_plan(files::read_file(file, kMostPlanBytes), file);
}

using Look = void (*)(const std::string& file);

// What is wrong with the file; empty if nothing is, or if nobody can say in time: what reads the
// file later says that.
std::string fault_of(const std::string& file, Look look) {
  const auto fault = [&] {
    try {
      look(file);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  try {
    return launch::text_with_files(file, fault);
  } catch (const Error&) {
    return {};
  }
}

void check_file(std::string_view source, std::string_view key, const std::string& file, Look look,
                std::string_view remedy) {
  if (file.empty()) return;
  if (const std::string fault = fault_of(file, look); !fault.empty())
    throw UsageError(fmt::format("{}: {}= names no {}: {}; {}", source, key, key, fault, remedy));
}

}  // namespace

std::string absolute_path(const std::string& path, const std::string& home) {
  return path.empty() ? path : std::filesystem::absolute(store::expand_home(path, home)).string();
}

void check_named_files(const AggregateOption& option, std::string_view source,
                       const std::string& home) {
  if (option.is_off()) return;
  check_file(source, "profile", absolute_path(option.profile, home), look_at_profile,
             "name a profile of a measured run, or leave profile= out");
  check_file(source, "plan", absolute_path(option.plan, home), look_at_plan,
             "name a plan that huddle recommend --plan wrote, or leave plan= out");
}

}  // namespace huddle::submission
