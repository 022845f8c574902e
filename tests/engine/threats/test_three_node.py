"""The proof numbers of the search for wins by threes."""

from __future__ import annotations

from noughts.engine.threats.three_node import INFINITE, WON_NODE, Groups, Node


def node(*, attack: bool, numbers: list[tuple[int, int]]) -> Node:
    """Return a node with children that have these proof and disproof numbers."""
    parent = Node(attack, 1, Groups([], [], []), 0, 0, 0)
    parent.children = []
    for proof, disproof in numbers:
        child = Node(not attack, 1, Groups([], [], []), 0, 0, 0)
        child.proof, child.disproof = proof, disproof
        parent.children.append(child)
    return parent


def test_the_attacker_needs_one_child_and_the_defender_all() -> None:
    attacker = node(attack=True, numbers=[(3, 4), (2, 6), (INFINITE, 0)])
    assert attacker.renew()
    assert (attacker.proof, attacker.disproof) == (2, 7)  # the greatest, and one for each other open child
    assert not attacker.renew()
    defender = node(attack=False, numbers=[(3, 4), (2, 6)])
    assert defender.renew()
    assert (defender.proof, defender.disproof) == (5, 4)


def test_solved_children_solve_a_node() -> None:
    won = node(attack=True, numbers=[(3, 4), (0, INFINITE)])
    assert won.renew()
    assert (won.proof, won.disproof) == (0, INFINITE)
    lost = node(attack=True, numbers=[(INFINITE, 0), (INFINITE, 0)])
    lost.renew()
    assert (lost.proof, lost.disproof) == (INFINITE, 0)
    refuted = node(attack=False, numbers=[(1, 1), (INFINITE, 0)])
    refuted.renew()
    assert (refuted.proof, refuted.disproof) == (INFINITE, 0)


def test_without_children_the_side_to_move_loses() -> None:
    for attack, numbers in ((True, (INFINITE, 0)), (False, (0, INFINITE))):
        empty = node(attack=attack, numbers=[])
        assert empty.renew()
        assert (empty.proof, empty.disproof) == numbers
        assert empty.most_proving() is None


def test_the_most_proving_child_has_the_least_number() -> None:
    attacker = node(attack=True, numbers=[(3, 1), (2, 9)])
    defender = node(attack=False, numbers=[(3, 1), (2, 9)])
    assert attacker.children is not None
    assert defender.children is not None
    assert attacker.most_proving() is attacker.children[1]
    assert defender.most_proving() is defender.children[0]
    assert node(attack=True, numbers=[(0, INFINITE)]).most_proving() is None


def test_an_ended_node_keeps_its_result() -> None:
    for won, numbers in ((True, (0, INFINITE)), (False, (INFINITE, 0))):
        ended = node(attack=True, numbers=[])
        ended.end([WON_NODE] if won else [], [8] if won else [], won=won)
        assert (ended.proof, ended.disproof) == numbers
        assert not ended.renew()
