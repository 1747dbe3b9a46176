#include "agent/attach/remainders.h"

namespace csink::attach {

void Remainders::Offer(std::uint64_t origin, std::size_t column, const BucketSegment::Key& key,
                       SpreadNumbers& numbers) {
  Place& place = places_[origin];
  place.column = column;
  if (numbers.Next(++place.samples) == 0) place.key = key;
}

}  // namespace csink::attach
