// The largest `settle` of the control API, in seconds.
export const SETTLE = 60;

/** The clock of an app. It is frozen: only a test advances it. */
export class Clock {
  #app;

  constructor(app) {
    this.#app = app;
  }

  /** The time of the clock. */
  async now() {
    return new Date((await this.#app.call("getClock")).now);
  }

  /**
   * Advances the clock by a duration such as `1mo`, `7d`, `36h` or `P1M`, and waits until the notifications of what
   * happened on the way are delivered.
   */
  advance(by) {
    return this.#app.call("advanceClock", { by, settle: SETTLE });
  }

  /** Advances the clock to a `Date`, to milliseconds since 1970, or to a date as text. */
  advanceTo(date) {
    const to = new Date(date).getTime();
    if (Number.isNaN(to)) throw new TypeError(`Not a date: ${date}`);
    return this.#app.call("advanceClock", { to, settle: SETTLE });
  }

  /** Advances the clock to the next renewal, expiration or other event. */
  advanceToNextEvent() {
    return this.#app.call("advanceClock", { toNextEvent: true, settle: SETTLE });
  }

  /** What will happen on the clock, earliest first. */
  upcomingEvents() {
    return this.#app.call("listUpcomingEvents");
  }
}
