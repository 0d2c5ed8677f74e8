import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { speedMax } from "../domain/speeds.ts"
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

/** Makes the clock of a timeline; what is asked of it while the cluster is closed is a defect. */
export const clockOf = ({
  timeline,
  until,
  whileOpen,
  speedChanged
}: {
  readonly timeline: Timeline
  readonly until: (holds: () => boolean, limitMillis: number) => Effect.Effect<boolean>
  readonly whileOpen: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly speedChanged: () => void
}): ClusterClock => {
  const { kernel } = timeline
  let former = timeline.speed() || 1
  const go = (speed: number): Effect.Effect<void> =>
    whileOpen(
      Effect.sync(() => {
        former = timeline.speed() || former
        timeline.setSpeed(speed)
        speedChanged()
      })
    )
  const step = (): Effect.Effect<boolean, ClockNotVirtual> => {
    if (timeline.speed() > 0) return Effect.fail(new ClockNotVirtual())
    timeline.catchUp()
    const next = kernel.nextTimerMillis()
    if (next === undefined) return Effect.succeed(false)
    return Effect.as(
      until(() => false, next - kernel.nowMillis()),
      true
    )
  }
  return {
    state: () => {
      timeline.arrive()
      const next = kernel.nextTimerMillis()
      return {
        now: new Date(kernel.nowMillis()).toISOString(),
        speed: timeline.speed(),
        ...(next === undefined ? {} : { next: new Date(next).toISOString() })
      }
    },
    step: whileOpen(Effect.suspend(step)),
    pause: go(0),
    resume: Effect.suspend(() => (timeline.speed() > 0 ? Effect.void : go(former))),
    setSpeed: (speed) =>
      speed > 0 && speed <= speedMax ? go(speed) : Effect.die(new RangeError(`not a speed: ${speed}`))
  }
}
