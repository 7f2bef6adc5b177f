// Tests of the scripts that need no page: node --test scripts.mjs, with SCRIPTS naming their folder and MESSAGES a file of what they say.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(join(process.env.SCRIPTS, name)).href);

/** A websocket whose other end is the test. */
class Fake {
  static OPEN = 1;
  static all = [];
  constructor(url, protocol) {
    Object.assign(this, { url, protocol, readyState: 0, closedByPage: false });
    Fake.all.push(this);
  }
  close() {
    this.closedByPage = true;
  }
  opens() {
    this.readyState = Fake.OPEN;
    this.onopen?.();
  }
  says(message) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  closes(code) {
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

globalThis.WebSocket = Fake;
globalThis.location = { href: "https://ask.example/wait" };
globalThis.window = new EventTarget();
globalThis.document = Object.assign(new EventTarget(), {
  visibilityState: "visible",
  getElementById: () => ({ textContent: readFileSync(process.env.MESSAGES, "utf8") }),
});

const { Socket, pause } = await load("socket.js");
const newest = () => Fake.all.at(-1);
let heard = [];
let open = [];
const listener = {
  message: (message) => heard.push(message.type),
  away: (restarting) => heard.push(restarting ? "restarting" : "away"),
  over: () => heard.push("over"),
};
const connect = (silence) => open.push(new Socket("/live", listener, silence)) && open.at(-1);

mock.timers.enable({ apis: ["setTimeout"] });
beforeEach(() => {
  for (const socket of open) socket.stop();
  [heard, open, Fake.all] = [[], [], []];
});

test("it speaks the protocol, and encrypted where the page is", () => {
  connect();
  assert.equal(newest().url, "wss://ask.example/live");
  assert.equal(newest().protocol, "confluence.v1");
});

test("pauses grow up to a limit and are spread", () => {
  assert.deepEqual([pause(0, 0), pause(0, 1)], [0, 5_000]);
  assert.deepEqual([pause(1, 0), pause(1, 1)], [5_000, 10_000]);
  assert.deepEqual([pause(9, 0), pause(9, 1)], [7_500, 15_000]);
  assert.deepEqual([pause(Infinity, 0), pause(Infinity, 1)], [7_500, 15_000]);
});

for (const [code, word] of [[1001, "away"], [1006, "away"], [1012, "restarting"], [1013, "away"], [1008, "away"]]) {
  test(`after ${code} it comes back by itself`, () => {
    connect();
    newest().opens();
    newest().closes(code);
    assert.deepEqual(heard, [word]);
    mock.timers.tick(15_000);
    assert.equal(Fake.all.length, 2);
    newest().opens();
    newest().says({ type: "standing" });
    assert.deepEqual(heard, [word, "standing"]);
  });
}

for (const code of [1000, 4001]) {
  test(`after ${code} it never comes back`, () => {
    connect();
    newest().opens();
    newest().closes(code);
    mock.timers.tick(60_000);
    window.dispatchEvent(new Event("online"));
    document.dispatchEvent(new Event("visibilitychange"));
    assert.deepEqual(heard, ["over"]);
    assert.equal(Fake.all.length, 1);
  });
}

test("after 4002 it comes back only when it is looked at", () => {
  connect();
  newest().opens();
  newest().closes(4002);
  mock.timers.tick(600_000);
  assert.equal(Fake.all.length, 1);
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(Fake.all.length, 2);
});

test("a connection that never opens is given up", () => {
  connect();
  mock.timers.tick(10_000);
  assert.deepEqual(heard, ["away"]);
  assert.ok(Fake.all[0].closedByPage);
  mock.timers.tick(5_000);
  assert.equal(Fake.all.length, 2);
});

test("what an abandoned connection still says is not heard", () => {
  connect();
  const old = newest();
  mock.timers.tick(15_000);
  old.says({ type: "standing" });
  old.closes(4001);
  assert.deepEqual(heard, ["away"]);
});

test("back online, back in sight or back from the cache: at once, and only once", () => {
  connect();
  newest().opens();
  newest().closes(1006);
  window.dispatchEvent(new Event("online"));
  assert.equal(Fake.all.length, 2);
  newest().opens();
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  document.dispatchEvent(new Event("visibilitychange"));
  mock.timers.tick(60_000);
  assert.equal(Fake.all.length, 2);
});

test("a page that is only just shown leaves its first try alone", () => {
  connect();
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(Fake.all.length, 1);
});

test("offline is known at once", () => {
  connect();
  newest().opens();
  window.dispatchEvent(new Event("offline"));
  assert.deepEqual(heard, ["away"]);
  assert.ok(Fake.all[0].closedByPage);
});

test("a silent connection is taken for dead where the server is never silent", () => {
  connect(35_000);
  newest().opens();
  mock.timers.tick(34_000);
  newest().says({ type: "queue" });
  mock.timers.tick(34_000);
  assert.deepEqual(heard, ["queue"]);
  mock.timers.tick(1_000);
  assert.deepEqual(heard, ["queue", "away"]);
});

test("the first of 200 pauses after a restart are spread over 5 seconds", () => {
  const pauses = Array.from({ length: 200 }, () => pause(0, Math.random()));
  const filled = new Set(pauses.map((ms) => Math.trunc(ms / 1_000)));
  assert.deepEqual([...filled].sort(), [0, 1, 2, 3, 4]);
});

test("a voice tells a change at once and a place every 30 seconds at most, the latest", async () => {
  const { Voice } = await load("say.js");
  let time = 1_000_000;
  mock.method(performance, "now", () => time);
  const pass = (ms) => {
    time += ms;
    mock.timers.tick(ms);
  };
  const region = { textContent: "" };
  const voice = new Voice(region);
  let place = 9;
  const tell = () => voice.place(() => `place ${place}`);
  tell();
  pass(0);
  assert.equal(region.textContent, "place 9");
  for (place = 8; place > 5; place--) {
    tell();
    pass(1_000);
    assert.equal(region.textContent, "place 9");
  }
  pass(27_000);
  assert.equal(region.textContent, "place 5");
  place = 4;
  tell();
  voice.now("your turn");
  pass(60_000);
  assert.equal(region.textContent, "your turn");
  mock.restoreAll();
});

test("a wait runs down, and says why when it went up", async () => {
  const { Remaining } = await load("remaining.js");
  let time = 1_000_000;
  mock.method(performance, "now", () => time);
  const remaining = new Remaining();
  const view = (likely, elapsed = 10) => ({
    wait: { low_seconds: likely / 2, likely_seconds: likely, high_seconds: likely * 2, basis: "history" },
    line: { run_elapsed_seconds: elapsed, usual_low_seconds: 60, usual_high_seconds: 180 },
  });
  assert.equal(remaining.known(), false);
  remaining.set(view(180), 2);
  assert.equal(remaining.phrase().headline, "About 3 minutes");
  time += 70_000;
  assert.equal(remaining.phrase().headline, "About 2 minutes");
  time += 600_000;
  assert.equal(remaining.phrase().headline, "Less than a minute");
  remaining.set(view(180), 2);
  time += 10_000;
  remaining.set(view(360, 250), 2);
  assert.equal(remaining.risen(), "Up from about 3 minutes: the query now running is taking longer than most. Your place has not changed.");
  time += 61_000;
  assert.equal(remaining.risen(), "");
  mock.restoreAll();
});
