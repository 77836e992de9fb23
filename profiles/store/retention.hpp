#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>

#include "profiles/store/store.hpp"

namespace huddle {

/// Removes what is in the key's folder and was not written (or used, see keep_in_use()) for longer
/// than `age`: profiles, plans, outcomes, and what writers left behind that were killed. What stays
/// however old it is: the newest complete profile, since the next plan rests on it; the layouts of
/// measured runs that are younger than a profile that stays, since they say that such a run was
/// tried; and whatever has no name of ours. Does nothing in a folder that belongs to somebody else.
/// A file that another process removes at the same time is no failure. `now` and the times of files
/// are those of the system's clock; shared file systems may be off by seconds, so `age` should be
/// days. Returns how many files and folders were removed. Throws SystemError.
std::size_t remove_older_than(
    std::chrono::hours age, const Store& store, const StoreKey& key,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// Makes a stored file as young as if it had been written now: a plan that jobs still take is not
/// old. Only of files of this user; any failure is ignored.
void keep_in_use(const std::filesystem::path& file);

}  // namespace huddle
