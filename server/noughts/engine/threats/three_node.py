"""The nodes of the search for wins by threes, and their proof numbers."""

from __future__ import annotations

from typing import Final, NamedTuple

INFINITE: Final = 1 << 40  # a proof number: cannot be proved (or disproved)


class Groups(NamedTuple):
    """Groups of empty cells: the attacker's pairs and triples, and the defender's pairs. No group is there twice."""

    pairs: list[int]
    triples: list[int]
    counters: list[int]


class Node:
    """A position in the tree.

    Either the attacker is to move (``attack``) and ``moves`` are the moves to the children, or the defender is to move
    and has the ``answers``. In a node of the attacker ``answers`` are the cells that complete a line of the defender.

    ``groups`` are those before the last ``move`` of the attacker and ``reply`` of the defender, 0 for none. ``focus`` are
    the cells near the attacker's last marks. ``looked`` says that there is no win by fours alone.
    """

    __slots__ = (
        "answers",
        "attack",
        "children",
        "disproof",
        "focus",
        "groups",
        "looked",
        "move",
        "moves",
        "proof",
        "reply",
        "state",
    )

    def __init__(self, attack: bool, state: int, groups: Groups, move: int, reply: int, focus: int) -> None:
        self.attack = attack
        self.state = state
        self.groups = groups
        self.move = move
        self.reply = reply
        self.focus = focus
        self.answers = 0
        self.looked = False
        self.moves: list[int] | None = None
        self.children: list[Node] | None = None
        self.proof = 1
        self.disproof = 1

    def end(self, children: list[Node], moves: list[int], *, won: bool) -> None:
        """Prove that the attacker wins here, or that this search finds no win."""
        self.children = children
        self.moves = moves
        self.proof, self.disproof = (0, INFINITE) if won else (INFINITE, 0)

    def renew(self) -> bool:
        """Compute the proof numbers from those of the children; return whether they changed."""
        children = self.children
        assert children is not None
        proof, disproof = self.proof, self.disproof
        if not children:
            self.proof, self.disproof = (INFINITE, 0) if self.attack else (0, INFINITE)
        elif self.attack:
            self.proof = min([child.proof for child in children])
            numbers = [child.disproof for child in children]
            # Equal positions are met by many ways: a sum would count them many times.
            greatest = max(numbers)
            self.disproof = min(INFINITE, greatest + len(numbers) - 1 - numbers.count(0)) if greatest else 0
        else:
            self.proof = min(INFINITE, sum([child.proof for child in children]))
            self.disproof = min([child.disproof for child in children])
        return self.proof != proof or self.disproof != disproof

    def most_proving(self) -> Node | None:
        """Return the child that contributes most to a proof or a disproof, None if none is open."""
        best = None
        least = INFINITE
        assert self.children is not None
        if self.attack:
            for child in self.children:
                if child.proof < least:
                    least = child.proof
                    best = child
        else:
            for child in self.children:
                if child.disproof < least:
                    least = child.disproof
                    best = child
        return best if best is not None and best.proof and best.disproof else None


WON_NODE: Final = Node(True, 0, Groups([], [], []), 0, 0, 0)
WON_NODE.end([], [], won=True)
