"""Ways to remove a guard from the text of a module: by what it does, not by how its lines are written."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

Removal: TypeAlias = Callable[[ast.Module, ast.AST], None]
"""Changes a function, or a whole module, that is part of a module's tree. Raises LookupError if the guard is not there."""


def node_of(tree: ast.Module, qualname: str) -> ast.AST:
    """Return the function or class with this name, or the module for "". Raise LookupError if there is none."""
    node: ast.AST = tree
    for name in qualname.split(".") if qualname else ():
        matches = [
            part
            for part in ast.walk(node)
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and part.name == name
        ]
        if not matches:
            raise LookupError(f"no {qualname}")
        node = matches[0]
    return node


def skip(text: str) -> Removal:
    """Never take the first branch, or end at once the first loop, whose condition contains this text."""
    return _decide(text, value=False)


def always(text: str) -> Removal:
    """Take the first branch whose condition contains this text in any case."""
    return _decide(text, value=True)


def _decide(text: str, *, value: bool) -> Removal:
    def remove(_tree: ast.Module, node: ast.AST) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.If | ast.IfExp | ast.While) and text in ast.unparse(part.test):
                part.test = ast.Constant(value)
                return
        raise LookupError(f"no condition with {text}")

    return remove


def drop(text: str) -> Removal:
    """Leave out the last simple statement that contains this text."""

    def remove(_tree: ast.Module, node: ast.AST) -> None:
        simple = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Raise)
        matches = [part for part in ast.walk(node) if isinstance(part, simple) and text in ast.unparse(part)]
        if not matches:
            raise LookupError(f"no statement with {text}")
        _replace(node, matches[-1], ast.Pass())

    return remove


def gives(expression: str) -> Removal:
    """Return the value of this expression, and do nothing else."""

    def remove(_tree: ast.Module, node: ast.AST) -> None:
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        node.body = [ast.Return(ast.parse(expression, mode="eval").body)]

    return remove


def swap(old: str, new: str) -> Removal:
    """Use another expression in place of the first one that reads like this."""
    plain = ast.unparse(ast.parse(old, mode="eval"))

    def remove(_tree: ast.Module, node: ast.AST) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.expr) and ast.unparse(part) == plain:
                _replace(node, part, ast.parse(new, mode="eval").body)
                return
        raise LookupError(f"no {old}")

    return remove


def _replace(root: ast.AST, old: ast.AST, new: ast.AST) -> None:
    """Put one node in the place of another below a root."""

    class Replacer(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else super().generic_visit(node)

    Replacer().visit(root)
