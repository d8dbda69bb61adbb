// The largest `settle` of the control API, in seconds.
export const SETTLE = 60;

/** A date as milliseconds since 1970, from a `Date`, from such a number, or from a date as text. */
export function milliseconds(date, name = "date") {
  const time = date === null ? NaN : new Date(date).getTime();
  if (!Number.isNaN(time)) return time;
  throw new TypeError(`${name}: not a date: ${date}. Use a Date, milliseconds, or text such as 2025-01-31T12:00:00Z.`);
}

/** The clock of an app. It is frozen: only a test advances it. */
export class Clock {
  #app;

  constructor(app, name) {
    this.#app = app;
    // The name of a customer clock; undefined for the environment's clock.
    this.name = name;
  }

  #call(operation, values) {
    return this.#app.call(operation, { clock: this.name, ...values });
  }

  /** The time of the clock. */
  async now() {
    return new Date((await this.#call("getClock")).now);
  }

  /**
   * Advances the clock by a duration such as `1mo`, `7d`, `36h` or `P1M`, and waits until the notifications of what
   * happened on the way are delivered.
   */
  advance(by) {
    return this.#call("advanceClock", { by, settle: SETTLE });
  }

  /** Advances the clock to a `Date`, to milliseconds since 1970, or to a date as text. */
  advanceTo(date) {
    return this.#call("advanceClock", { to: milliseconds(date), settle: SETTLE });
  }

  /** Advances the clock to the next renewal, expiration or other event. */
  advanceToNextEvent() {
    return this.#call("advanceClock", { toNextEvent: true, settle: SETTLE });
  }

  /** What will happen on the clock, earliest first. */
  upcomingEvents() {
    return this.#call("listUpcomingEvents");
  }
}
