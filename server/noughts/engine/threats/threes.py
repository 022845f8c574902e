"""Wins by threes: moves that threaten to win by fours, searched as a tree of proofs.

A *three* is a move after which some cell would make two fours at once (see :mod:`noughts.engine.threats.fours` for pairs and
triples): an open three in five in a line, or a pair of halves that meet. The defender then has few answers that do not
lose at once: the cells which spoil every such double, and fours of its own. All of them are tried, so a win found here
is proved against every legal move; that none was found proves nothing.

The tree is searched by proof numbers: Allis, van der Meulen and van den Herik, *Proof-number search* (1994). Positions
only gain marks, so equal ones reached by different orders share one node and there are no cycles.
"""

from __future__ import annotations

from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.threats.fours import Board, FourSearch, bits, lacks, neighbours

_ROOM: Final = 200_000  # positions kept, of about 400 bytes each
NEVER: Final = 1 << 40  # a proof number: cannot be proved (or disproved)


class Node:
    """A position in the tree: the attacker is to move (``attack``) and ``moves`` names what led to each of its kids, or
    the defender is, who has the ``answers``.

    The groups of empty cells are those from before ``move`` of the attacker and ``reply`` of the defender (0: none)
    until the node is expanded: most never are.
    """

    __slots__ = (
        "answers",
        "attack",
        "disproof",
        "fours",
        "kids",
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
        self.kids: list[Node] | None = None
        self.proof = 1
        self.disproof = 1


class ThreeSearch:
    """Looks for a win by threes and fours of one side, the attacker, which ``solve`` names; its tree is kept."""

    __slots__ = ("_board", "_budget", "_four_limit", "_fours", "_nodes", "expanded")

    def __init__(self, board: Board, fours: FourSearch, budget: Budget, four_limit: int = 300) -> None:
        self._board = board
        self._fours = fours
        self._budget = budget
        self._four_limit = four_limit
        self._nodes: dict[tuple[int, int], Node] = {}
        self.expanded = 0

    def solve(self, own: int, other: int, limit: int = 60_000) -> list[int]:
        """The cells (bits) proved to win for ``own``, who is to move and cannot complete a line at once; none when no
        win was found within ``limit`` positions or before the deadline."""
        root = self._nodes.get((own, other))
        if root is None:
            mine = lacks(self._board, own, other)
            theirs = lacks(self._board, other, own)
            root = Node(True, own, other, mine.pairs, mine.triples, theirs.pairs)
            root.answers = theirs.fours
            self._nodes[own, other] = root
        stop = self.expanded + limit
        try:
            while root.proof and root.disproof and self.expanded < stop and len(self._nodes) < _ROOM:
                self._step(root)
        except OutOfTimeError:
            pass
        if root.proof or root.kids is None or root.moves is None:
            return []
        return [move for move, kid in zip(root.moves, root.kids, strict=True) if not kid.proof]

    def _step(self, root: Node) -> None:
        """Expand the one position that contributes most to a proof or a disproof of the root."""
        path = [root]
        node = root
        while node.kids is not None:
            best: Node | None = None
            if node.attack:
                least = NEVER
                for kid in node.kids:
                    if kid.proof < least:
                        least = kid.proof
                        best = kid
            else:
                least = NEVER
                for kid in node.kids:
                    if kid.disproof < least:
                        least = kid.disproof
                        best = kid
            if best is None or not best.proof or not best.disproof:
                break  # solved meanwhile on another path: only the numbers above are stale
            node = best
            path.append(node)
        if node.kids is None:
            self.expanded += 1
            if not self.expanded & 15:
                self._budget.check()
            if node.attack:
                self._attack(node)
            else:
                self._defend(node)
        for node in reversed(path):
            if node.kids is None:
                continue
            proof, disproof = node.proof, node.disproof
            if node.attack:
                node.proof = min([kid.proof for kid in node.kids], default=NEVER)
                node.disproof = min(NEVER, sum([kid.disproof for kid in node.kids]))
            else:
                node.proof = min(NEVER, sum([kid.proof for kid in node.kids]))
                node.disproof = min([kid.disproof for kid in node.kids], default=NEVER)
            if node.proof == proof and node.disproof == disproof:
                break

    def _attack(self, node: Node) -> None:
        """The attacker's moves: a win by fours ends it, else every four and every three."""
        own, other = node.own, node.other
        must = self._settle(node)
        if must & (must - 1):
            node.kids, node.moves = [], []
            return
        try:
            win = self._fours.solve(own, other, node.pairs, must, limit=self._four_limit)
        except OutOfTimeError:
            self._budget.check()
            win = None
        if win is not None:
            node.kids, node.moves = [_WON], [win[0][0]]
            return
        kids = []
        moves = []
        replies = neighbours(node.pairs)
        for move, reply in replies.items():
            if not must or move == must:
                kids.append(self._kid(node, move, reply))
                moves.append(move)
        made: dict[int, list[int]] = {}
        for triple in node.triples:
            rest = triple & must if must else triple
            while rest:
                low = rest & -rest
                rest ^= low
                if low in made:
                    made[low].append(triple ^ low)
                else:
                    made[low] = [triple ^ low]
        for move, pairs in made.items():
            if move in replies:
                continue
            # Where two pairs meet, a win by two fours at once threatens; what spoils every such cell is an answer.
            spoil = -1
            for cell, ends in neighbours(pairs).items():
                ends |= replies.get(cell, 0)
                if ends & (ends - 1):
                    spoil &= cell | ends if ends.bit_count() == 2 else cell
            if spoil == -1:
                continue
            fours = [pair for pair in node.fours if not pair & move]
            for pair in fours:
                spoil |= pair
            kids.append(self._three(node, move, fours, spoil))
            moves.append(move)
        node.kids, node.moves = kids, moves

    def _settle(self, node: Node) -> int:
        """Bring the groups of an attack up to date; the cells that would now complete a line of the defender."""
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
                    left = line & ~own
                    count = left.bit_count()
                    if count == 2:
                        pairs.append(left)
                    elif count == 3:
                        triples.append(left)
        must = 0
        for line in through[reply]:
            if not line & own:
                left = line & ~other
                count = left.bit_count()
                if count == 1:
                    must |= left
                elif count == 2:
                    fours.append(left)
        return must

    def _three(self, node: Node, move: int, fours: list[int], answers: int) -> Node:
        """The defence after a three."""
        if not answers:
            return _WON
        own = node.own | move
        key = (~own, node.other)  # the complement tells the defender's turn from the attacker's
        known = self._nodes.get(key)
        if known is None:
            known = Node(False, own, node.other, node.pairs, node.triples, fours)
            known.move = move
            known.answers = answers
            known.proof = answers.bit_count()
            self._nodes[key] = known
        return known

    def _defend(self, node: Node) -> None:
        """The defender's answers to a three."""
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
                left = line & ~own
                if left.bit_count() == 3:
                    triples.append(left)
        node.pairs = pairs
        node.triples = triples
        node.kids = [self._kid(node, 0, bit) for bit in bits(node.answers)]

    def _kid(self, node: Node, move: int, reply: int) -> Node:
        """The attack after the attacker's ``move`` (0: it is made already) and the defender's ``reply``."""
        own = node.own | move
        other = node.other | reply
        key = (own, other)
        known = self._nodes.get(key)
        if known is None:
            known = Node(True, own, other, node.pairs, node.triples, node.fours)
            known.move = move
            known.reply = reply
            self._nodes[key] = known
        return known


_WON: Final = Node(True, 0, 0, [], [], [])
_WON.kids = []
_WON.moves = []
_WON.proof, _WON.disproof = 0, NEVER
