#include "core/counting/components/ipmi/sdr_repository.h"

#include <errno.h>

#include <algorithm>

// File: records form a list: each answer has the id of the next record; 0 is the first, FFFFh the
// end. The first record that cannot be read whole shows that this BMC needs pieces. A change of the
// repository ends the reservation (kConflict); the record is then read again under a new one.

namespace csink {
namespace {

// Get SDR (33.12) and Reserve SDR Repository (33.11).
constexpr std::uint8_t kStorage = 0x0A, kReserve = 0x22, kGetSdr = 0x23;
constexpr unsigned kLastRecord = 0xFFFF, kIds = 0x10000;
// As a number of bytes: the whole record.
constexpr std::uint8_t kWhole = 0xFF;
constexpr std::size_t kHeaderBytes = 5;
// A repository that changes more often is not read.
constexpr int kNewReservations = 8;
// The size of a piece; halved when the BMC cannot return so many bytes.
constexpr std::uint8_t kPiece = 16, kSmallestPiece = 4;

std::uint8_t Low(unsigned word) noexcept { return static_cast<std::uint8_t>(word & 0xFF); }
std::uint8_t High(unsigned word) noexcept { return static_cast<std::uint8_t>(word >> 8 & 0xFF); }

class Repository {
 public:
  Repository(IpmiTalk& talk, VendorSteps& steps) : talk_(talk), steps_(steps) {}

  Result<std::vector<IpmiSensor>> ReadAll() {
    std::vector<IpmiSensor> sensors;
    std::vector<bool> seen(kIds);
    for (unsigned id = 0; id != kLastRecord && !seen[id];) {
      seen[id] = true;
      unsigned next = kLastRecord;
      Result<void> read = ReadRecord(id, next);
      if (!read) {
        // The BMC has no repository, or it ends here.
        if (read.error().code == Errc::kUnsupported || read.error().code == Errc::kNoEvent) break;
        return read.error();
      }
      // Other records (of parts, of other controllers) are left out.
      if (std::optional<IpmiSensor> sensor = ParseSensor(record_)) {
        sensors.push_back(std::move(*sensor));
      }
      id = next;
    }
    return sensors;
  }

 private:
  // Reads record `id` into record_, and stores the id of the next one.
  Result<void> ReadRecord(unsigned id, unsigned& next) {
    if (whole_) {
      record_.clear();
      Result<void> read = Fetch(id, kWhole, next);
      if (read && IsWhole()) return read;
      if (!read && read.error().code != Errc::kLimit && read.error().code != Errc::kSystem) {
        return read;
      }
      whole_ = false;  // the BMC cannot return a whole record in one answer
    }
    for (int attempt = 0;; ++attempt) {
      Result<void> read = ReadPieces(id, next);
      if (read || read.error().code != Errc::kConflict || attempt == kNewReservations) return read;
      reserved_ = false;
    }
  }

  // Whether record_ has as many bytes as its header says.
  bool IsWhole() const { return record_.size() >= kHeaderBytes + Length(); }
  std::size_t Length() const { return record_.size() < kHeaderBytes ? 0 : record_[4]; }

  // Reads the header, which has the length, and then the rest in pieces.
  Result<void> ReadPieces(unsigned id, unsigned& next) {
    if (Result<void> reserved = Reserve(); !reserved) return reserved;
    record_.clear();
    Result<void> read = Fetch(id, kHeaderBytes, next);
    if (!read) return read;
    if (record_.size() < kHeaderBytes) return {};  // malformed; the next record may be good
    const std::size_t end = kHeaderBytes + Length();
    while (record_.size() < end) {
      const std::size_t before = record_.size();
      unsigned ignored = 0;
      read = Fetch(id, static_cast<std::uint8_t>(std::min<std::size_t>(end - before, piece_)),
                   ignored);
      if (!read && read.error().code == Errc::kLimit && piece_ > kSmallestPiece) {
        piece_ /= 2;
        continue;
      }
      if (!read) return read;
      if (record_.size() == before) break;  // the BMC returns no more bytes
    }
    return {};
  }

  // Gets a reservation, which the BMC requires for reading at an offset. A BMC that does not know
  // the command needs none.
  Result<void> Reserve() {
    if (reserved_) return {};
    const auto answer = talk_.Ask(steps_, kStorage, kReserve, {});
    if (!answer && answer.error().code != Errc::kUnsupported) return answer.error();
    reservation_ = answer && answer->size() >= 2 ? Word(*answer, 0) : 0;
    reserved_ = true;
    return {};
  }

  // Appends up to `count` bytes of the record, from where record_ ends. `next`: the id of the next
  // record.
  Result<void> Fetch(unsigned id, std::uint8_t count, unsigned& next) {
    const auto offset = static_cast<std::uint8_t>(std::min<std::size_t>(record_.size(), 255));
    // A whole record needs no reservation.
    const unsigned reservation = count == kWhole ? 0 : reservation_;
    const auto answer =
        talk_.Ask(steps_, kStorage, kGetSdr,
                  {Low(reservation), High(reservation), Low(id), High(id), offset, count});
    if (!answer) return answer.error();
    if (answer->size() < 2) {
      return Error{Errc::kCorrupt, EPROTO, "a sensor record of the BMC is incomplete"};
    }
    next = Word(*answer, 0);
    const auto bytes = answer->subspan(2, std::min<std::size_t>(answer->size() - 2, count));
    record_.insert(record_.end(), bytes.begin(), bytes.end());
    return {};
  }

  IpmiTalk& talk_;
  VendorSteps& steps_;
  // The bytes of the present record so far.
  std::vector<std::uint8_t> record_;
  unsigned reservation_ = 0;
  bool reserved_ = false;
  // Until a record could not be read whole.
  bool whole_ = true;
  std::uint8_t piece_ = kPiece;
};

}  // namespace

Result<std::vector<IpmiSensor>> ReadSensors(IpmiTalk& talk, VendorSteps& steps) {
  return Repository(talk, steps).ReadAll();
}

}  // namespace csink
