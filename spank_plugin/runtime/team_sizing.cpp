#include "spank_plugin/runtime/team_sizing.hpp"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <tuple>

#include "profiles/recorder/process/run_request.hpp"
#include "profiles/recorder/process/signals.hpp"
#include "profiles/recorder/process/this_process.hpp"
#include "profiles/vocabulary/step_words.hpp"

namespace huddle::runtime {
namespace {

// The first object is the program. The loader's lock is held.
int look_for_program(dl_phdr_info* object, std::size_t /*size*/, void* argument) noexcept {
  auto& function = *static_cast<std::uintptr_t*>(argument);
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && function - begin < segment.p_memsz) function = 0;
  }
  return 1;
}

std::string run_of(const Environment& environment) {
  return recorder::Launch::from(environment).run;
}

// A run that tries must be known from any other, such as the same job's once it was requeued.
store::SizesForProgram of_this_run(store::SizesForProgram asked, const Environment& environment) {
  asked.token.append("/").append(run_of(environment));
  std::replace(asked.token.begin(), asked.token.end(), '\n', '_');
  return asked;
}

// Lines for people.
std::string what_was_seen(const std::vector<PackingTrials::Row>& tried, double tick) {
  std::vector<PackingTrials::Row> rows = tried;
  std::erase_if(rows, [](const auto& row) { return row.packed.count == 0; });
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a.function, a.cores) < std::tie(b.function, b.cores);
  });
  std::string seen;
  constexpr std::size_t kMostRows = 400;
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i)
    seen += fmt::format("region {:x}: {} threads {:.3g} us, {} threads {:.3g} us ({} passes)\n",
                        rows[i].function, rows[i].team, rows[i].usual.mean * tick * 1e6,
                        rows[i].cores, rows[i].packed.mean * tick * 1e6, rows[i].packed.count);
  return seen;
}

std::string sizes_told(const Environment& environment) {
  return step_word(text_of(environment, kStepVariable), kTeamSizesWord).value_or("");
}

}  // namespace

store::SizesForProgram sizes_asked_for(const Environment& environment) {
  const std::string text = sizes_told(environment);
  const std::string_view dynamic = text_of(environment, "OMP_DYNAMIC");
  const bool dynamic_is_off = dynamic.empty() || dynamic == "false" || dynamic == "FALSE";
  if (text.empty() || !dynamic_is_off || !text_of(environment, "OMP_THREAD_LIMIT").empty())
    return {};
  const store::SizesForProgram asked =
      store::parse_team_sizes(text, recorder::this_program().build_id);
  if (run_of(environment).empty() && asked.state == store::SizesState::kAudit) return {};
  return of_this_run(asked, environment);
}

bool is_of_program(std::uintptr_t function) noexcept {
  std::uintptr_t asked = function;
  dl_iterate_phdr(look_for_program, &asked);
  return asked == 0;
}

bool begin_audit_of(const store::SizesForProgram& asked) noexcept {
  const recorder::FileLimitGuard guard;  // the program goes on behind it
  const int error = errno;
  const auto as_before = [&](bool begun) {
    errno = error;
    return begun;
  };
  try {
    return as_before(store::SizesConsents(asked.folder)
                         .begin_audit(recorder::this_program().build_id, asked.token));
  } catch (const std::exception&) {  // what can't be noted is not done
    return as_before(false);
  }
}

void end_audits_of_run(const Environment& environment, const std::vector<PackingTrials::Row>& tried,
                       double tick) {
  const std::string text = sizes_told(environment);
  std::exception_ptr failure;
  for (const std::string& build_id : store::programs_that_try(text)) {
    const store::SizesForProgram asked =
        of_this_run(store::parse_team_sizes(text, build_id), environment);
    const bool own = build_id == recorder::this_program().build_id;
    try {
      store::SizesConsents(asked.folder)
          .end_audit(build_id, asked.token, own ? what_was_seen(tried, tick) : std::string());
    } catch (const std::exception&) {  // the others ended well all the same
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace huddle::runtime
