#include "profiles/formats/profile/profile_file.hpp"

namespace huddle {
namespace {

constexpr std::size_t kWriteBytes = std::size_t{1} << 20U;

}  // namespace

ProfileFile::ProfileFile(const std::filesystem::path& path, const Profile& profile)
    : file_(path), encoding_(path.extension() == ".cbor" ? Encoding::kCbor : Encoding::kJson) {
  write(encode_profile_head(profile, encoding_));
}

void ProfileFile::add(const RankRecord& record) {
  if (!first_) write(rank_record_separator(encoding_));
  first_ = false;
  write(encode_rank_record(record, encoding_));
}

void ProfileFile::commit(const SharedTables& shared) {
  write(encode_profile_tail(shared, encoding_));
  flush();
  file_.commit();
}

void ProfileFile::write(std::string_view piece) {
  waiting_ += piece;
  if (waiting_.size() >= kWriteBytes) flush();
}

void ProfileFile::flush() {
  file_.write(waiting_);
  waiting_.clear();
}

}  // namespace huddle
