#include "memory.h"

#include <utility>
#include <vector>

#include "machine.h"

namespace sdykit::machine {

namespace {

constexpr int64_t kBits = 8;

// The numbers of memory in reports: an argument, or a byte of an arena, of a core's memory or of that
// of all.
constexpr int64_t kArgument = int64_t{1} << 48;
constexpr int64_t kArena = int64_t{2} << 48;
constexpr int64_t kCore = int64_t{3} << 48;
constexpr int64_t kDevice = int64_t{4} << 48;

// Rounds towards negative infinity.
int64_t BytesOf(int64_t bits) {
  return bits >= 0 ? bits / kBits : -((-bits + kBits - 1) / kBits);
}

checks::Region Nothing(int64_t address) { return {address, {}, 0}; }

// A part of a byte counts as all of it.
checks::Region BytesOf(const Region& region) {
  int64_t rank = region.rank;
  int64_t bits = region.bits;
  while (rank > 0 && (region.sizes[rank - 1] == 1 || region.strides[rank - 1] == bits)) {
    bits *= region.sizes[--rank];
  }
  std::vector<checks::Region::Dimension> dimensions;
  for (int64_t k = 0; k < rank; ++k) {
    dimensions.push_back({region.sizes[k], BytesOf(region.strides[k])});
  }
  const int64_t first = reinterpret_cast<int64_t>(region.base) + BytesOf(region.offset);
  const int64_t within = region.offset - BytesOf(region.offset) * kBits;
  const int64_t width = bits == 0 ? 0 : BytesOf(within + bits + kBits - 1);
  if (region.rows == nullptr) return {first, std::move(dimensions), width};
  std::vector<int64_t> starts;
  starts.reserve(region.row_count);
  for (int64_t k = 0; k < region.row_count; ++k) starts.push_back(BytesOf(region.rows[k]));
  return {first, std::move(dimensions), width, std::move(starts)};
}

}  // namespace

int64_t MemoryMap::OwnerOf(const char* address) const {
  const int64_t offset = address - scratch_;
  if (offset < 0 || offset >= description_->agents * description_->stride) return checks::kShared;
  return offset / description_->stride;
}

checks::Memory MemoryMap::Of(const Region& region) const {
  const auto address = reinterpret_cast<int64_t>(region.base);
  const int64_t owner = OwnerOf(region.base);
  if (owner == checks::kShared) {
    const int64_t argument = ArgumentOf(address);
    if (argument != kNobody && description_->is_written()[argument] == 0) {
      return {owner, Nothing(address)};
    }
  }
  return {owner, BytesOf(region)};
}

checks::Memory MemoryMap::OfOffsets(const TransferEvent& event) const {
  const auto first = reinterpret_cast<int64_t>(event.offsets);
  return {OwnerOf(event.offsets),
          checks::Region(first, {{event.offset_count, 4 * event.offset_stride}}, 4)};
}

int64_t MemoryMap::ArgumentOf(int64_t address) const {
  const int64_t scratch = reinterpret_cast<int64_t>(scratch_);
  if (address >= scratch && address < scratch + description_->end()) return kNobody;
  int64_t found = kNobody;
  int64_t nearest = 0;
  for (int64_t k = 0; k < description_->arguments; ++k) {
    const auto start = reinterpret_cast<int64_t>(buffers_[k]);
    if (start <= address && (found == kNobody || start >= nearest)) {
      found = k;
      nearest = start;
    }
  }
  return found;
}

int64_t MemoryMap::NumberOf(int64_t address) const {
  const int64_t argument = ArgumentOf(address);
  if (argument != kNobody) return kArgument + argument;
  const int64_t offset = address - reinterpret_cast<int64_t>(scratch_);
  if (offset >= description_->device_at()) return kDevice + offset - description_->device_at();
  if (offset < description_->cores_at()) {
    return kArena + offset % description_->stride - static_cast<int64_t>(sizeof(Header));
  }
  return kCore + (offset - description_->cores_at()) % description_->shared_bytes;
}

}  // namespace sdykit::machine
