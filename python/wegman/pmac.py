"""Segments and edits of messages under PMAC.

Several machines can sum the segments of a message. After an edit, the new tag costs what the edit changes:

    mac = wegman.Pmac(key)
    parts = [Segment(mac, data[1024:], offset=1024), Segment(mac, data[:1024])]    # in any order
    assert combine(parts).tag() == mac.tag(data)

    total = Sum(mac, tag, len(data))               # from the tag of what was verified
    start, end = total.replace_window(at, len(new))
    total.replace(at, new, data[start:end])        # the old bytes of the blocks that it changes
    data[at:at + len(new)] = new
    assert total.tag() == mac.tag(data)

Segments and sums are as secret as the key.
"""

from wegman._native import Segment, SegmentStream, Sum, combine

__all__ = ["Segment", "SegmentStream", "Sum", "combine"]
