import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { clockSpeedMax } from "../clockSpeed.ts"
import type { UserCalls } from "./userCalls.ts"
import type { Timeline } from "./timeline.ts"

export class ClockNotVirtual extends TaggedError("ClockNotVirtual") {
  override get message(): string {
    return "only a clock that stands still can be advanced: a virtual one, or one that is paused"
  }
}

export interface ClockState {
  readonly now: string
  /** A multiple of the machine's clock; 0 while time stands still. */
  readonly speed: number
  /** When the next timer is due (RFC 3339); omitted if there is none. */
  readonly next?: string
}

/** Calls that move the clock run one after another. */
export const makeClusterClock = ({
  timeline,
  userCalls: { until, inOrder },
  speedChanged
}: {
  readonly timeline: Timeline
  readonly userCalls: Pick<UserCalls, "until" | "inOrder">
  readonly speedChanged: () => void
}) => {
  const { kernel } = timeline
  let lastRunningSpeed = timeline.speed() || 1
  const changeSpeed = (speed: () => number): Effect.Effect<void> =>
    inOrder(
      Effect.sync(() => {
        const newSpeed = speed()
        if (newSpeed === timeline.speed()) return
        lastRunningSpeed = timeline.speed() || lastRunningSpeed
        timeline.setSpeed(newSpeed)
        speedChanged()
      })
    )
  const passTime = (millis: number): Effect.Effect<void> =>
    Effect.asVoid(until(() => false, millis, { skipsHeartbeats: true }))
  const whenStopped = <A>(move: () => Effect.Effect<A>): Effect.Effect<A, ClockNotVirtual> =>
    inOrder(Effect.suspend(() => (timeline.speed() > 0 ? Effect.fail(new ClockNotVirtual()) : move())))
  const step = whenStopped(() => {
    timeline.runToPresent()
    const nextMillis = kernel.nextTimerMillis()
    return nextMillis === undefined
      ? Effect.succeed(false)
      : Effect.as(passTime(nextMillis - kernel.nowMillis()), true)
  })
  return {
    clock: {
      state: (): ClockState => {
        // At most once per turn of the event loop: controllers react once to requests that come together.
        timeline.runToPresentOncePerTurn()
        const nextMillis = kernel.nextTimerMillis()
        return {
          now: new Date(kernel.nowMillis()).toISOString(),
          speed: timeline.speed(),
          ...(nextMillis === undefined ? {} : { next: new Date(nextMillis).toISOString() })
        }
      },
      step,
      pause: changeSpeed(() => 0),
      resume: changeSpeed(() => timeline.speed() || lastRunningSpeed),
      setSpeed: (speed: number) =>
        speed > 0 && speed <= clockSpeedMax
          ? changeSpeed(() => speed)
          : Effect.die(new RangeError(`not a speed: ${speed}`))
    },
    advance: (millis: number) => whenStopped(() => passTime(millis))
  }
}
