#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/profile/detail/profile_head.hpp"
#include "profiles/formats/profile/detail/rank_record.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {
namespace {

// A record takes more bytes than this in any file.
constexpr std::uint64_t kLeastRecordBytes = 64;

std::uint32_t read_ranks(const Field& root) {
  const std::uint32_t ranks = root.at("ranks").unsigned_32(kMostRanks);
  if (ranks == 0) root.at("ranks").fail("1 or more");
  return ranks;
}

// Reads the records of a profile as they come. The tables that they refer to stand behind them in
// files of ours, and others may even have `ranks` behind them: then they are read a second time.
class RecordsReader {
 public:
  using Open = std::function<Document(const StreamedArray& records)>;
  /// `open` reads the document, as often as it is called.
  explicit RecordsReader(Open open) : open_(std::move(open)) {}

  Profile read() {
    Document document = pass();
    Profile profile;
    MemberReader members(document.root());
    describe_head(members, profile);
    profile.shared = read_shared_tables(document.root(), profile.ranks);
    if (!can_decode_ || (profile.complete && !all_known(profile.shared))) {
      shared_ = profile.complete ? &profile.shared : nullptr;
      ranks_ = profile.ranks;
      complete_ = profile.complete;
      head_known_ = true;
      document = pass();
    }
    const Field root = document.root();
    profile.rank_records = take_records(root.at("rank_records"));
    MemberReader around(root);
    describe_wait_states(around, profile);
    return profile;
  }

 private:
  Document pass() {
    StreamedArray array{
        "rank_records",
        [&](const Field& before, std::uint64_t bytes_left) { return begin(before, bytes_left); },
        [&](const Field& element) {
          // More than there can be are only counted.
          if (!complete_ || records_.size() < ranks_)
            records_.push_back(read_rank_record(element, ranks_, shared_));
        }};
    return open_(array);
  }

  bool begin(const Field& before, std::uint64_t bytes_left) {
    if (!head_known_) {
      can_decode_ = before.has("ranks") && before.has("complete");
      if (!can_decode_) return false;
      ranks_ = read_ranks(before);
      complete_ = before.at("complete").boolean();
    }
    records_.clear();
    records_.reserve(std::min<std::uint64_t>(ranks_, bytes_left / kLeastRecordBytes));
    return true;
  }

  [[nodiscard]] bool all_known(const SharedTables& shared) const {
    return std::all_of(records_.begin(), records_.end(),
                       [&](const RankRecord& record) { return knows_all_of(shared, record); });
  }

  std::vector<RankRecord> take_records(const Field& field) {
    if (const std::size_t count = field.array_size(); complete_ && count != ranks_)
      field.fail(fmt::format("an array of {}, one for each rank of a complete profile", ranks_));
    if (const RankRecord* const twice =
            sort_by(records_, [](const RankRecord& record) { return record.rank; }))
      field.fail(fmt::format("rank {} twice", twice->rank.value), "each rank only once");
    return std::move(records_);
  }

  Open open_;
  std::vector<RankRecord> records_;
  bool head_known_ = false;  // all of the document was read before
  bool can_decode_ = true;   // in the first pass
  std::uint32_t ranks_ = 0;
  bool complete_ = false;
  const SharedTables* shared_ = nullptr;
};

}  // namespace

Profile parse_profile(std::string_view bytes, std::string_view file) {
  return RecordsReader([&](const StreamedArray& records) {
           return Document::parse(bytes, file, Profile::kFormat, Profile::kVersion, {}, &records);
         })
      .read();
}

Profile load_profile(const std::filesystem::path& path) {
  return RecordsReader([&](const StreamedArray& records) {
           return Document::load(path, Profile::kFormat, Profile::kVersion, {}, &records);
         })
      .read();
}

}  // namespace huddle
