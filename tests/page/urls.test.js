import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.location = { pathname: "/", hash: "", search: "" };
// A module's own URL tells the base path, and here that is the path of the checkout.
const urls = await import("../../client_web/js/net/urls.js");
const base = urls.homeUrl();

test("a room has the same id embedded or not", () => {
  for (const path of ["r/abc", "r/abc/", "embed/r/abc"])
    assert.deepEqual(urls.pageAt(base + path), { page: "room", id: "abc" });
  assert.equal(urls.pageAt(`${base}r/a%20b`).id, "a b");
  assert.equal(urls.pageAt(`${base}r/%E0%A4%A`).id, "%E0%A4%A");
});

test("other paths are of no room", () => {
  for (const path of ["", "r/", "r/a/b", "replay", "embed/replay"])
    assert.notEqual(urls.pageAt(base + path).page, "room");
  assert.equal(urls.pageAt("/elsewhere/r/abc").page, "");
});

test("a replay is known by its path", () => {
  for (const path of ["replay", "replay/", "embed/replay", "replay/classic/b2,a1", "embed/replay/classic/b2/"])
    assert.equal(urls.pageAt(base + path).page, "replay");
  for (const path of ["", "replays", "r/replay", "embed/r/replay", "replay/classic", "replay/a/b/c"])
    assert.notEqual(urls.pageAt(base + path).page, "replay");
});

test("a replay comes from the fragment, else from the path or the query", () => {
  const pathname = base + "replay/misere/c3,a1";
  assert.equal(urls.replayText({ pathname, hash: "", search: "" }), "misere=c3,a1");
  assert.equal(urls.replayText({ pathname, hash: "", search: "?over=timeout,X" }), "misere=c3,a1&over=timeout,X");
  assert.equal(urls.replayText({ pathname, hash: "#classic=b2", search: "" }), "classic=b2");
  const query = { pathname: base + "replay", search: "?classic=a1" };
  assert.equal(urls.replayText({ ...query, hash: "#classic=b2" }), "classic=b2");
  assert.equal(urls.replayText({ ...query, hash: "" }), "classic=a1");
  assert.equal(urls.replayUrl("classic=b2,a1&over=timeout,X"), base + "replay/classic/b2,a1?over=timeout,X");
});

test("the public URL begins links, not requests", () => {
  urls.setPublicUrl("https://games.example.org/club");
  assert.equal(urls.watchLink("abc"), "https://games.example.org/club/r/abc");
  assert.equal(urls.inviteLink("abc", "s"), "https://games.example.org/club/r/abc#i=s");
  assert.equal(urls.replayLink("classic=b2"), "https://games.example.org/club/replay/classic/b2");
  assert.equal(urls.replayLink("classic="), "https://games.example.org/club/replay#classic=");
  assert.ok(!urls.linksAreLocal());
  assert.ok(!urls.apiUrl("rooms").startsWith("https://games.example.org"));
});

test("a secret is read from a fragment that a chat program mangled", () => {
  for (const hash of ["#i=a-b_c", "#i%3Da-b_c", "#I=a-b_c.", "#i=a-b_c%0A", "#x=1&i=a-b_c)"])
    assert.equal(urls.inviteIn(hash), "a-b_c");
  for (const hash of ["", "#", "#i", "#b2", "#%"]) assert.equal(urls.inviteIn(hash), "");
  assert.equal(urls.secretIn("p", "#p=%D9%A1"), "١");
  assert.deepEqual(urls.pageAt(`${base}t/no thing`), { page: "tournament", id: "no thing" });
});
