#include "figures.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "../../sparsecore/native/clones.h"
#include "../../sparsecore/native/tile_counts.h"

namespace sdykit {

namespace {

constexpr int64_t kAlignment = 8;      // of segments, in entries
constexpr int64_t kMaxMinibatches = 64;
constexpr int kRowShift = 32;          // the position of the row in a word

const int32_t* Ints(const Span& span) { return static_cast<const int32_t*>(span.data); }
int64_t Count(const Span& span) { return static_cast<int64_t>(span.size / sizeof(int32_t)); }

// Returns the number of elements that differ from the one before.
SDYKIT_CLONES int32_t CountChanges(const int32_t* values, int64_t count) {
  int32_t changes = 0;
  for (int64_t i = 1; i < count; ++i) changes += values[i] != values[i - 1];
  return changes;
}

// Returns the number of words whose row differs from the one before.
SDYKIT_CLONES int32_t CountRowChanges(const uint64_t* words, int64_t count) {
  int64_t changes = 0;
  for (int64_t i = 1; i < count; ++i) {
    changes += (words[i] ^ words[i - 1]) >> kRowShift != 0;
  }
  return static_cast<int32_t>(changes);
}

int64_t MinibatchesOf(const Span& span) {
  return std::clamp<int64_t>(*Ints(span), 1, kMaxMinibatches);
}

// Where the even share of a tile begins.
int64_t ShareOf(int64_t tile, int64_t count, int64_t tiles) { return tile * count / tiles; }

}  // namespace

Figures::Figures(const FigurePlan& plan, const std::vector<Span>& operands) : plan_(plan) {
  if (plan.is_counted) {
    ReadCounts(operands.data());
  } else {
    ReadEntries(operands.data());
  }
  segments_ = sources() * lists();
  segment_units_ = plan.is_counted ? 1 : segments_;
  unique_ids_ = 1 + segments_;
  tile_ids_ = unique_ids_ + segments_;
  starts_ = tile_ids_ + segments_ * plan.tiles;
  end_ = rows_ = device_rows_ = new_rows_ = updated_rows_ = starts_;
  if (!plan.words.has_value()) return;
  const int64_t tiles = lists() * plan.tiles;
  rows_ = starts_ + tiles;
  device_rows_ = rows_ + tiles;
  new_rows_ = device_rows_ + tiles;
  updated_rows_ = new_rows_ + (minibatches_ > 1 ? tiles : 0);
  end_ = updated_rows_ + (minibatches_ > 1 ? plan.cores * plan.tiles : 0);
  row_units_ = is_simple() ? plan.cores * plan.tiles : plan.cores;
  if (!is_simple()) AllocateGroups();
}

void Figures::ReadEntries(const Span* operands) {
  if (plan_.devices > 1) device_ = *Ints(*operands++);
  row_pointers_ = Ints(operands[0]);
  ids_ = Ints(operands[1]);
  samples_ = Ints(operands[2]);
  pointers_per_device_ = Count(operands[0]) / plan_.devices;
  entries_per_device_ = std::min(Count(operands[1]), Count(operands[2])) / plan_.devices;
  if (plan_.minibatches) minibatches_ = MinibatchesOf(operands[3]);
}

void Figures::ReadCounts(const Span* operands) {
  counted_ids_ = Ints(operands[0]);
  counted_unique_ids_ = counted_ids_ + Count(operands[0]) / 2;
  counted_tile_ids_ = Ints(operands[1]);
  if (plan_.minibatches) minibatches_ = MinibatchesOf(operands[2]);
}

void Figures::AllocateGroups() {
  int64_t entries = 0;
  for (int64_t segment = 0; segment < segments_; ++segment) {
    const int64_t group = segment / plan_.cores;
    entries += IdsOf(group / minibatches_, group % minibatches_, segment % plan_.cores);
  }
  groups_.reset(new int32_t[entries]);
}

void Figures::Compute(int64_t part, int64_t parts, void* const* arguments, int32_t* to) const {
  if (part == 0) to[0] = static_cast<int32_t>(minibatches_);
  const int64_t units = segment_units_ + row_units_;
  for (int64_t unit = units * part / parts; unit < units * (part + 1) / parts; ++unit) {
    if (unit < segment_units_) {
      plan_.is_counted ? CopyCounts(to) : CountSegment(unit, to);
    } else if (is_simple()) {
      CountTile(unit - segment_units_, arguments, to);
    } else {
      CountPartition(unit - segment_units_, arguments, to);
    }
  }
}

// Returns the positions of a segment in the buffers; an empty range at -1 if its row
// pointers are wrong. Without minibatches, pointers count from the start of a
// SparseCore's part of the buffers, else from that of a device's.
Figures::Range Figures::SegmentOf(int64_t core, int64_t minibatch, int64_t partition) const {
  const int64_t device = core / plan_.cores;
  const int64_t local = core % plan_.cores;
  const int64_t global = device_ * plan_.cores + partition;
  int64_t at = (local * minibatches_ + minibatch) * plan_.pointers + global;
  if (at >= pointers_per_device_) return {-1, -1};
  const bool is_first = plan_.minibatches ? at == 0 : global == 0;
  const int64_t skipped = global == 0 ? plan_.pointers - sources() + 1 : 1;
  at += device * pointers_per_device_;
  const int64_t last = is_first ? 0 : row_pointers_[at - skipped];
  const int64_t start = (last + kAlignment - 1) / kAlignment * kAlignment;
  const int64_t end = row_pointers_[at];
  const int64_t room = plan_.minibatches ? entries_per_device_ : entries_per_device_ / plan_.cores;
  if (last < 0 || start > end || end > room) return {-1, -1};
  const int64_t base = device * entries_per_device_ + (plan_.minibatches ? 0 : local * room);
  return {base + start, base + end};
}

// The number of ids of a segment.
int64_t Figures::IdsOf(int64_t core, int64_t minibatch, int64_t partition) const {
  if (plan_.is_counted) {
    const int64_t room = plan_.minibatches ? kMaxMinibatches : 1;
    return counted_ids_[(core * room + minibatch) * plan_.cores + partition];
  }
  const Range range = SegmentOf(core, minibatch, partition);
  return range.end - range.begin;
}

// Copies the counts of preprocessing, which have room for all minibatches.
void Figures::CopyCounts(int32_t* to) const {
  const int64_t room = (plan_.minibatches ? kMaxMinibatches : 1) * plan_.cores;
  for (int64_t core = 0; core < plan_.cores; ++core) {
    const int64_t from = core * room;
    const int64_t at = core * lists();
    std::copy_n(counted_ids_ + from, lists(), to + 1 + at);
    std::copy_n(counted_unique_ids_ + from, lists(), to + unique_ids_ + at);
    std::copy_n(counted_tile_ids_ + from * plan_.tiles, lists() * plan_.tiles,
                to + tile_ids_ + at * plan_.tiles);
  }
}

void Figures::CountSegment(int64_t segment, int32_t* to) const {
  const int64_t partition = segment % plan_.cores;
  const int64_t group = segment / plan_.cores;
  const Range range = SegmentOf(group / minibatches_, group % minibatches_, partition);
  int32_t* of_tiles = to + tile_ids_ + segment * plan_.tiles;
  const int64_t count = range.end - range.begin;
  to[1 + segment] = static_cast<int32_t>(range.begin < 0 ? -1 : count);
  to[unique_ids_ + segment] = count == 0 ? 0 : 1 + CountChanges(ids_ + range.begin, count);
  CountTileIds(samples_ + std::max<int64_t>(range.begin, 0), count, plan_.samples_per_core,
               plan_.tiles, of_tiles);
}

// Counts the rows of a tile, with one minibatch and one device.
void Figures::CountTile(int64_t unit, void* const* arguments, int32_t* to) const {
  const int64_t partition = unit / plan_.tiles;
  const int64_t tile = unit % plan_.tiles;
  const auto* part = static_cast<const int32_t*>(arguments[*plan_.parts]) + 2 * partition;
  const auto* words = static_cast<const uint64_t*>(arguments[*plan_.words]) + part[0];
  const int64_t count = part[1] - part[0];
  const int64_t begin = ShareOf(tile, count, plan_.tiles);
  const int64_t end = ShareOf(tile + 1, count, plan_.tiles);
  int64_t start = begin;
  if (begin > 0 && begin < count) {
    const uint64_t before = words[begin - 1] | ((uint64_t{1} << kRowShift) - 1);
    start = std::upper_bound(words + begin, words + count, before) - words;
  }
  const int32_t rows = start < end ? 1 + CountRowChanges(words + start, end - start) : 0;
  to[starts_ + unit] = static_cast<int32_t>(start);
  to[rows_ + unit] = to[device_rows_ + unit] = rows;
}

// Counts the rows of a partition in one pass over its words, in which a row has its
// entries of all devices and minibatches, in this order.
class Figures::Sweep {
 public:
  Sweep(const Figures& figures, int64_t partition, void* const* arguments, int32_t* to)
      : figures_(figures), partition_(partition), tiles_(figures.plan_.tiles), to_(to) {
    const FigurePlan& plan = figures.plan_;
    part_ = static_cast<const int32_t*>(arguments[*plan.parts]) + 2 * partition;
    words_ = static_cast<const uint64_t*>(arguments[*plan.words]);
    groups_ = figures.groups_.get() + part_[0];
    FindGroups();
    for (int64_t minibatch = 0; minibatch < figures.minibatches_; ++minibatch) {
      const int64_t first = (minibatch * plan.cores + partition) * tiles_;
      lists_[minibatch].first = first;
      for (int64_t at : {figures.starts_, figures.rows_, figures.device_rows_}) {
        std::fill_n(to + at + first, tiles_, 0);
      }
      if (HasSlots()) std::fill_n(to + figures.new_rows_ + first, tiles_, 0);
    }
    if (HasSlots()) std::fill_n(to + figures.updated_rows_ + partition * tiles_, tiles_, 0);
  }

