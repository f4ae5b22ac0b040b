// The entries of a SparseCore in the order of their samples.

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "arrays.h"
#include "kernels.h"
#include "tile_counts.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit {

namespace {

constexpr const char* kFunction = "index_samples";

struct Source {
  const int32_t* ids;
  const int32_t* samples;
  const float* gains;
};

// The index that is written: `splits[sample]` is the next place of a sample, in [begin, end).
struct Target {
  int32_t* splits;
  int64_t samples;
  int64_t begin, end;
  int32_t* rows;
  float* gains;
};

// The ids and the unique ids of each segment, partition after partition, and the ids by the tile of
// their samples, of which there may be none.
struct Counts {
  int32_t* ids;
  int32_t* uniques;
  int32_t* tile_ids;
  int64_t tiles;
};

// Sets `splits` to the first place of each sample.
void CountSamples(const int32_t* samples, const Target& target) {
  std::fill_n(target.splits, target.samples + 1, 0);
  for (int64_t at = target.begin; at < target.end; ++at) {
    const int64_t sample = samples[at];
    if (sample == kPad) continue;
    if (sample < 0 || sample >= target.samples) {
      Fail(kFunction, "entry " + std::to_string(at) + " is of sample " + std::to_string(sample) +
                          "; expected one below " + std::to_string(target.samples));
    }
    ++target.splits[sample];
  }
  int32_t total = static_cast<int32_t>(target.begin);
  for (int64_t sample = 0; sample <= target.samples; ++sample) {
    const int32_t count = target.splits[sample];
    target.splits[sample] = total;
    total += count;
  }
}

// Copies the entries [start, last) of a partition to the next places of their samples. Returns the
// number of unique ids: entries are sorted by id.
int32_t Scatter(const Source& source, int64_t start, int64_t last, uint32_t first_row,
                const Target& target) {
  int32_t uniques = 0;
  for (int64_t at = start; at < last; ++at) {
    uniques += at == start || source.ids[at] != source.ids[at - 1];
    const int64_t sample = source.samples[at];
    // Wrong row pointers may mark more entries than were counted.
    const bool known = sample >= 0 && sample < target.samples;
    const int64_t place = known ? target.splits[sample]++ : target.end;
    if (place >= target.end) {
      Fail(kFunction, "entry " + std::to_string(at) + " of sample " + std::to_string(sample) +
                          " has no place; expected row pointers that mark entries and no pads");
    }
    target.rows[place] = static_cast<int32_t>(first_row + static_cast<uint32_t>(source.ids[at]));
    target.gains[place] = source.gains[at];
  }
  return uniques;
}

using Span = std::tuple<int64_t, int64_t, int64_t, int64_t>;
using Shape = std::tuple<int64_t, int64_t, int64_t>;

void ScatterSegments(const Source& source, const Array<const int32_t>& pointers, int64_t origin,
                     const Shape& shape, const Target& target, Counts counts) {
  const auto [partitions, width, rows_of_partition] = shape;
  int64_t start = target.begin;
  for (int64_t segment = 0; segment + width <= pointers.size(); segment += width) {
    for (int64_t partition = 0; partition < partitions; ++partition) {
      const int64_t pointer = pointers.data()[segment + partition];
      if (origin + pointer < target.begin) {
        Fail(kFunction, "a row pointer is " + std::to_string(pointer) + "; expected " +
                            std::to_string(target.begin - origin) + " or more");
      }
      const int64_t end = std::min(origin + pointer, target.end);
      *counts.ids++ = static_cast<int32_t>(std::max<int64_t>(end - start, 0));
      *counts.uniques++ = Scatter(source, start, end,
                                  static_cast<uint32_t>(partition * rows_of_partition), target);
      if (counts.tiles > 0) {
        CountTileIds(source.samples + start, std::max<int64_t>(end - start, 0), target.samples,
                     counts.tiles, counts.tile_ids);
        counts.tile_ids += counts.tiles;
      }
      start = origin + (pointer + kAlignment - 1) / kAlignment * kAlignment;
    }
  }
}

void BindIndexSamples(const nb::tuple& entries, nb::handle pointers, Span span, Shape shape,
                      nb::handle splits, nb::handle rows, nb::handle gains,
                      const nb::tuple& counts) {
  CheckTuple({kFunction, "entries"}, entries, 3);
  const Array<const int32_t> ids({kFunction, "embedding ids"}, entries[0]);
  const Array<const int32_t> samples({kFunction, "sample ids"}, entries[1]);
  const Array<const float> factors({kFunction, "gains of the entries"}, entries[2]);
  const Array<const int32_t> ends({kFunction, "pointers"}, pointers);
  const Array<int32_t> starts({kFunction, "splits"}, splits);
  const Array<int32_t> places({kFunction, "rows"}, rows);
  const Array<float> out({kFunction, "gains"}, gains);
  CheckTuple({kFunction, "counts"}, counts, 3);
  const Array<int32_t> of_ids({kFunction, "counts of ids"}, counts[0]);
  const Array<int32_t> of_uniques({kFunction, "counts of unique ids"}, counts[1]);
  const Array<int32_t> of_tiles({kFunction, "counts of tiles"}, counts[2], 2);
  const auto [origin, begin, end, stop] = span;
  const int64_t room = std::min<int64_t>(ids.size(), std::numeric_limits<int32_t>::max());
  CheckRange({kFunction, "stop"}, stop, 0, room);
  CheckRange({kFunction, "end"}, end, 0, stop);
  CheckRange({kFunction, "begin"}, begin, 0, end);
  CheckRange({kFunction, "origin"}, origin, 0, begin);
  CheckRange({kFunction, "row pointers of a segment"}, std::get<1>(shape), 1, kPad);
  CheckRange({kFunction, "partitions"}, std::get<0>(shape), 0, std::get<1>(shape));
  CheckRange({kFunction, "rows of a partition"}, std::get<2>(shape), 0, kPad);
  samples.Needs(stop);
  factors.Needs(stop);
  places.Needs(stop);
  out.Needs(stop);
  starts.Needs(1);
  const int64_t segments = ends.size() / std::get<1>(shape) * std::get<0>(shape);
  of_ids.Needs(segments);
  of_uniques.Needs(segments);
  const int64_t tiles = of_tiles.dim(1);
  of_tiles.Needs(segments * tiles);
  const Target target{starts.data(), starts.size() - 1, begin, end, places.data(), out.data()};
  nb::gil_scoped_release release;
  CountSamples(samples.data(), target);
  ScatterSegments({ids.data(), samples.data(), factors.data()}, ends, origin, shape, target,
                  {of_ids.data(), of_uniques.data(), of_tiles.data(), tiles});
  const int64_t filled = target.samples > 0 ? target.splits[target.samples - 1] : begin;
  std::copy_backward(target.splits, target.splits + target.samples,
                     target.splits + target.samples + 1);
  target.splits[0] = static_cast<int32_t>(begin);
  std::fill(target.rows + filled, target.rows + stop, kPad);
  std::fill(target.gains + filled, target.gains + stop, kPadGain);
}

}  // namespace

void BindIndex(nb::module_& m) {
  m.def("index_samples", &BindIndexSamples, "entries"_a, "pointers"_a, "span"_a, "shape"_a,
        "splits"_a, "rows"_a, "gains"_a, "counts"_a);
}

}  // namespace sdykit
