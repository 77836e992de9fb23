#include "profiles/processes/without_root.hpp"

#include <pwd.h>
#include <unistd.h>

#include "profiles/processes/drop_rights.hpp"
#include "profiles/processes/separate_process.hpp"

namespace huddle::processes {

std::optional<std::string> without_root(const std::function<std::string()>& work,
                                        std::chrono::milliseconds limit) {
  if (::geteuid() != 0) return in_separate_process(work, limit);
  constexpr uid_t kUsualNobody = 65534;
  const passwd* const nobody = ::getpwnam("nobody");  // NOLINT(concurrency-mt-unsafe): one thread
  const uid_t user = nobody != nullptr ? nobody->pw_uid : kUsualNobody;
  const gid_t group = nobody != nullptr ? nobody->pw_gid : kUsualNobody;
  return in_separate_process(
      [&] {
        drop_rights(user, group);
        return work();
      },
      limit);
}

}  // namespace huddle::processes
