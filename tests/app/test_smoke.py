from tests.support.player import enter, friends_room, guest


async def test_two_play_and_one_watches(server):
    ann, ben = await guest(server.url, "Ann"), await guest(server.url)
    made = await friends_room(server, ann)
    room = made["room"]["id"]
    async with enter(server, room, ann) as x, enter(server, room, ben) as o, enter(server, room) as watcher:
        await o.ok("sit", mark="O", invite=made["invite"])
        for ply, cell in enumerate(["b2", "a1", "c3", "a3", "a2", "c2", "b1", "b3", "c1"]):
            socket = (x, o)[ply % 2]
            await socket.until_room(lambda view, ply=ply: view["game"] and len(view["game"]["moves"]) == ply)
            await socket.move(cell)
        view = await watcher.until_room(lambda view: view["phase"] == "finished")
        assert view["game"]["outcome"] == {"winner": None, "reason": "full_board", "cells": []}
