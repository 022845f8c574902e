"""Wins by threes: moves that threaten to win by fours. The search is a proof-number search.

A *three* is a move after which some cell would make two fours at once (:mod:`noughts.engine.threats.fours` defines pairs
and triples), such as an open three for five in a line. The defender then has few answers that do not lose at once: the
cells that stop every such double four, and fours of its own. The search tries all of them, so a win is proved against
every legal move. The opposite does not hold: the attacker may have a win that the search does not find.

The defender may answer with a four, which the attacker must answer in turn. That answer need not be a four or a three: the
attack stands as long as a win by fours still threatens. The defender's answers are then the moves that may refute it. A
*wide* search tries such quieter threats everywhere, which takes several times longer for each position.

The source is Allis, van der Meulen and van den Herik, *Proof-number search* (1994). Marks never leave the board, so there
are no cycles, and equal positions reached by different orders of moves share one node.
"""

from __future__ import annotations

from typing import Final, Protocol

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.threats.fours import Board, FourSearch, bits, neighbours, open_lines, refuters

NODES_LIMIT: Final = 200_000  # positions in the tree, of about 400 bytes each
FOUR_LIMIT: Final = 300  # nodes of one search for a win by fours
INFINITE: Final = 1 << 40  # a proof number: cannot be proved (or disproved)


def meet(pairs: list[int], cells: int) -> bool:
    """Return whether any of the pairs has a cell in common with another one or with ``cells``."""
    for pair in pairs:
        if pair & cells:
            return True
        cells |= pair
    return False


class Node:
    """A position in the tree.

    Either the attacker is to move (``attack``) and ``moves`` are the moves to the children, or the defender is to move
    and has the ``answers``. Most nodes are never expanded. Until then the groups of empty cells (pairs, triples, fours)
    are those before the last ``move`` of the attacker and ``reply`` of the defender; 0 means that there was none.
    """

    __slots__ = (
        "answers",
        "attack",
        "children",
        "disproof",
        "fours",
        "move",
        "moves",
        "other",
        "own",
        "pairs",
        "proof",
        "reply",
        "triples",
    )

    def __init__(
        self, attack: bool, own: int, other: int, pairs: list[int], triples: list[int], fours: list[int]
    ) -> None:
        self.attack = attack
        self.own = own
        self.other = other
        self.pairs = pairs
        self.triples = triples
        self.fours = fours  # the defender's pairs
        self.move = 0
        self.reply = 0
        self.answers = 0
        self.moves: list[int] | None = None
        self.children: list[Node] | None = None
        self.proof = 1
        self.disproof = 1


class WinsByThrees(Protocol):
    """The interface of :class:`ThreeSearch`, which a compiled program fulfils too."""

    def solve(self, own: int, other: int, limit: int = 60_000) -> list[int]: ...


