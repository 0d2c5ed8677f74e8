import type { Behaviour, Delay } from "./behaviour.ts"
import { deepFreezeEveryPart } from "../kubernetes/meta/deepFreeze.ts"

const between = (min: string, max: string): Delay => ({ uniform: [min, max] })

/** The default: a healthy Pod with small, uneven delays. Other behaviours take missing fields from it. */
export const steady = deepFreezeEveryPart({
  name: "steady",
  mover: "kubelet",
  schedule: between("5ms", "30ms"),
  pull: { delay: between("300ms", "1200ms"), failures: 0 },
  start: between("100ms", "400ms"),
  ready: between("200ms", "900ms"),
  terminate: between("200ms", "1500ms")
} as const satisfies Behaviour)

export const defaultPullError = "manifest unknown"

/** Every step of a Pod takes no time. */
export const instant = deepFreezeEveryPart({
  name: "instant",
  mover: "kubelet",
  schedule: "0s",
  pull: { delay: "0s" },
  start: "0s",
  ready: "0s",
  terminate: "0s"
} as const satisfies Behaviour)

/** Only your writes change the status of a Pod. */
export const manual = deepFreezeEveryPart({ name: "manual", mover: "you" } as const satisfies Behaviour)

export const builtInBehaviours: ReadonlyArray<Behaviour> = [steady, instant, manual]
