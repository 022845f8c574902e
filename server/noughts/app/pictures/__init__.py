"""Pictures of games for link previews."""
