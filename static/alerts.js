// @ts-check
// What calls somebody who looks elsewhere: a sound and a notification. Each is there only for who has pressed its button.

import { say } from "./language.js";
import { part, setText } from "./page.js";
import { Chime } from "./chime.js";

/** What this browser's owner has chosen. */
const chosen = { sound: "confluence.sound", notify: "confluence.notify" };

/** One notification, however many pages tell it. */
const tag = "confluence-turn";

/** @param {string} key */
function wants(key) {
  try {
    return localStorage.getItem(key) === "on";
  } catch {
    return false;
  }
}

/** @param {string} key @param {boolean} on */
function choose(key, on) {
  try {
    localStorage.setItem(key, on ? "on" : "off");
  } catch {
    // It is then for this page alone.
  }
}

/** Shows a notification to who has asked for one and doesn't see the page. @param {string} words */
export function notify(words) {
  if (!wants(chosen.notify) || !canNotify() || (document.visibilityState === "visible" && document.hasFocus())) return;
  try {
    const notification = new Notification(words, { tag, icon: new URL("logo.svg", import.meta.url).href });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  } catch {
    // Some browsers, on phones, let only installed apps do it.
  }
}

/** Whether it can, and may. */
function canNotify() {
  return "Notification" in window && Notification.permission === "granted";
}

/** The two buttons. */
export class Alerts {
  /** @param {import("./say.js").Voice} voice */
  constructor(voice) {
    this.voice = voice;
    /** @type {Chime|undefined} */
    this.chime = undefined;
    this.sound = part("sound");
    this.notice = part("notify");
    this.sound.addEventListener("click", () => this.toggleSound());
    this.notice.addEventListener("click", () => this.toggleNotice());
    this.notice.hidden = !("Notification" in window);
    part("alerts").hidden = false;
    if (wants(chosen.sound)) this.tune();
    this.show();
  }

  /** The browser may want a press on this page, any press, before it plays the sound that was asked for on an earlier one. */
  tune() {
    const chime = (this.chime = new Chime());
    chime.onchange(() => this.show());
    const wake = (/** @type {Event} */ event) => event.target === this.sound || chime.wake();
    document.addEventListener("pointerdown", wake, { once: true });
    document.addEventListener("keydown", wake, { once: true });
  }

  async toggleSound() {
    const on = this.sound.getAttribute("aria-pressed") !== "true";
    choose(chosen.sound, on);
    if (on) {
      if (this.chime === undefined) this.tune();
      await this.chime?.wake();
      this.chime?.ring(); // so that its owner knows what to listen for
    } else {
      this.chime?.close();
      this.chime = undefined;
    }
    this.show();
  }

  async toggleNotice() {
    const on = this.notice.getAttribute("aria-pressed") !== "true";
    if (on && (await Notification.requestPermission()) !== "granted") {
      setText(this.notice, say("alerts.blocked"));
      this.voice.now(say("alerts.blocked.said"));
      return;
    }
    choose(chosen.notify, on);
    this.show();
  }

  /** A button is pressed while it does what it says. */
  show() {
    this.sound.setAttribute("aria-pressed", String(this.chime?.ready() ?? false));
    this.notice.setAttribute("aria-pressed", String(wants(chosen.notify) && canNotify()));
  }

  /** It is the reader's turn. It resolves when the sound, if there is one, has been heard. @param {string} words */
  async call(words) {
    notify(words);
    await this.chime?.ring();
  }
}