  void Run() {
    for (int64_t begin = part_[0]; begin < part_[1];) {
      const uint64_t row = words_[begin] >> kRowShift;
      first_list_ = figures_.minibatches_;
      int64_t at = begin;
      for (; at < part_[1] && words_[at] >> kRowShift == row; ++at) {
        AddEntry(static_cast<int64_t>(row), groups_[static_cast<uint32_t>(words_[at]) - part_[0]]);
      }
      if (HasSlots()) AddSlot();
      begin = at;
    }
    for (int64_t at = 0; at < figures_.minibatches_; ++at) {
      BeginShares(lists_[at], lists_[at].count);
    }
  }

 private:
  // The entries of a minibatch, as far as they are counted.
  struct List {
    int64_t first = 0;     // the number of its first tile
    int64_t count = 0;     // of entries
    int64_t before = 0;    // entries of the minibatches before
    int64_t position = 0;  // of the next entry
    int64_t shares = 0;    // tiles whose shares have begun
    int64_t row = -1;      // of the last entry
    int64_t row_start = 0;
    int64_t device = -1;
  };

  bool HasSlots() const { return figures_.minibatches_ > 1; }

  // Sets the device and the minibatch of each entry, by its number: entries are numbered in
  // the order of devices, minibatches and SparseCores.
  void FindGroups() {
    const FigurePlan& plan = figures_.plan_;
    const int64_t entries = part_[1] - part_[0];
    int64_t next = 0;
    for (int64_t group = 0; group < plan.devices * figures_.minibatches_; ++group) {
      const int64_t device = group / figures_.minibatches_;
      const int64_t minibatch = group % figures_.minibatches_;
      for (int64_t core = 0; core < plan.cores; ++core) {
        const int64_t ids = figures_.IdsOf(device * plan.cores + core, minibatch, partition_);
        const int64_t count = std::min(ids, entries - next);
        std::fill_n(groups_ + next, count, static_cast<int32_t>(group));
        next += count;
        lists_[minibatch].count += count;
      }
    }
    for (int64_t at = 1; at < figures_.minibatches_; ++at) {
      lists_[at].before = lists_[at - 1].before + lists_[at - 1].count;
    }
  }

