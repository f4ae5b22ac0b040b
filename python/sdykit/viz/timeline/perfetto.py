"""Timelines as Perfetto traces, for https://ui.perfetto.dev and its trace processor."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from sdykit.errors import MissingExtra
from sdykit.sparsecore.timeline import Place, Span, by_track, place_of

if TYPE_CHECKING:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TracePacket

_NANOSECONDS: Final = 1e9
_STATE_CLEARED, _STATE_NEEDED = 1, 2  # TracePacket.SequenceFlags
_SEQUENCE: Final = 1
"""The number of the only sequence of packets."""

Write = Any
"""A function that takes no arguments and returns a new packet, or takes a packet and writes it."""


def perfetto_trace(groups: Mapping[str, Sequence[Span]]) -> bytes:
    """Return timelines as a Perfetto trace.

    A group of tracks is a process, and tiles are tracks within their SparseCore, as this is within its
    device.

    Args:
        groups: the spans of each group of tracks, by its name.

    Raises:
        MissingExtra: the package `perfetto` is not installed.
    """
    if find_spec("perfetto") is None:
        raise MissingExtra(
            "Perfetto traces need the package perfetto, which is not installed: "
            "pip install 'sdykit[timeline]'; or write a .xplane.pb or .html file"
        )
    from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder

    file = io.BytesIO()
    builder = StreamingTraceProtoBuilder(file)
    writer = _Writer(builder)
    for number, (name, spans) in enumerate(groups.items(), start=1):
        writer.group(number, name, by_track(spans))
    return file.getvalue()


@dataclass
class _Writer:
    """What has been written of a trace.

    Attributes:
        builder: the builder of packets.
        names: the number of each name of events; names are written once.
        keys: the number of each name of arguments.
        next_uuid: the uuid that no track has yet.
        is_new: whether there are no events yet.
    """

    builder: Any
    names: dict[str, int] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    next_uuid: int = 1
    is_new: bool = True

    def group(self, number: int, name: str, tracks: Mapping[str, Sequence[Span]]) -> None:
        """Write a group of tracks, with all their spans.

        Args:
            number: its number, from 1.
            name: its name.
            tracks: the spans of each track, in the order of the tracks.
        """
        packet, process = self._track(name)
        packet.track_descriptor.process.pid = number
        packet.track_descriptor.process.process_name = name
        self.builder.write_packet(packet)
        uuids: dict[str, int] = {}
        for track in _with_parents(tracks):
            outer = uuids.get(_parent(track), process)
            packet, uuids[track] = self._track(track)
            descriptor = packet.track_descriptor
            descriptor.parent_uuid = outer
            descriptor.sibling_order_rank = len(uuids)
            self.builder.write_packet(packet)
            # Arrows of different groups have different numbers.
            self._events(uuids[track], tracks.get(track, ()), number << 32)

    def _track(self, name: str) -> tuple[TracePacket, int]:
        """Return a packet that describes a track, and its uuid."""
        packet = self.builder.create_packet()
        descriptor = packet.track_descriptor
        descriptor.uuid, self.next_uuid = self.next_uuid, self.next_uuid + 1
        descriptor.name = name
        descriptor.child_ordering = descriptor.EXPLICIT
        return packet, descriptor.uuid

    def _events(self, uuid: int, spans: Sequence[Span], arrows: int) -> None:
        ends: list[int] = []  # Of the spans that are open, the outer first.
        for span in spans:
            start, end = round(span.start * _NANOSECONDS), round(span.end * _NANOSECONDS)
            while ends and ends[-1] <= start:
                self._end(uuid, ends.pop())
            self._begin(uuid, start, span, arrows)
            # Where sums are rounded, an inner one must not end after the outer.
            ends.append(min([end, *ends[-1:]]))
        while ends:
            self._end(uuid, ends.pop())

    def _begin(self, uuid: int, time: int, span: Span, arrows: int) -> None:
        packet = self._event(uuid, time)
        event = packet.track_event
        event.type = event.TYPE_SLICE_BEGIN
        event.name_iid = self._interned(packet, "event_names", self.names, span.name)
        for key, value in span.arguments.items():
            argument = event.debug_annotations.add()
            argument.name_iid = self._interned(packet, "debug_annotation_names", self.keys, key)
            setattr(argument, _FIELDS[type(value)], value)
        event.flow_ids.extend(arrows + each for each in span.arrows_out)
        event.terminating_flow_ids.extend(arrows + each for each in span.arrows_in)
        self.builder.write_packet(packet)

    def _end(self, uuid: int, time: int) -> None:
        packet = self._event(uuid, time)
        packet.track_event.type = packet.track_event.TYPE_SLICE_END
        self.builder.write_packet(packet)

    def _event(self, uuid: int, time: int) -> TracePacket:
        packet = self.builder.create_packet()
        packet.timestamp = time
        packet.trusted_packet_sequence_id = _SEQUENCE
        packet.sequence_flags = _STATE_NEEDED | (_STATE_CLEARED if self.is_new else 0)
        self.is_new = False
        packet.track_event.track_uuid = uuid
        return packet

    def _interned(self, packet: TracePacket, kind: str, known: dict[str, int], text: str) -> int:
        """Return the number of a text, which the packet defines if it is the first with it."""
        if text not in known:
            known[text] = len(known) + 1
            entry = getattr(packet.interned_data, kind).add()
            entry.iid, entry.name = known[text], text
        return known[text]


_FIELDS: Final = {str: "string_value", int: "int_value", float: "double_value"}
"""The field of an argument for each type of values."""


def _parent(track: str) -> str:
    """Return the name of the track that a track is within; its own if there is none."""
    place = place_of(track)
    if place is None:
        return track
    return str(Place(place.device, place.core if place.unit else None))


def _with_parents(tracks: Mapping[str, Sequence[Span]]) -> Iterator[str]:
    """Yield the names of tracks and of those that they are within, which come first."""
    seen: set[str] = set()
    for track in tracks:
        way = [track]
        while (outer := _parent(way[-1])) != way[-1]:
            way.append(outer)
        for each in reversed(way):
            if each not in seen:
                seen.add(each)
                yield each
