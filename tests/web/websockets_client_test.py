#!/usr/bin/env python3
"""A third implementation as client: the Python package websockets."""

import asyncio
import json
import os
import pathlib
import sys
import unittest

import websockets

from support.chat_node import ChatNode

SUBPROTOCOL = "minichat.v1.json"
LIMIT_S = 10


class Client:
    """One connection. A frame that doesn't come within LIMIT_S is a failure."""

    def __init__(self, connection):
        self.ws = connection
        self.welcome = None

    @staticmethod
    async def connect(node, **hello):
        client = Client(await websockets.connect(node.uri, subprotocols=[SUBPROTOCOL]))
        await client.send(op="hello", **hello)
        return client

    @staticmethod
    async def open(node, **hello):
        client = await Client.connect(node, **hello)
        client.welcome = await client.next("welcome")
        return client

    @staticmethod
    async def open_in(node, user, room):
        client = await Client.open(node, user=user)
        await client.send(op="join", room=room)
        await client.next("joined")
        return client

    async def send(self, **frame):
        await self.ws.send(json.dumps(frame))

    async def next(self, op):
        """The next frame with this op; others before it are passed over."""
        while True:
            frame = json.loads(await asyncio.wait_for(self.ws.recv(), LIMIT_S))
            if frame["op"] == op:
                return frame

    async def texts(self, count):
        return [(await self.next("message"))["text"] for _ in range(count)]

    async def closed(self):
        """The code and the reason that the node closed with."""
        await asyncio.wait_for(self.ws.wait_closed(), LIMIT_S)
        return self.ws.close_code, self.ws.close_reason


class WithNames(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = ChatNode()

    @classmethod
    def tearDownClass(cls):
        cls.node.remove()

    async def test_two_members_get_the_messages_in_order(self):
        ann = await Client.open_in(self.node, "ann", "order")
        bob = await Client.open_in(self.node, "bob", "order")
        for text in ("one", "two", "three"):
            await ann.send(op="send", room="order", cid=text, text=text)
        self.assertEqual(await ann.texts(3), ["one", "two", "three"])
        self.assertEqual(await bob.texts(3), ["one", "two", "three"])
        await ann.ws.close()
        await bob.ws.close()

    async def test_the_subprotocol_is_agreed(self):
        ann = await Client.open(self.node, user="ann")
        self.assertEqual(ann.ws.subprotocol, SUBPROTOCOL)
        await ann.ws.close()

    async def test_compression_that_is_offered_is_not_agreed(self):
        ann = await Client.open(self.node, user="ann")
        self.assertEqual(ann.ws.extensions, [])
        await ann.ws.close()

    async def test_a_message_in_fragments_is_one_message(self):
        ann = await Client.open_in(self.node, "ann", "fragments")
        frame = json.dumps(
            {"op": "send", "room": "fragments", "cid": "f", "text": "κόσμε"}, ensure_ascii=False)
        await ann.ws.send(list(frame))  # a fragment for each character
        self.assertEqual(await ann.texts(1), ["κόσμε"])
        await ann.ws.close()

    async def test_a_ping_comes_back_as_pong(self):
        ann = await Client.open(self.node, user="ann")
        pong = await ann.ws.ping("are you there?")
        reader = asyncio.ensure_future(ann.ws.recv())  # pongs are seen while it reads
        await asyncio.wait_for(pong, LIMIT_S)
        reader.cancel()
        await ann.ws.close()

    async def test_resume_brings_what_was_missed_and_then_what_is_new(self):
        ann = await Client.open_in(self.node, "ann", "resume")
        bob = await Client.open_in(self.node, "bob", "resume")
        await ann.send(op="send", room="resume", cid="c-1", text="seen")
        seen = await bob.next("message")
        await bob.ws.close()
        for cid in ("c-2", "c-3"):
            await ann.send(op="send", room="resume", cid=cid, text=cid)
            await ann.next("ack")
        bob = await Client.open(self.node, user="bob", resume={"resume": seen["seq"]})
        await ann.send(op="send", room="resume", cid="c-4", text="c-4")
        self.assertTrue(bob.welcome["resumed"]["resume"]["recovered"])
        self.assertEqual(await bob.texts(3), ["c-2", "c-3", "c-4"])
        await ann.ws.close()
        await bob.ws.close()

    async def test_a_frame_that_is_too_large_closes_with_1009(self):
        ann = await Client.open(self.node, user="ann")
        await ann.ws.send("x" * 65_537)
        self.assertEqual(await ann.closed(), (1009, ""))

    async def test_a_binary_frame_closes_with_1003(self):
        ann = await Client.open(self.node, user="ann")
        await ann.ws.send(b"{}")
        self.assertEqual(await ann.closed(), (1003, "binary_frame"))

    async def test_the_own_close_comes_back(self):
        ann = await Client.open(self.node, user="ann")
        await ann.ws.close(4321, "enough")
        self.assertEqual(ann.ws.close_code, 4321)


class WithTokens(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        flags = {"auth.insecure": "false", "auth.leeway": "0s"}
        cls.node = ChatNode(flags, {"auth.secret_file": "the-secret-of-this-test-long-enough"})

    @classmethod
    def tearDownClass(cls):
        cls.node.remove()

    async def test_a_valid_token_lets_in(self):
        ann = await Client.open(self.node, token=self.node.token("ann"))
        self.assertEqual(ann.welcome["user"], "ann")
        await ann.ws.close()

    async def test_a_wrong_token_is_refused_with_4001(self):
        ann = await Client.connect(self.node, token=self.node.token("ann")[:-4] + "AAAA")
        self.assertEqual((await ann.next("error"))["code"], "unauthorized")
        self.assertEqual(await ann.closed(), (4001, "bad_hello"))

    async def test_the_end_of_the_token_closes_with_4004(self):
        ann = await Client.open(self.node, token=self.node.token("ann", "3s"))
        self.assertEqual((await ann.next("error"))["code"], "unauthorized")
        self.assertEqual(await ann.closed(), (4004, "token_expired"))


class Restart(unittest.IsolatedAsyncioTestCase):
    async def test_a_node_that_ends_says_bye_and_closes_with_1012(self):
        node = ChatNode()
        self.addCleanup(node.remove)
        ann = await Client.open(node, user="ann")
        node.terminate()
        self.assertEqual((await ann.next("bye"))["reason"], "draining")
        self.assertEqual(await ann.closed(), (1012, "draining"))


def write_counts(result):
    """Where GoogleTest's programs write theirs, so that ./dev adds them up alike."""
    folder = os.environ.get("GTEST_OUTPUT", "").removeprefix("json:")
    if folder:
        failures = len(result.failures) + len(result.errors)
        counts = {"tests": result.testsRun, "failures": failures}
        name = f"web_{pathlib.Path(__file__).stem}.json"
        (pathlib.Path(folder) / name).write_text(json.dumps(counts, indent=2) + "\n")


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2)
    write_counts(program.result)
    sys.exit(not program.result.wasSuccessful())