  void AddEntry(int64_t row, int64_t group) {
    const int64_t minibatch = group % figures_.minibatches_;
    const int64_t device = group / figures_.minibatches_;
    List& list = lists_[minibatch];
    const bool is_row = list.row != row;
    if (is_row) {
      BeginShares(list, list.position);
      list.row = row;
      list.row_start = list.position;
      first_list_ = std::min(first_list_, minibatch);
      ++to_[figures_.rows_ + TileOf(list)];
    }
    if (is_row || list.device != device) ++to_[figures_.device_rows_ + TileOf(list)];
    list.device = device;
    ++list.position;
  }

  // Adds the row whose entries have ended to the minibatch that has it first.
  void AddSlot() {
    const List& list = lists_[first_list_];
    ++to_[figures_.new_rows_ + TileOf(list)];
    const int64_t slot = list.before + list.row_start;
    const int64_t tile = ((slot + 1) * tiles_ - 1) / (part_[1] - part_[0]);
    ++to_[figures_.updated_rows_ + partition_ * tiles_ + tile];
  }

  // Sets the start of the shares that begin up to a position, at which a row begins.
  void BeginShares(List& list, int64_t position) {
    while (list.shares < tiles_ && ShareOf(list.shares, list.count, tiles_) <= position) {
      to_[figures_.starts_ + list.first + list.shares++] = static_cast<int32_t>(position);
    }
  }

  // The tile in whose share the last row begins.
  int64_t TileOf(const List& list) const { return list.first + list.shares - 1; }

  const Figures& figures_;
  int64_t partition_, tiles_;
  int32_t* to_;
  const int32_t* part_;
  const uint64_t* words_;
  int32_t* groups_;  // of the partition's entries
  std::array<List, kMaxMinibatches> lists_;
  int64_t first_list_ = 0;
};

void Figures::CountPartition(int64_t partition, void* const* arguments, int32_t* to) const {
  Sweep(*this, partition, arguments, to).Run();
}

}  // namespace sdykit
