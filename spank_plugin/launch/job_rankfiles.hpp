#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace huddle::launch {

/// The rankfile of a job, beside its plan: "job-ID.rankfile", and "job-ID-N.rankfile" for the
/// plan's companion number `companion`, from 1 on; one more than there are: the file by which
/// programs without a plan go on its nodes.
std::filesystem::path rankfile_beside(const std::filesystem::path& plan_file, std::string_view job,
                                      std::size_t companion = 0);

/// Removes from a folder the rankfiles of jobs that are over: those with a name as
/// rankfile_beside() gives it, last written longer ago than a job lasts (60 days). A plan may be
/// the user's own, in a folder of the user's: all other files stay. What can't be read or removed
/// is left.
void remove_old_rankfiles(const std::filesystem::path& folder);

/// Tells if that is a file with a line for each of so many ranks: mpirun would fail with another
/// one.
bool is_rankfile(const std::filesystem::path& file, std::uint32_t ranks);

}  // namespace huddle::launch
