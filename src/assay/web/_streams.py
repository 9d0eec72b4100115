"""Streams: answers that go on until somebody leaves. There are only so many, in all and for one visitor."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Hashable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.responses import Response

MOST_STREAMS, MOST_STREAMS_EACH = 64, 8
"""In all, and of one session or address."""


class Streams:
    """`streams.refusal(visitor)` says whether there is room for one more; `streams.response(…)` takes it."""

    def __init__(self, most: int = MOST_STREAMS, most_each: int = MOST_STREAMS_EACH) -> None:
        self.most, self.most_each = most, most_each
        self._open: Counter[Hashable] = Counter()

    def __len__(self) -> int:
        return self._open.total()

    def refusal(self, visitor: Hashable) -> tuple[int, str] | None:
        """Status and words for one more stream of a visitor; None where there is room."""
        if self._open[visitor] >= self.most_each:
            return 429, f"there are at most {self.most_each} streams of events for one visitor; close one of them"
        if len(self) >= self.most:
            return 503, f"there are at most {self.most} streams of events at a time; try again later"
        return None

    def response(self, visitor: Hashable, content: AsyncIterator[bytes], headers: Mapping[str, str]) -> Response:
        """The answer that has a place until it ends, however it ends."""
        from starlette.responses import StreamingResponse

        opened = self._open

        class Counted(StreamingResponse):
            """Gives its place back."""

            async def __call__(self, *asgi: Any) -> None:
                opened[visitor] += 1
                try:
                    await super().__call__(*asgi)
                finally:
                    opened[visitor] -= 1
                    if not opened[visitor]:
                        del opened[visitor]

        return Counted(content, media_type="text/event-stream", headers=headers)
