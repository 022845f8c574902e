"""The rules of nine games, as pure values.

A member of the family is one :class:`~noughts.rules.variant.Variant` in one table; ultimate alone has positions of
its own.
"""
