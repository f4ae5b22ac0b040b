// Features to static buffers, a SparseCore at a time: list, sort, pack, pad, index.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <tuple>

#include "index.h"
#include "lists.h"
#include "merge.h"
#include "packing.h"
#include "pool.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit {

namespace {

struct Packing {
  KeyShape keys;
  int key_bits;
  int64_t cores_of_device;
  const LimitArrays& limits;
  bool absolute;
  bool defined;

  int64_t width() const { return std::max(keys.partitions, kAlignment); }
};

// Packs one sorted list into [position, end); row pointers count from `origin`.
//
// Returns the position after it, and adds to `lost` the ids over a limit and those without room.
int64_t PackList(const uint64_t* items, const List& list, const Packing& how, Entries out,
                 int64_t position, int64_t origin, int64_t end, int32_t* pointers, int32_t* ids,
                 int32_t* uniques, Range& lost) {
  int64_t item = 0;
  for (int64_t partition = 0; partition < how.keys.partitions; ++partition) {
    const int64_t stop = how.keys.End(items, item, list.count, partition);
    const Packed packed =
        PackRun(items, item, stop, list, how.keys.bits, out, position, end,
                how.limits[partition]);
    item = stop;
    lost.first += packed.dropped;
    lost.second += packed.missing;
    ids[partition] = static_cast<int32_t>(packed.ids);
    uniques[partition] = static_cast<int32_t>(packed.uniques);
    pointers[partition] = static_cast<int32_t>(packed.position - origin);
    position = Pad(out, packed.position, end);
  }
  std::fill(pointers + how.keys.partitions, pointers + how.width(),
            static_cast<int32_t>(position - origin));
  return position;
}

constexpr const char* kFunction = "pack_stacks";

// int64 `[parts, 3]`: a stack, the first of its SparseCores, and one past the last. And the results:
// int64 `[parts, 3]`, the ids over a limit of a partition, without room, and over a limit of a
// table; and uint8 `[parts, features]`, the codes of features.
struct Parts {
  Array<const int64_t> ranges;
  Array<int64_t> lost;
  Array<uint8_t> codes;
};

// A stack's features and its buffers.
class Stack {
 public:
  explicit Stack(const nb::tuple& given)
      : shape_(nb::cast<Shape>(Checked(given)[1])),
        flags_(nb::cast<std::tuple<bool, bool>>(given[2])),
        out_(kFunction, nb::cast<nb::tuple>(given[3])),
        pointers_({kFunction, "pointers"}, given[4], 2),
        counts_(kFunction, nb::cast<nb::tuple>(given[5]), 2),
        limits_(kFunction, nb::cast<nb::tuple>(given[6]), std::get<0>(shape_)),
        source_(kFunction, nb::cast<nb::tuple>(given[0]), counts_.cores()) {
    const auto [partitions, key_bits, bits, cores_of_device] = shape_;
    KeyShape{partitions, bits}.Check(kFunction);
    CheckRange({kFunction, "bits of a key"}, key_bits, 1, 32);
    counts_.Needs(cores(), partitions);
    CheckPointers(kFunction, pointers_, out_, cores(), cores_of_device, 1,
                  std::max(partitions, kAlignment));
    if (given[7].is_none()) return;
    const IndexLayout layout{partitions, cores_of_device, 1, std::get<0>(flags_)};
    index_.emplace(kFunction, nb::cast<nb::tuple>(given[7]), cores(), out_, layout);
  }

  int64_t cores() const { return counts_.cores(); }
  int64_t features() const { return source_.features(); }

  // Fills the buffers of SparseCores; adds to `lost` and `codes`.
  void Pack(Range cores, Scratch& scratch, int64_t* lost, uint8_t* codes) const;

 private:
  using Shape = std::tuple<int64_t, int, int, int64_t>;

  static const nb::tuple& Checked(const nb::tuple& given) {
    CheckTuple({kFunction, "stack"}, given, 8);
    return given;
  }

