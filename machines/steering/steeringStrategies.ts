import { automaticRollback } from "./automaticRollback.ts"
import { blueGreen } from "./blueGreen.ts"
import { canary } from "./canary.ts"
import type { SteeringStrategy } from "./steeringStrategy.ts"

export const builtInSteering: ReadonlyArray<SteeringStrategy> = [automaticRollback, canary, blueGreen]

/** The built-in charts, and then the user's. */
export const withBuiltInSteering = (
  own: ReadonlyArray<SteeringStrategy> = []
): ReadonlyArray<SteeringStrategy> => (own.length === 0 ? builtInSteering : [...builtInSteering, ...own])