class ThreeSearch:
    """A search for wins of one side, the attacker, by threes and fours. Its tree is kept between calls."""

    __slots__ = ("_board", "_budget", "_four_limit", "_fours", "_nodes", "_wide", "expanded")

    def __init__(
        self, board: Board, fours: FourSearch, budget: Budget, four_limit: int = FOUR_LIMIT, *, wide: bool = False
    ) -> None:
        self._wide = wide
        self._board = board
        self._fours = fours
        self._budget = budget
        self._four_limit = four_limit
        self._nodes: dict[tuple[int, int], Node] = {}
        self.expanded = 0

    def solve(self, own: int, other: int, limit: int = 60_000) -> list[int]:
        """Return the moves (bits) proved to win for ``own``; none if ``limit`` positions or the budget prove no win.

        ``own`` is the attacker. It is to move and cannot complete a line at once.
        """
        root = self._nodes.get((own, other))
        if root is None:
            mine = open_lines(self._board, own, other)
            theirs = open_lines(self._board, other, own)
            root = Node(True, own, other, mine.pairs, mine.triples, theirs.pairs)
            root.answers = theirs.fours
            self._nodes[own, other] = root
        stop = self.expanded + limit
        try:
            while root.proof and root.disproof and self.expanded < stop and len(self._nodes) < NODES_LIMIT:
                self._step(root)
        except OutOfTimeError:
            pass
        if root.proof or root.children is None or root.moves is None:
            return []
        return [move for move, child in zip(root.moves, root.children, strict=True) if not child.proof]

    def _step(self, root: Node) -> None:
        """Expand the one position that contributes most to a proof or a disproof of the root."""
        path = [root]
        node = root
        while node.children is not None:
            best: Node | None = None
            if node.attack:
                least = INFINITE
                for child in node.children:
                    if child.proof < least:
                        least = child.proof
                        best = child
            else:
                least = INFINITE
                for child in node.children:
                    if child.disproof < least:
                        least = child.disproof
                        best = child
            if best is None or not best.proof or not best.disproof:
                break  # the node was solved on another path: only the numbers above it need an update
            node = best
            path.append(node)
        if node.children is None:
            self.expanded += 1
            if not self.expanded & 15:
                self._budget.check()
            if node.attack:
                self._attack(node)
            else:
                self._defend(node)
        for node in reversed(path):
            assert node.children is not None
            proof, disproof = node.proof, node.disproof
            if node.attack:
                node.proof = min([child.proof for child in node.children], default=INFINITE)
                node.disproof = min(INFINITE, sum([child.disproof for child in node.children]))
            else:
                node.proof = min(INFINITE, sum([child.proof for child in node.children]))
                node.disproof = min([child.disproof for child in node.children], default=INFINITE)
            if node.proof == proof and node.disproof == disproof:
                break

    def _attack(self, node: Node) -> None:
        """Expand a node of the attacker: with a win by fours alone if there is one, else with every four and three."""
        own, other = node.own, node.other
        blocks = self._carry_groups_on(node)
        if blocks & (blocks - 1):
            node.children, node.moves = [], []
            return
        try:
            win = self._fours.solve(own, other, node.pairs, blocks, limit=self._four_limit)
        except OutOfTimeError:
            self._budget.check()
            win = None
        if win is not None:
            node.children, node.moves = [_WON_NODE], [win[0][0]]
            return
        children = []
        moves = []
        replies = neighbours(node.pairs)
        four_cells = 0
        for pair in node.pairs:
            four_cells |= pair
        for move, reply in replies.items():
            if not blocks or move == blocks:
                children.append(self._child(node, move, reply))
                moves.append(move)
        threes: dict[int, list[int]] = {}
        for triple in node.triples:
            rest = triple & blocks if blocks else triple
            while rest:
                low = rest & -rest
                rest ^= low
                if low in threes:
                    threes[low].append(triple ^ low)
                else:
                    threes[low] = [triple ^ low]
        for move, pairs in threes.items():
            if move in replies:
                continue
            # Two pairs that meet in a cell threaten two fours at once. The answers are the cells that stop all of these.
            answers = -1
            for cell, ends in neighbours(pairs).items() if meet(pairs, four_cells) else ():
                ends |= replies.get(cell, 0)
                if ends & (ends - 1):
                    answers &= cell | ends if ends.bit_count() == 2 else cell
            if answers == -1:
                if self._wide and not blocks:
                    self._threat(node, move, pairs, children, moves)
                continue
            fours = [pair for pair in node.fours if not pair & move]
            for pair in fours:
                answers |= pair
            children.append(self._three(node, move, fours, answers))
            moves.append(move)
        if blocks and not children:
            self._threat(node, blocks, threes.get(blocks, []), children, moves)
        node.children, node.moves = children, moves

    def _threat(self, node: Node, move: int, new_pairs: list[int], children: list[Node], moves: list[int]) -> None:
        """Add a move after which a win by fours threatens, if it does. ``new_pairs`` are those that the move makes.

        The defender's answers are then all moves that may refute this win.
        """
        own = node.own | move
        pairs = [pair for pair in node.pairs if not pair & move] + new_pairs
        try:
            win = self._fours.solve(own, node.other, pairs, 0, limit=self._four_limit)
        except OutOfTimeError:
            self._budget.check()
            return
        if win is not None:
            fours = [pair for pair in node.fours if not pair & move]
            answers = refuters(self._board, own, node.other, win, fours)
            children.append(self._three(node, move, fours, answers))
            moves.append(move)

    def _carry_groups_on(self, node: Node) -> int:
        """Carry the groups on to a node of the attacker; return the cells that would complete a line of the defender."""
        own, other, move, reply = node.own, node.other, node.move, node.reply
        if not reply:
            return node.answers  # the root, or the second time
        both = move | reply
        node.pairs = pairs = [pair for pair in node.pairs if not pair & both]
        node.triples = triples = [triple for triple in node.triples if not triple & both]
        node.fours = fours = [pair for pair in node.fours if not pair & both]
        through = self._board.through
        if move:
            for line in through[move]:
                if not line & other:
                    rest = line & ~own
                    count = rest.bit_count()
                    if count == 2:
                        pairs.append(rest)
                    elif count == 3:
                        triples.append(rest)
        blocks = 0
        for line in through[reply]:
            if not line & own:
                rest = line & ~other
                count = rest.bit_count()
                if count == 1:
                    blocks |= rest
                elif count == 2:
                    fours.append(rest)
        return blocks

    def _three(self, node: Node, move: int, fours: list[int], answers: int) -> Node:
        """Return the node of the defender after a three."""
        if not answers:
            return _WON_NODE
        own = node.own | move
        key = (~own, node.other)  # the complement keeps the defender's turn apart from the attacker's
        child = self._nodes.get(key)
        if child is None:
            child = Node(False, own, node.other, node.pairs, node.triples, fours)
            child.move = move
            child.answers = answers
            child.proof = answers.bit_count()
            self._nodes[key] = child
        return child

    def _defend(self, node: Node) -> None:
        """Expand a node of the defender: with its answers to a three."""
        own, other, move = node.own, node.other, node.move
        pairs = list(node.pairs)
        triples = []
        for triple in node.triples:
            if triple & move:
                pairs.append(triple ^ move)
            else:
                triples.append(triple)
        for line in self._board.through[move]:
            if not line & other:
                rest = line & ~own
                if rest.bit_count() == 3:
                    triples.append(rest)
        node.pairs = pairs
        node.triples = triples
        node.children = [self._child(node, 0, bit) for bit in bits(node.answers)]

    def _child(self, node: Node, move: int, reply: int) -> Node:
        """Return the node after the attacker's ``move`` (0 if ``node`` contains it) and the defender's ``reply``."""
        own = node.own | move
        other = node.other | reply
        key = (own, other)
        child = self._nodes.get(key)
        if child is None:
            child = Node(True, own, other, node.pairs, node.triples, node.fours)
            child.move = move
            child.reply = reply
            self._nodes[key] = child
        return child


_WON_NODE: Final = Node(True, 0, 0, [], [], [])
_WON_NODE.children = []
_WON_NODE.moves = []
_WON_NODE.proof, _WON_NODE.disproof = 0, INFINITE
