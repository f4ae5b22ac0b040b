// Raw ids, counted in the blocks that tiles take of the ids of their samples.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "arrays.h"
#include "kernels.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit {

namespace {

constexpr const char* kFunction = "count_raw_ids";

// The distinct rows of a block, in a table of twice as many places or more.
class Block {
 public:
  explicit Block(int64_t size) {
    while ((int64_t{1} << bits_) < 2 * size) ++bits_;
    places_.assign(size_t{1} << bits_, -1);
  }

  // Forgets all rows.
  void Clear() { ++number_; }

  // Returns whether a row is new.
  bool Add(uint32_t row) {
    const int64_t entry = number_ << 32 | row;
    const size_t mask = places_.size() - 1;
    size_t place = row * uint32_t{2654435769} >> (32 - bits_);
    while (places_[place] >> 32 == number_) {
      if (places_[place] == entry) return false;
      place = (place + 1) & mask;
    }
    places_[place] = entry;
    return true;
  }

 private:
  int bits_ = 1;
  int64_t number_ = 0;
  std::vector<int64_t> places_;  // the number of a block, and a row
};

// Half-open ranges of rows, and of the positions of a tile's ids.
void CountTile(const int32_t* ids, Range rows, Range positions, int64_t block_size, Block& block,
               int64_t stride, int64_t* block_ids, int64_t& unique_ids) {
  for (int64_t begin = positions.first; begin < positions.second; begin += block_size) {
    const int64_t end = std::min(begin + block_size, positions.second);
    block.Clear();
    int64_t found = 0;
    for (int64_t at = begin; at < end; ++at) {
      const int64_t id = ids[at];
      if (id < 0 || id < rows.first || id >= rows.second) continue;
      ++found;
      unique_ids += block.Add(static_cast<uint32_t>(id - rows.first));
    }
    *block_ids = found;
    block_ids += stride;
  }
}

using Shape = std::tuple<int64_t, int64_t, int64_t, int64_t>;

void BindCountRawIds(nb::handle ids, Range rows, Shape shape, nb::handle block_ids,
                     nb::handle unique_ids) {
  const Array<const int32_t> given({kFunction, "ids"}, ids);
  const Array<int64_t> of_blocks({kFunction, "block_ids"}, block_ids, 2);
  const Array<int64_t> uniques({kFunction, "unique_ids"}, unique_ids);
  const auto [valency, samples_per_core, tiles, block_size] = shape;
  CheckRange({kFunction, "valency"}, valency, 0, given.size());
  CheckRange({kFunction, "samples"}, samples_per_core, 1, kPad);
  CheckRange({kFunction, "tiles"}, tiles, 1, kPad);
  CheckRange({kFunction, "ids of a block"}, block_size, 1, 1 << 20);
  const int64_t count = uniques.size();
  CheckRange({kFunction, "tiles of all SparseCores"}, of_blocks.dim(1), count, count);
  given.Needs(count / tiles * samples_per_core * valency);
  const int64_t largest = (samples_per_core + tiles - 1) / tiles * valency;
  of_blocks.Needs((largest + block_size - 1) / block_size * count);
  nb::gil_scoped_release release;
  Block block(block_size);
  std::fill_n(of_blocks.data(), of_blocks.size(), 0);
  for (int64_t at = 0; at < count; ++at) {
    const int64_t first = at / tiles * samples_per_core;
    const int64_t tile = at % tiles;
    const Range positions{(first + tile * samples_per_core / tiles) * valency,
                          (first + (tile + 1) * samples_per_core / tiles) * valency};
    uniques.data()[at] = 0;
    CountTile(given.data(), rows, positions, block_size, block, count, of_blocks.data() + at,
              uniques.data()[at]);
  }
}

}  // namespace

void BindRawIds(nb::module_& m) {
  m.def("count_raw_ids", &BindCountRawIds, "ids"_a, "rows"_a, "shape"_a, "block_ids"_a,
        "unique_ids"_a);
}

}  // namespace sdykit
