"""What the server stores about a player, as one JSON object."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from noughts.protocol.bodies import TokenView
from noughts.protocol.messages import GameRecord, PlayerView, VariantKey
from noughts.protocol.tournament_messages import RowView
from noughts.rules.outcome import Mark
from noughts.values import Value


class ExportedLine(Value):
    """A chat line of the player. ``ply`` is how many moves were made before it."""

    at_ms: Annotated[int, Meta(description="when it was sent")]
    ply: Annotated[int, Meta(description="how many moves were made before it")]
    text: Annotated[str, Meta(description="the text")]


class ExportedRoom(Value):
    """A room of the player, or one whose chat has a line of the player.

    The player holds a seat in a room of the player's, or owns it. All its games that are kept are here. Of any other room,
    only the games that the player played are here.
    """

    id: Annotated[str, Meta(description="the id")]
    variant: VariantKey
    mark: Annotated[Mark | None, Meta(description="the player's mark; null without a seat")]
    games: Annotated[tuple[GameRecord, ...], Meta(description="the games, oldest first")]
    chat: Annotated[tuple[ExportedLine, ...], Meta(description="the player's own lines, oldest first")]


class ExportedTournament(Value):
    """A tournament that the player entered or made."""

    id: Annotated[str, Meta(description="the id")]
    name: Annotated[str, Meta(description="the name of the tournament")]
    entrant: Annotated[int | None, Meta(description="the player's number in it; null for a host who does not play")]
    row: Annotated[RowView | None, Meta(description="the player's line of the standings; null without one")]


class ExportedDevice(Value):
    """A device that receives notices."""

    host: Annotated[str, Meta(description="the host of its push service")]
    made_ms: Annotated[int, Meta(description="when it subscribed")]


class Export(Value):
    """All that the server stores about a player. No secret, no hash and no chat line of another player is in it."""

    player: Annotated[PlayerView, Meta(description="the player")]
    made_ms: Annotated[int, Meta(description="when the oldest of the tokens was made; 0 if that is not known")]
    seen_ms: Annotated[int, Meta(description="the day of the last visit")]
    tokens: Annotated[tuple[TokenView, ...], Meta(description="the tokens, oldest first")]
    rooms: Annotated[tuple[ExportedRoom, ...], Meta(description="the rooms")]
    tournaments: Annotated[tuple[ExportedTournament, ...], Meta(description="the tournaments")]
    push: Annotated[tuple[ExportedDevice, ...], Meta(description="the devices that receive notices, newest first")]
    bans: Annotated[bool, Meta(description="whether the player is banned")]
