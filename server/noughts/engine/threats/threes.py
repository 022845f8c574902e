"""Wins by threes: moves that threaten to win by fours. The search is a proof-number search.

A *three* is a move after which some cell would make two fours at once (:mod:`noughts.engine.threats.fours` defines pairs
and triples), such as an open three for five in a line. The defender then has few answers that do not lose at once: the
cells that stop every such double four, and fours of its own. The search tries all of them, so a win is proved against
every legal move. The opposite does not hold: the attacker may have a win that the search does not find.

After each answer the search looks for a win by fours. If there is one, every answer that cannot refute it loses too, and
is not tried. So only the answers that need a further three come into the tree.

The defender may answer with a four, which the attacker must answer in turn. That answer need not be a four or a three: the
attack stands as long as a win by fours still threatens. The defender's answers are then the moves that may refute it.

There are three *scopes*. A *linked* search tries only moves near the attacker's last marks, and finds most wins with few
positions. A *full* search tries every three. A *wide* search also tries quieter threats, that is every move after which a
win by fours threatens, which takes several times longer for each position.

The source is Allis, van der Meulen and van den Herik, *Proof-number search* (1994). Marks never leave the board, so there
are no cycles, and equal positions reached by different orders of moves share one node.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, Protocol

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.threats.fours import bits, board_of, open_lines, refuters
from noughts.engine.threats.linked_fours import LinkedFours
from noughts.engine.threats.rows import add, rows_of
from noughts.engine.threats.three_node import WON_NODE, Groups, Node
from noughts.rules.variant import Variant

NODES_LIMIT: Final = 200_000  # positions in the tree, of about 400 bytes each
FOUR_LIMIT: Final = 300  # nodes of one look for a win by fours
FOUR_PROOF: Final = 2  # the first proof number after a four: threes with one answer are tried before
EXPANSIONS_PER_READING: Final = 16


class Scope(IntEnum):
    """The moves that a search tries."""

    LINKED = 0
    FULL = 1
    WIDE = 2


class WinsByThrees(Protocol):
    """The interface of :class:`ThreeSearch`, which a compiled program fulfils too."""

    def solve(self, own: int, other: int, limit: int = 60_000) -> list[int]: ...


class ThreeSearch:
    """A search for wins of one side, the attacker, by threes and fours. Its tree is kept between calls."""

    __slots__ = ("_board", "_budget", "_four_limit", "_look", "_nodes", "_rows", "_scope", "expanded")

    def __init__(
        self, variant: Variant, budget: Budget, four_limit: int = FOUR_LIMIT, scope: Scope = Scope.FULL
    ) -> None:
        self._board = board_of(variant)
        self._rows = rows_of(variant)
        self._rows.forget_if_full()
        self._look = LinkedFours(self._rows, budget)
        self._budget = budget
        self._four_limit = four_limit
        self._scope = scope
        self._nodes: dict[int, Node] = {}
        self.expanded = 0

    def solve(self, own: int, other: int, limit: int = 60_000) -> list[int]:
        """Return the moves (bits) proved to win for ``own``; none if ``limit`` positions or the budget prove no win.

        ``own`` is the attacker. It is to move and cannot complete a line at once.
        """
        state = own | other << self._rows.size
        root = self._nodes.get(state)
        if root is None:
            mine = open_lines(self._board, own, other)
            theirs = open_lines(self._board, other, own)
            groups = Groups(*(list(dict.fromkeys(lines)) for lines in (mine.pairs, mine.triples, theirs.pairs)))
            root = self._nodes[state] = Node(True, state, groups, 0, 0, self._board.full)
            root.answers = theirs.fours
        stop = self.expanded + limit
        path = [root]
        try:
            while root.proof and root.disproof and self.expanded < stop and len(self._nodes) < NODES_LIMIT:
                self._step(path)
        except OutOfTimeError:
            pass
        if root.proof or root.children is None or root.moves is None:
            return []
        return [move for move, child in zip(root.moves, root.children, strict=True) if not child.proof]

    def _step(self, path: list[Node]) -> None:
        """Expand the one position below the last one of the path that contributes most to a proof or a disproof of it.

        Then shorten the path to the lowest position with numbers that did not change: the next step starts there.
        """
        node = path[-1]
        while node.children is not None:
            best = node.most_proving()
            if best is None:
                break  # the node was solved on another path: only the numbers above it need an update
            node = best
            path.append(node)
        if node.children is None:
            self.expanded += 1
            if not self.expanded % EXPANSIONS_PER_READING:
                self._budget.check()
            if node.attack:
                self._attack(node)
            else:
                self._defend(node)
        while path[-1].renew() or not (path[-1].proof and path[-1].disproof):
            if len(path) == 1:
                break
            path.pop()

    def _attack(self, node: Node) -> None:
        """Expand a node of the attacker: with a win by fours alone if there is one, else with fours and threes."""
        if not node.looked and self._look_for_fours(node) is not None:
            return
        groups, block = node.groups, node.answers
        if block & (block - 1):
            node.end([], [], won=False)
            return
        children: list[Node] = []
        moves: list[int] = []
        focus = block or (node.focus if self._scope == Scope.LINKED else self._board.full)
        wide = self._scope == Scope.WIDE and not block
        pairs, triples, counters = groups
        partners: dict[int, int] = {}
        seen = 0
        for pair in pairs:
            low = pair & -pair
            partners[low] = pair ^ low
            partners[pair ^ low] = low
            seen |= pair
        # The cells of the pairs that each cell makes. Two pairs that meet in a cell threaten two fours at once.
        reached: dict[int, int] = {}
        threes: dict[int, int] = {}
        hot = 0
        cells = focus & ~seen
        for triple in triples:
            hot |= triple
            rest = triple & cells
            while rest:
                move = rest & -rest
                rest ^= move
                pair = triple ^ move
                union = reached.get(move, seen)
                if union & pair:
                    threes[move] = threes.get(move, 0) | union & pair
                reached[move] = union | pair
        if block or self._scope == Scope.WIDE:
            hot = seen
        for move, reply in partners.items():
            if move & focus & hot:
                children.append(self._child(node, move, reply))
                moves.append(move)
        cells = 0
        for pair in counters:
            cells |= pair
        for move, meeting in threes.items():
            answers = answers_to(triples, move, meeting, partners)
            if answers != -1:
                children.append(self._three(node, move, answers | cells))
                moves.append(move)
            elif wide:
                self._threat(node, move, children, moves)
        if wide:
            for move in reached:
                if move not in threes:
                    self._threat(node, move, children, moves)
        if block and not children:
            self._threat(node, block, children, moves)
        node.children, node.moves = children, moves

    def _look_for_fours(self, node: Node) -> list[tuple[int, int]] | None:
        """Look for a win by fours in a node of the attacker that is not expanded. If there is one, end the node."""
        if node.reply:
            self._carry_groups_on(node)
        block = node.answers
        node.looked = True
        if block & (block - 1):
            return None
        win = self._look.find(node.state, node.groups.pairs, node.groups.triples, block, self._four_limit)
        if win is not None:
            node.end([WON_NODE], [win[0][0]], won=True)
        return win

    def _threat(self, node: Node, move: int, children: list[Node], moves: list[int]) -> None:
        """Add a move after which a win by fours threatens, if it does.

        The defender's answers are then all moves that may refute this win.
        """
        state = node.state | move
        pairs = [pair for pair in node.groups.pairs if not pair & move]
        add(pairs, (triple ^ move for triple in node.groups.triples if triple & move))
        triples = [triple for triple in node.groups.triples if not triple & move]
        for row in self._rows.made(state, move):
            add(triples, row.triples)
        win = self._look.find(state, pairs, triples, 0, self._four_limit)
        if win is not None:
            counters = [pair for pair in node.groups.counters if not pair & move]
            own, other = self._rows.marks(state)
            answers = refuters(self._board, own, other, win, counters)
            for pair in node.groups.counters:
                answers |= pair
            children.append(self._three(node, move, answers))
            moves.append(move)

    def _carry_groups_on(self, node: Node) -> None:
        """Carry the groups of a node of the attacker on to its position, and find the cells that it must fill."""
        state, move, reply = node.state, node.move, node.reply
        both = move | reply
        pairs = [pair for pair in node.groups.pairs if not pair & both]
        triples = [triple for triple in node.groups.triples if not triple & both]
        counters = [pair for pair in node.groups.counters if not pair & both]
        if move:
            for row in self._rows.made(state, move):
                add(pairs, row.pairs)
                add(triples, row.triples)
        blocks = 0
        for row in self._rows.answered(state, reply):
            blocks |= row.fours
            add(counters, row.pairs)
        node.groups = Groups(pairs, triples, counters)
        node.answers = blocks
        node.reply = 0

    def _three(self, node: Node, move: int, answers: int) -> Node:
        """Return the node of the defender after a three that it must answer in one of the cells or by a four."""
        state = node.state | move
        key = ~state  # the complement keeps the defender's turn apart from the attacker's
        child = self._nodes.get(key)
        if child is None:
            child = Node(False, state, node.groups, move, 0, self._rows.near[move])
            child.answers = answers & ~move
            child.proof = child.answers.bit_count()
            if not child.proof:
                return WON_NODE
            self._nodes[key] = child
        return child

    def _defend(self, node: Node) -> None:
        """Expand a node of the defender: with the answers to a three that leave no win by fours."""
        move = node.move
        pairs = [pair for pair in node.groups.pairs if not pair & move]
        triples = []
        for triple in node.groups.triples:
            if triple & move:
                add(pairs, (triple ^ move,))
            else:
                triples.append(triple)
        for row in self._rows.made(node.state, move):
            add(triples, row.triples)
        groups = Groups(pairs, triples, [pair for pair in node.groups.counters if not pair & move])
        own, other = self._rows.marks(node.state)
        left = node.answers
        children = []
        for bit in bits(left):
            if not bit & left:
                continue
            child = self._answer(node, groups, bit)
            if not child.looked:
                win = self._look_for_fours(child)
                if win is not None:
                    left &= refuters(self._board, own, other, win, groups.counters)
            if child.proof:
                children.append(child)
                if child.answers & (child.answers - 1):
                    child.end([], [], won=False)
                if not child.disproof:
                    break
        node.children = children

    def _answer(self, node: Node, groups: Groups, reply: int) -> Node:
        """Return the node after the defender's ``reply`` to a three."""
        state = node.state | reply << self._rows.size
        child = self._nodes.get(state)
        if child is None:
            child = self._nodes[state] = Node(True, state, groups, 0, reply, node.focus)
        return child

    def _child(self, node: Node, move: int, reply: int) -> Node:
        """Return the node after the attacker's four and its forced ``reply``."""
        state = node.state | move | reply << self._rows.size
        child = self._nodes.get(state)
        if child is None:
            focus = self._rows.near[move] | node.focus
            child = self._nodes[state] = Node(True, state, node.groups, move, reply, focus)
            child.proof = FOUR_PROOF
        return child


def answers_to(triples: list[int], move: int, meeting: int, partners: dict[int, int]) -> int:
    """Return the cells that stop all double fours that a move threatens, -1 if it threatens none.

    ``meeting`` are the cells in which a pair that the move makes meets another one.
    """
    pairs = [triple ^ move for triple in triples if triple & move]
    answers = -1
    while meeting:
        cell = meeting & -meeting
        meeting ^= cell
        ends = partners.get(cell, 0)
        for pair in pairs:
            if pair & cell:
                ends |= pair ^ cell
        if ends & (ends - 1):
            answers &= cell | ends if ends.bit_count() == 2 else cell
    return answers
