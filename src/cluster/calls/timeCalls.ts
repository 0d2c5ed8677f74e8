import * as Effect from "effect/Effect"
import { requireSynchronous, toLimitMillis, untilOptionNames } from "./callOptions.ts"
import { toDurationMillis } from "../../kubernetes/meta/amounts/durations.ts"
import { validateOptionNames } from "../../options/invalidOptions.ts"
import type { ClusterCalls } from "./clusterCalls.ts"
import type { ClusterService } from "../clusterService.ts"
import type { ClockNotVirtual } from "../../runtime/time/clusterClock.ts"
import type { UserCalls } from "../../runtime/time/userCalls.ts"

type TimeCalls = Pick<ClusterCalls<"effect", ClusterService>, "advance" | "sleep" | "settle" | "until">

export const makeTimeCalls = (
  { sleep, until }: Pick<UserCalls, "sleep" | "until">,
  advance: (millis: number) => Effect.Effect<void, ClockNotVirtual>,
  isAtRest: () => boolean
): TimeCalls => ({
  advance: (duration) => Effect.suspend(() => advance(toDurationMillis(duration, "duration"))),
  sleep: (duration) => Effect.suspend(() => sleep(toDurationMillis(duration, "duration"))),
  // `skipsHeartbeats` requires a condition that does not depend on time, as `isAtRest`.
  settle: (limit) => Effect.suspend(() => until(isAtRest, toLimitMillis(limit), { skipsHeartbeats: true })),
  until: (condition, limit, options = {}) =>
    Effect.suspend(() => {
      validateOptionNames("until", options, untilOptionNames)
      return until(requireSynchronous(condition), toLimitMillis(limit), options)
    })
})
