import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { speedMax } from "../domain/speeds.ts"
import type { Entrance } from "./entrance.ts"
import type { Timeline } from "./timeline.ts"

/** The clock goes by itself, so that it cannot be moved by hand. */
export class ClockNotVirtual extends TaggedError("ClockNotVirtual") {
  override get message(): string {
    return "only a clock that stands still can be advanced: a virtual one, or one that is paused"
  }
}

/** How a cluster's time goes at the moment. */
export interface ClockState {
  /** RFC 3339, in UTC. */
  readonly now: string
  /** So many times as fast as the machine's clock; 0 while it stands still. */
  readonly speed: number
  /** When the next thing will happen by itself; left out where nothing ever will. */
  readonly next?: string
}

/** The cluster's clock as its owner moves it. */
export interface ClusterClock {
  readonly state: () => ClockState
  /** Moves to the next moment at which something happens by itself; false where nothing ever will. */
  readonly step: Effect.Effect<boolean, ClockNotVirtual>
  readonly pause: Effect.Effect<void>
  /** Goes on as before it was paused; a clock that never went goes at the machine's own pace. */
  readonly resume: Effect.Effect<void>
  /** So many times as fast as the machine's clock, from now on. */
  readonly setSpeed: (speed: number) => Effect.Effect<void>
}

/**
 * Makes the clock of a timeline, and what moves it by hand: one thing after another, in the order in which they were
 * asked for. What is asked of it while the cluster is closed is a defect.
 */
export const clockOf = ({
  timeline,
  entrance: { until, inTurn },
  speedChanged
}: {
  readonly timeline: Timeline
  readonly entrance: Pick<Entrance, "until" | "inTurn">
  readonly speedChanged: () => void
}): {
  readonly clock: ClusterClock
  readonly advance: (millis: number) => Effect.Effect<void, ClockNotVirtual>
} => {
  const { kernel } = timeline
  let former = timeline.speed() || 1
  const go = (speed: () => number): Effect.Effect<void> =>
    inTurn(
      Effect.sync(() => {
        const next = speed()
        if (next === timeline.speed()) return
        former = timeline.speed() || former
        timeline.setSpeed(next)
        speedChanged()
      })
    )
  const pass = (millis: number): Effect.Effect<void> => Effect.asVoid(until(() => false, millis))
  const whileStill = <A>(move: () => Effect.Effect<A>): Effect.Effect<A, ClockNotVirtual> =>
    inTurn(Effect.suspend(() => (timeline.speed() > 0 ? Effect.fail(new ClockNotVirtual()) : move())))
  const step = whileStill(() => {
    timeline.catchUp()
    const next = kernel.nextTimerMillis()
    return next === undefined ? Effect.succeed(false) : Effect.as(pass(next - kernel.nowMillis()), true)
  })
  return {
    clock: {
      state: () => {
        timeline.arrive()
        const next = kernel.nextTimerMillis()
        return {
          now: new Date(kernel.nowMillis()).toISOString(),
          speed: timeline.speed(),
          ...(next === undefined ? {} : { next: new Date(next).toISOString() })
        }
      },
      step,
      pause: go(() => 0),
      resume: go(() => timeline.speed() || former),
      setSpeed: (speed) =>
        speed > 0 && speed <= speedMax ? go(() => speed) : Effect.die(new RangeError(`not a speed: ${speed}`))
    },
    advance: (millis) => whileStill(() => pass(millis))
  }
}
