"""Notices for browsers (Web Push) and posts to the webhook of the operator."""
