#include "agent/attach/remainders.h"

namespace csink::attach {

std::uint64_t SpreadNumbers::Next(std::uint64_t below) {
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  return (state_ * 0x2545f4914f6cdd1dull >> 11) % below;
}

void Remainders::Offer(std::uint64_t origin, std::size_t column, const BucketSegment::Key& key,
                       SpreadNumbers& numbers) {
  Place& place = places_[origin];
  place.column = column;
  if (numbers.Next(++place.samples) == 0) place.key = key;
}

}  // namespace csink::attach
