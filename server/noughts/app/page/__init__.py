"""The page: its files, its HTML, its languages, and what a link to it previews."""
