// @ts-check
// Two notes that say: somebody is called. They are made here, so that there is no file to load.

/** Hertz, and when each begins. Seconds. */
const notes = [[659.25, 0], [880, 0.22]];
const length = 0.7;

export class Chime {
  constructor() {
    this.context = new AudioContext();
  }

  /** Whether the browser lets it sound. Most want a press on the page first. */
  ready() {
    return this.context.state === "running";
  }

  /** @param {() => void} listener is told when ready() may have changed */
  onchange(listener) {
    this.context.addEventListener("statechange", listener);
  }

  /** Lets it sound from now on; to be called in the handler of a press. */
  wake() {
    return this.context.resume();
  }

  /** Gives the loudspeaker back. */
  close() {
    return this.context.close();
  }

  /** Sounds once, if it may, and resolves when it has sounded. */
  async ring() {
    if (!this.ready()) return;
    const start = this.context.currentTime;
    await Promise.all(notes.map(([hertz, at]) => this.note(hertz, start + at)));
  }

  /** @param {number} hertz @param {number} at */
  note(hertz, at) {
    const tone = new OscillatorNode(this.context, { type: "sine", frequency: hertz });
    const loudness = new GainNode(this.context, { gain: 0 });
    loudness.gain.setValueAtTime(0, at);
    loudness.gain.linearRampToValueAtTime(0.4, at + 0.02);
    loudness.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(loudness).connect(this.context.destination);
    tone.start(at);
    tone.stop(at + length);
    return new Promise((resolve) => (tone.onended = resolve));
  }
}