  Shape shape_;
  std::tuple<bool, bool> flags_;
  EntryArrays out_;
  Array<int32_t> pointers_;
  CountArrays counts_;
  LimitArrays limits_;
  Source source_;
  std::optional<IndexArrays> index_;
};

void Stack::Pack(Range cores, Scratch& scratch, int64_t* lost, uint8_t* codes) const {
  const auto [partitions, key_bits, bits, cores_of_device] = shape_;
  const auto [absolute, defined] = flags_;
  const Packing how{{partitions, bits}, key_bits, cores_of_device, limits_, absolute, defined};
  const int64_t room = out_.room(), share = room / cores_of_device;
  int64_t position = 0;
  for (int64_t core = cores.first; core < cores.second; ++core) {
    const std::optional<List> list = source_.Fill(core, scratch, codes);
    if (!list) return;
    lost[2] += source_.Count(core) - list->count;
    const uint64_t* items = SortWords(list->words, list->count, key_bits, list->gains != nullptr,
                                      scratch.sorting(list->count));
    const int64_t device = core / cores_of_device, local = core % cores_of_device;
    const int64_t origin = absolute ? 0 : local * share;
    const int64_t end = absolute ? room : origin + share;
    if (!absolute || local == 0) position = origin;
    int32_t* const of_device = pointers_.data() + device * pointers_.dim(1);
    int32_t* const mine = of_device + local * how.width();
    const Entries entries = out_.OfDevice(device);
    Range lost_here{0, 0};
    position = PackList(items, *list, how, entries, position, origin, end, mine,
                        counts_.ids(core), counts_.uniques(core), lost_here);
    lost[0] += lost_here.first;
    lost[1] += lost_here.second;
    if (defined && (!absolute || local + 1 == cores_of_device)) {
      if (absolute) {
        std::fill(mine + how.width(), of_device + pointers_.dim(1),
                  static_cast<int32_t>(position));
      }
      Fill(entries, position, end);
    }
    if (!index_) continue;
    const bool is_complete = lost_here.first == 0 && lost_here.second == 0;
    if (is_complete && list->count == index_->samples() && source_.is_in_order()) {
      index_->FillInOrder(core, *list, bits, out_, pointers_, counts_);
    } else {
      index_->Fill(core, out_, pointers_);
    }
  }
}

// Fails unless parts are of these stacks, rising, and do not overlap.
void CheckParts(const Parts& parts, const std::deque<Stack>& stacks) {
  if (parts.ranges.dim(1) != 3) parts.ranges.Misfit("[parts, 3]");
  const int64_t number = parts.ranges.dim(0);
  int64_t last_stack = 0, last_core = 0, features = 0;
  for (int64_t at = 0; at < number; ++at) {
    const int64_t* const part = parts.ranges.data() + at * 3;
    CheckRange({kFunction, "stack of a part"}, part[0], last_stack,
               static_cast<int64_t>(stacks.size()) - 1);
    const Stack& stack = stacks[static_cast<size_t>(part[0])];
    const int64_t first = part[0] == last_stack ? last_core : 0;
    CheckRange({kFunction, "SparseCore of a part"}, part[1], first, part[2]);
    CheckRange({kFunction, "SparseCore of a part"}, part[2], part[1], stack.cores());
    last_stack = part[0];
    last_core = part[2];
    features = std::max(features, stack.features());
  }
  if (parts.lost.dim(0) < number || parts.lost.dim(1) != 3) parts.lost.Misfit("[parts, 3]");
  if (parts.codes.dim(0) < number || parts.codes.dim(1) < features) {
    parts.codes.Misfit("[parts, features]");
  }
}

void BindPackStacks(const nb::tuple& stacks, nb::handle parts, nb::handle lost, nb::handle codes,
                    int64_t threads) {
  std::deque<Stack> all;
  for (const nb::handle each : stacks) all.emplace_back(nb::cast<nb::tuple>(each));
  const Parts own{{{kFunction, "parts"}, parts, 2},
                  {{kFunction, "lost"}, lost, 2},
                  {{kFunction, "codes"}, codes, 2}};
  CheckParts(own, all);
  CheckRange({kFunction, "threads"}, threads, 1, std::numeric_limits<int64_t>::max());
  const nb::gil_scoped_release release;
  RunParts(own.ranges.dim(0), threads, [&](int64_t part, Scratch& scratch) {
    const int64_t* const range = own.ranges.data() + part * 3;
    all[static_cast<size_t>(range[0])].Pack({range[1], range[2]}, scratch,
                                            own.lost.data() + part * 3,
                                            own.codes.data() + part * own.codes.dim(1));
  });
}

}  // namespace

void BindPack(nb::module_& m) {
  m.attr("ALIGNMENT") = kAlignment;
  m.def("pack_stacks", &BindPackStacks, "stacks"_a, "parts"_a, "lost"_a, "codes"_a, "threads"_a);
}

}  // namespace sdykit
