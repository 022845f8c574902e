"""Bots: functions of other people that choose moves, on a server or against each other."""
