// The entries of a SparseCore in the order of their samples.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "kernels.h"
#include "packing.h"
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

// The arrays of all SparseCores, and how the buffers are laid out.
struct Layout {
  int64_t partitions, cores_of_device, minibatches, rows_of_partition;
  bool absolute;

  int64_t width() const { return std::max(partitions, kAlignment); }
  int64_t columns() const { return minibatches * width(); }  // the row pointers of a SparseCore
};

// The entries of a SparseCore are in [begin, end), and no other's are in [end, stop); row pointers
// count from `origin`.
struct Span {
  int64_t origin, begin, end, stop;
};

int64_t Padded(int64_t position) { return (position + kAlignment - 1) / kAlignment * kAlignment; }

Span SpanOf(const Layout& how, int64_t local, const int32_t* pointers, int64_t room) {
  const int64_t last = Padded(pointers[how.columns() - 1]);
  Span span{0, 0, last, last};
  if (how.absolute) {
    if (local > 0) span.begin = Padded(pointers[-1]);
    if (local + 1 == how.cores_of_device) span.stop = room;
  } else {
    span.origin = span.begin = room / how.cores_of_device * local;
    span.end = span.begin + last;
    span.stop = span.begin + room / how.cores_of_device;
  }
  // The entries that had no room are counted by the pointers, too.
  for (int64_t* each : {&span.begin, &span.end, &span.stop}) *each = std::min(*each, room);
  CheckRange({kFunction, "stop"}, span.stop, 0, room);
  CheckRange({kFunction, "end"}, span.end, 0, span.stop);
  CheckRange({kFunction, "begin"}, span.begin, span.origin, span.end);
  return span;
}

void ScatterSegments(const Source& source, const int32_t* pointers, const Span& span,
                     const Layout& how, const Target& target, Counts counts) {
  int64_t start = target.begin;
  for (int64_t segment = 0; segment < how.minibatches; ++segment, pointers += how.width()) {
    for (int64_t partition = 0; partition < how.partitions; ++partition) {
      const int64_t pointer = pointers[partition];
      if (span.origin + pointer < target.begin) {
        Fail(kFunction, "a row pointer is " + std::to_string(pointer) + "; expected " +
                            std::to_string(target.begin - span.origin) + " or more");
      }
      const int64_t end = std::min(span.origin + pointer, target.end);
      *counts.ids++ = static_cast<int32_t>(std::max<int64_t>(end - start, 0));
      *counts.uniques++ =
          Scatter(source, start, end, static_cast<uint32_t>(partition * how.rows_of_partition),
                  target);
      if (counts.tiles > 0) {
        CountTileIds(source.samples + start, std::max<int64_t>(end - start, 0), target.samples,
                     counts.tiles, counts.tile_ids);
        counts.tile_ids += counts.tiles;
      }
      start = span.origin + Padded(pointer);
    }
  }
}

void IndexCore(const Source& source, const int32_t* pointers, const Span& span, const Layout& how,
               const Target& target, const Counts& counts) {
  CountSamples(source.samples, target);
  ScatterSegments(source, pointers, span, how, target, counts);
  const int64_t filled = target.samples > 0 ? target.splits[target.samples - 1] : target.begin;
  std::copy_backward(target.splits, target.splits + target.samples,
                     target.splits + target.samples + 1);
  target.splits[0] = static_cast<int32_t>(target.begin);
  std::fill(target.rows + filled, target.rows + span.stop, kPad);
  std::fill(target.gains + filled, target.gains + span.stop, kPadGain);
}

