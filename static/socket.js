// @ts-check
// A websocket that comes back. Every message is a whole state, so what was missed meanwhile does no harm.

const subprotocol = "confluence.v1";

/** A socket that isn't open after so long is given up and tried anew. */
const connectWithin = 10_000;

/** The first new try comes after up to this long, so that those whom a restart cut off don't come back all at once. */
const spread = 5_000;

/** The longest pause between two tries. */
const longest = 15_000;

/** The close codes of the protocol. */
const code = { normal: 1000, policy: 1008, noTicket: 4001, tooMany: 4002, restart: 1012 };

/**
 * How long to wait before a try: somewhere within a span that doubles with every try that failed.
 * @param {number} failed tries since the last one that went well, from 0
 * @param {number} random from 0 to 1
 */
export function pause(failed, random) {
  const span = Math.min(spread * 2 ** failed, longest);
  return failed === 0 ? span * random : span * (0.5 + random / 2);
}

/**
 * @typedef {object} Listener
 * @property {(message: any) => void} message a state has come
 * @property {(restarting: boolean) => void} away the connection is gone; it is being tried again
 * @property {() => void} over the server has said its last word: there is nothing to come back for
 */

export class Socket {
  /**
   * @param {string} path
   * @param {Listener} listener
   * @param {number} [silence] a connection that brings nothing for so many milliseconds is taken for dead; 0: never
   */
  constructor(path, listener, silence = 0) {
    const url = new URL(path, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    this.url = url.href;
    this.listener = listener;
    this.silence = silence;
    /** @type {WebSocket|undefined} */
    this.socket = undefined;
    /** @type {number|undefined} */
    this.timer = undefined;
    this.failed = 0;
    this.stopped = false;
    this.unwanted = false; // too many sockets of this session: only a page that is looked at tries again

    window.addEventListener("online", () => this.retry());
    window.addEventListener("pagehide", () => this.leave()); // kept by the browser for the way back it is nobody's heartbeat
    window.addEventListener("pageshow", (event) => event.persisted && this.retry());
    window.addEventListener("focus", () => this.unwanted && this.retry());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.socket === undefined) this.retry();
    });
    window.addEventListener("offline", () => this.drop(false));
    this.open();
  }

  /** Tries at once, unless there is a connection. One that is being made is made anew: the network may be another now. */
  retry() {
    if (this.stopped || this.socket?.readyState === WebSocket.OPEN) return;
    this.unwanted = false;
    this.failed = 0;
    this.open();
  }

  /** Puts a new connection in the place of one that seems to bring nothing any more. */
  renew() {
    if (!this.stopped) this.open();
  }

  /** Whether there is a connection now. */
  connected() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  open() {
    this.forget();
    clearTimeout(this.timer);
    const socket = new WebSocket(this.url, subprotocol);
    this.socket = socket;
    this.timer = setTimeout(() => this.drop(false), connectWithin);
    socket.onopen = () => this.heard();
    socket.onmessage = (event) => {
      this.failed = 0;
      this.heard();
      this.listener.message(JSON.parse(event.data));
    };
    socket.onclose = (event) => this.closed(event.code);
  }

  heard() {
    clearTimeout(this.timer);
    if (this.silence > 0) this.timer = setTimeout(() => this.drop(false), this.silence);
  }

  /** @param {number} closeCode */
  closed(closeCode) {
    if (closeCode === code.normal || closeCode === code.noTicket) {
      this.stop();
      this.listener.over();
      return;
    }
    this.unwanted = closeCode === code.tooMany;
    if (closeCode === code.policy) this.failed = Infinity; // it won't be better soon: the longest pause
    this.drop(closeCode === code.restart);
  }

  /** The connection is gone, or is taken for gone. @param {boolean} restarting */
  drop(restarting) {
    if (this.stopped) return;
    this.forget();
    clearTimeout(this.timer);
    this.listener.away(restarting);
    if (this.unwanted) return;
    this.timer = setTimeout(() => this.open(), pause(this.failed, Math.random()));
    this.failed++;
  }

  /** Lets go of a socket without hearing of it again. */
  forget() {
    const socket = this.socket;
    this.socket = undefined;
    if (socket === undefined) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  /** Lets go of the connection until the page is shown again. */
  leave() {
    clearTimeout(this.timer);
    this.forget();
  }

  /** Ends it for good. */
  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
    this.forget();
  }
}
