"""Sharding rules of ops: `rules` builds them, `user_rules` holds those that users add in Python."""