// int32 [devices, 2, SparseCores, segments, partitions]: ids and unique ids; and
// [devices, SparseCores, segments, partitions, tiles].
class SegmentCounts {
 public:
  SegmentCounts(const nb::tuple& given, int64_t devices, const Layout& how)
      : observed_({kFunction, "counts of ids"}, given[0], 5),
        tiles_({kFunction, "counts of tiles"}, given[1], 5),
        cores_(how.cores_of_device),
        segments_(observed_.dim(3) * how.partitions) {
    const int64_t cores = how.cores_of_device, partitions = how.partitions;
    if (observed_.dim(0) < devices || observed_.dim(1) != 2 || observed_.dim(2) != cores ||
        observed_.dim(3) < how.minibatches || observed_.dim(4) != partitions) {
      observed_.Misfit("[devices, 2, SparseCores, minibatches, partitions]");
    }
    if (tiles_.dim(0) < devices || tiles_.dim(1) != cores ||
        tiles_.dim(2) != observed_.dim(3) || tiles_.dim(3) != partitions) {
      tiles_.Misfit("[devices, SparseCores, minibatches, partitions, tiles]");
    }
  }
  Counts Of(int64_t device, int64_t local) const {
    int32_t* const ids = observed_.data() + (device * 2 * cores_ + local) * segments_;
    return {ids, ids + cores_ * segments_,
            tiles_.data() + (device * cores_ + local) * segments_ * tiles_.dim(4), tiles_.dim(4)};
  }

 private:
  Array<int32_t> observed_;
  Array<int32_t> tiles_;
  int64_t cores_, segments_;
};

void BindIndexSamples(Range cores, const nb::tuple& buffers, nb::handle pointers,
                      std::tuple<int64_t, int64_t, int64_t, int64_t> shape, bool absolute,
                      nb::handle splits, nb::handle rows, nb::handle gains,
                      const nb::tuple& counts) {
  const auto [partitions, cores_of_device, minibatches, rows_of_partition] = shape;
  const Layout how{partitions, cores_of_device, minibatches, rows_of_partition, absolute};
  CheckRange({kFunction, "partitions"}, partitions, 1, kPad);
  CheckRange({kFunction, "minibatches"}, minibatches, 1, kBuckets);
  CheckRange({kFunction, "rows of a partition"}, rows_of_partition, 0, kPad);
  CheckRange({kFunction, "cores"}, cores.first, 0, cores.second);
  const EntryArrays entries(kFunction, buffers);
  const Array<int32_t> ends({kFunction, "pointers"}, pointers, 2);
  CheckPointers(kFunction, ends, entries, cores.second, cores_of_device, minibatches,
                how.width());
  const int64_t devices = (cores.second + cores_of_device - 1) / cores_of_device;
  const Array<int32_t> starts({kFunction, "splits"}, splits, 3);
  if (starts.dim(0) < devices || starts.dim(1) != cores_of_device || starts.dim(2) < 1) {
    starts.Misfit("[devices, SparseCores, samples + 1]");
  }
  const Array<int32_t> places({kFunction, "rows"}, rows, 2);
  const Array<float> out({kFunction, "gains"}, gains, 2);
  places.Needs(devices * entries.room());
  out.Needs(devices * entries.room());
  CheckTuple({kFunction, "counts"}, counts, 2);
  const SegmentCounts counted(counts, devices, how);
  nb::gil_scoped_release release;
  for (int64_t core = cores.first; core < cores.second; ++core) {
    const int64_t device = core / cores_of_device, local = core % cores_of_device;
    const int64_t offset = device * entries.room(), samples = starts.dim(2) - 1;
    const int32_t* const own = ends.data() + device * ends.dim(1) + local * how.columns();
    const Span span = SpanOf(how, local, own, entries.room());
    const Entries from = entries.OfDevice(device);
    IndexCore({from.ids, from.samples, from.gains}, own, span, how,
              {starts.data() + core * (samples + 1), samples, span.begin, span.end,
               places.data() + offset, out.data() + offset},
              counted.Of(device, local));
  }
}

}  // namespace

void BindIndex(nb::module_& m) {
  m.def("index_samples", &BindIndexSamples, "cores"_a, "buffers"_a, "pointers"_a, "shape"_a,
        "absolute"_a, "splits"_a, "rows"_a, "gains"_a, "counts"_a);
}

}  // namespace sdykit
